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

// Users keeps the people who sign in, which workspaces they belong to, and where they are signed in.
type Users struct{ db *DB }

// NewUsers makes the store.
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

// Insert keeps a new user; false when the e-mail address is taken.
func (s *Users) Insert(ctx context.Context, u user.User) (bool, error) {
	result := s.db.conn(ctx).Exec(`INSERT INTO app_user (`+userColumns+`) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (lower(email)) DO NOTHING`,
		u.ID, u.Email, u.Name, u.PasswordHash, u.CreatedAt, optional(u.DisabledAt))
	return result.RowsAffected == 1, classify(result.Error)
}

// ByEmail finds a user; NOT_FOUND when there is none.
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

// SetPassword changes what is kept of a password and ends every session; NOT_FOUND when there is no such user.
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

// Join makes a user a member of a workspace; a second time changes nothing. NOT_FOUND when there is no such workspace or user.
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

// Workspaces reads what the user belongs to, by name.
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

// InsertSession keeps a browser that has signed in.
func (s *Users) InsertSession(ctx context.Context, hash [32]byte, id ident.User, now time.Time) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO user_session (user_id, hash, created_at, last_seen_at) VALUES (?, ?, ?, ?)`, id, hash[:], now, now).Error)
}

// Session finds who is signed in, in a session that began after one time and was seen after another, and notes that it is seen
// now; NOT_FOUND when there is none, or the user may not sign in any more.
func (s *Users) Session(ctx context.Context, hash [32]byte, began, seen, now time.Time) (user.User, error) {
	u, err := s.one(ctx, `SELECT `+prefixed("u", "", userColumns)+` FROM user_session s JOIN app_user u ON u.id = s.user_id
		WHERE s.hash = ? AND s.created_at > ? AND s.last_seen_at > ? AND u.disabled_at IS NULL`, hash[:], began, seen)
	if err != nil {
		return user.User{}, err
	}
	err = s.db.conn(ctx).Exec(`UPDATE user_session SET last_seen_at = ? WHERE hash = ? AND last_seen_at < ?`, now, hash[:], now.Add(-time.Minute)).Error
	return u, classify(err)
}

// EndSession signs a browser out; one that is not signed in stays so.
func (s *Users) EndSession(ctx context.Context, hash [32]byte) error {
	return classify(s.db.conn(ctx).Exec(`DELETE FROM user_session WHERE hash = ?`, hash[:]).Error)
}

// PruneSessions removes those that began before one time, or were last seen before another.
func (s *Users) PruneSessions(ctx context.Context, began, seen time.Time) (int64, error) {
	result := s.db.conn(ctx).Exec(`DELETE FROM user_session WHERE created_at < ? OR last_seen_at < ?`, began, seen)
	return result.RowsAffected, classify(result.Error)
}

// Members reads who belongs to a workspace, by e-mail address.
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

// Leave ends a membership, and with it what the person allowed programs in the workspace: it stays ended when they come back.
// False when there was none.
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
