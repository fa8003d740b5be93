package postgres

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"socialpub.internal/shared/domain/user"
	"socialpub.internal/shared/domain/workspace"
	"socialpub.internal/shared/kernel/ident"
)

// Users stores the users, their workspaces and their sessions.
type Users struct{ db *DB }

// NewUsers returns the store.
func NewUsers(db *DB) *Users { return &Users{db: db} }

type userRow struct {
	ID           ident.User
	Email        string
	Name         string
	PasswordHash string
	CreatedAt    time.Time
	DisabledAt   *time.Time
}

const userColumns = `id, email, name, password_hash, created_at, disabled_at`

func fromUserRow(r userRow) user.User {
	return user.User{ID: r.ID, Email: r.Email, Name: r.Name, PasswordHash: r.PasswordHash, CreatedAt: r.CreatedAt, DisabledAt: value(r.DisabledAt)}
}

// Insert stores a new user; false if the email address is taken.
func (s *Users) Insert(ctx context.Context, u user.User) (bool, error) {
	result := s.db.conn(ctx).Exec(`INSERT INTO app_user (`+userColumns+`) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (lower(email)) DO NOTHING`,
		u.ID, u.Email, u.Name, u.PasswordHash, u.CreatedAt, optional(u.DisabledAt))
	return result.RowsAffected == 1, classify(result.Error)
}

// ByEmail returns a user; NOT_FOUND if it does not exist.
func (s *Users) ByEmail(ctx context.Context, email string) (user.User, error) {
	return s.one(ctx, `SELECT `+userColumns+` FROM app_user WHERE lower(email) = lower(?)`, email)
}

func (s *Users) one(ctx context.Context, query string, args ...any) (user.User, error) {
	var row userRow
	err := s.db.conn(ctx).Raw(query, args...).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return user.User{}, notFound("user")
	}
	return fromUserRow(row), classify(err)
}

// SetPassword replaces the password hash and ends every session; NOT_FOUND if the user does not exist.
func (s *Users) SetPassword(ctx context.Context, id ident.User, hash string) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Exec(`UPDATE app_user SET password_hash = ? WHERE id = ?`, hash, id)
		if result.Error != nil {
			return result.Error
		}
		if result.RowsAffected == 0 {
			return notFound("user")
		}
		return s.db.conn(ctx).Exec(`DELETE FROM user_session WHERE user_id = ?`, id).Error
	})
}

// Join adds a user to a workspace. Joining again changes nothing. It returns NOT_FOUND if the workspace or the user
// does not exist.
func (s *Users) Join(ctx context.Context, id ident.User, workspaceID ident.Workspace, now time.Time) error {
	result := s.db.conn(ctx).Exec(`INSERT INTO workspace_member (workspace_id, user_id, created_at)
		SELECT w.id, u.id, ? FROM workspace w, app_user u WHERE w.id = ? AND u.id = ?
		ON CONFLICT (user_id, workspace_id) DO UPDATE SET created_at = workspace_member.created_at`, now, workspaceID, id)
	if result.Error == nil && result.RowsAffected == 0 {
		return notFound("workspace or user")
	}
	return classify(result.Error)
}

// IsMember reports whether the user belongs to the workspace and may sign in.
func (s *Users) IsMember(ctx context.Context, id ident.User, workspaceID ident.Workspace) (bool, error) {
	var member bool
	err := s.db.conn(ctx).Raw(`SELECT EXISTS (SELECT FROM workspace_member m JOIN app_user u ON u.id = m.user_id
		WHERE m.user_id = ? AND m.workspace_id = ? AND u.disabled_at IS NULL)`, id, workspaceID).Scan(&member).Error
	return member, classify(err)
}

// Workspaces returns the user's workspaces, ordered by name.
func (s *Users) Workspaces(ctx context.Context, id ident.User) ([]workspace.Workspace, error) {
	var rows []workspaceRow
	err := s.db.conn(ctx).Raw(`SELECT w.id, w.name, w.plan, w.timezone, w.created_at FROM workspace w
		JOIN workspace_member m ON m.workspace_id = w.id WHERE m.user_id = ? ORDER BY lower(w.name), w.id`, id).Scan(&rows).Error
	workspaces := make([]workspace.Workspace, len(rows))
	for i, row := range rows {
		workspaces[i] = fromWorkspaceRow(row)
	}
	return workspaces, classify(err)
}

// InsertSession stores a session of a browser that has signed in.
func (s *Users) InsertSession(ctx context.Context, hash [32]byte, id ident.User, now time.Time) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO user_session (user_id, hash, created_at, last_seen_at) VALUES (?, ?, ?, ?)`, id, hash[:], now, now).Error)
}

// Session returns the user of a session that started after began and was last seen after seen, and records that it is
// seen now. It returns NOT_FOUND if there is no such session or the user may no longer sign in.
func (s *Users) Session(ctx context.Context, hash [32]byte, began, seen, now time.Time) (user.User, error) {
	u, err := s.one(ctx, `SELECT `+prefixed("u", "", userColumns)+` FROM user_session s JOIN app_user u ON u.id = s.user_id
		WHERE s.hash = ? AND s.created_at > ? AND s.last_seen_at > ? AND u.disabled_at IS NULL`, hash[:], began, seen)
	if err != nil {
		return user.User{}, err
	}
	err = s.db.conn(ctx).Exec(`UPDATE user_session SET last_seen_at = ? WHERE hash = ? AND last_seen_at < ?`, now, hash[:], now.Add(-time.Minute)).Error
	return u, classify(err)
}

// EndSession ends a session. A missing session is not an error.
func (s *Users) EndSession(ctx context.Context, hash [32]byte) error {
	return classify(s.db.conn(ctx).Exec(`DELETE FROM user_session WHERE hash = ?`, hash[:]).Error)
}

// PruneSessions deletes the sessions that started before began or were last seen before seen.
func (s *Users) PruneSessions(ctx context.Context, began, seen time.Time) (int64, error) {
	result := s.db.conn(ctx).Exec(`DELETE FROM user_session WHERE created_at < ? OR last_seen_at < ?`, began, seen)
	return result.RowsAffected, classify(result.Error)
}

// Members returns the users of a workspace, ordered by email address.
func (s *Users) Members(ctx context.Context, workspaceID ident.Workspace) ([]user.User, error) {
	var rows []userRow
	err := s.db.conn(ctx).Raw(`SELECT `+prefixed("u", "", userColumns)+` FROM app_user u JOIN workspace_member m ON m.user_id = u.id
		WHERE m.workspace_id = ? ORDER BY lower(u.email)`, workspaceID).Scan(&rows).Error
	members := make([]user.User, len(rows))
	for i, row := range rows {
		members[i] = fromUserRow(row)
	}
	return members, classify(err)
}

// Leave ends a membership and revokes the user's OAuth grants in the workspace, which stay revoked if the user joins
// again. It reports false if there was no membership.
func (s *Users) Leave(ctx context.Context, id ident.User, workspaceID ident.Workspace, now time.Time) (bool, error) {
	var left bool
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Exec(`DELETE FROM workspace_member WHERE user_id = ? AND workspace_id = ?`, id, workspaceID)
		if left = result.RowsAffected > 0; result.Error != nil || !left {
			return result.Error
		}
		return s.db.conn(ctx).Exec(`UPDATE oauth_grant SET revoked_at = ? WHERE user_id = ? AND workspace_id = ? AND revoked_at IS NULL`,
			now, id, workspaceID).Error
	})
	return left, classify(err)
}
