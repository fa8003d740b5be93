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
	return user.User{
		ID: r.ID, Email: r.Email, Name: r.Name, PasswordHash: r.PasswordHash, CreatedAt: r.CreatedAt,
		DisabledAt: value(r.DisabledAt),
	}
}

// Insert stores a new user; false if the email address is taken.
func (s *Users) Insert(ctx context.Context, u user.User) (bool, error) {
	result := s.db.conn(ctx).Table("app_user").Clauses(onConflict("ON CONFLICT (lower(email)) DO NOTHING")).Create(
		&userRow{
			ID: u.ID, Email: u.Email, Name: u.Name, PasswordHash: u.PasswordHash, CreatedAt: u.CreatedAt,
			DisabledAt: optional(u.DisabledAt),
		})
	return result.RowsAffected == 1, classify(result.Error)
}

// ByEmail returns a user; NOT_FOUND if it does not exist.
func (s *Users) ByEmail(ctx context.Context, email string) (user.User, error) {
	return oneUser(s.db.conn(ctx).Table("app_user").Select(userColumns).Where("lower(email) = lower(?)", email))
}

func oneUser(query *gorm.DB) (user.User, error) {
	var row userRow
	err := query.Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return user.User{}, notFound("user")
	}
	return fromUserRow(row), classify(err)
}

// SetPassword replaces the password hash and ends every session; NOT_FOUND if the user does not exist.
func (s *Users) SetPassword(ctx context.Context, id ident.User, hash string) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("app_user").Where("id = ?", id).Update("password_hash", hash)
		if result.Error != nil {
			return result.Error
		}
		if result.RowsAffected == 0 {
			return notFound("user")
		}
		return s.db.conn(ctx).Table("user_session").Where("user_id = ?", id).Delete(nil).Error
	})
}

// Join adds a user to a workspace. Joining again changes nothing. It returns NOT_FOUND if the workspace or the user
// does not exist.
func (s *Users) Join(ctx context.Context, id ident.User, workspaceID ident.Workspace, now time.Time) error {
	result := s.db.conn(ctx).Exec(joinWorkspace, map[string]any{"workspace": workspaceID, "user": id, "now": now})
	if result.Error == nil && result.RowsAffected == 0 {
		return notFound("workspace or user")
	}
	return classify(result.Error)
}

// IsMember reports whether the user belongs to the workspace and may sign in.
func (s *Users) IsMember(ctx context.Context, id ident.User, workspaceID ident.Workspace) (bool, error) {
	var members int64
	err := s.db.conn(ctx).Table("workspace_member m").Joins("JOIN app_user u ON u.id = m.user_id").
		Where("m.user_id = ? AND m.workspace_id = ? AND u.disabled_at IS NULL", id, workspaceID).Count(&members).Error
	return members > 0, classify(err)
}

// Workspaces returns the user's workspaces, ordered by name.
func (s *Users) Workspaces(ctx context.Context, id ident.User) ([]workspace.Workspace, error) {
	var rows []workspaceRow
	err := s.db.conn(ctx).Table("workspace w").Select("w.id, w.name, w.plan, w.timezone, w.created_at").
		Joins("JOIN workspace_member m ON m.workspace_id = w.id").Where("m.user_id = ?", id).
		Order("lower(w.name), w.id").Find(&rows).Error
	workspaces := make([]workspace.Workspace, len(rows))
	for i, row := range rows {
		workspaces[i] = fromWorkspaceRow(row)
	}
	return workspaces, classify(err)
}

// InsertSession stores a session of a browser that has signed in.
func (s *Users) InsertSession(ctx context.Context, hash [32]byte, id ident.User, now time.Time) error {
	return classify(s.db.conn(ctx).Table("user_session").Create(map[string]any{
		"user_id": id, "hash": hash[:], "created_at": now, "last_seen_at": now,
	}).Error)
}

// Session returns the user of a session that started after began and was last seen after seen, and records that it is
// seen now. It returns NOT_FOUND if there is no such session or the user may no longer sign in.
func (s *Users) Session(ctx context.Context, hash [32]byte, began, seen, now time.Time) (user.User, error) {
	u, err := oneUser(s.db.conn(ctx).Table("user_session s").Select(prefixed("u", "", userColumns)).
		Joins("JOIN app_user u ON u.id = s.user_id").
		Where("s.hash = ? AND s.created_at > ? AND s.last_seen_at > ? AND u.disabled_at IS NULL", hash[:], began, seen))
	if err != nil {
		return user.User{}, err
	}
	err = s.db.conn(ctx).Table("user_session").Where("hash = ? AND last_seen_at < ?", hash[:], now.Add(-time.Minute)).
		Update("last_seen_at", now).Error
	return u, classify(err)
}

// EndSession ends a session. A missing session is not an error.
func (s *Users) EndSession(ctx context.Context, hash [32]byte) error {
	return classify(s.db.conn(ctx).Table("user_session").Where("hash = ?", hash[:]).Delete(nil).Error)
}

// PruneSessions deletes the sessions that started before began or were last seen before seen.
func (s *Users) PruneSessions(ctx context.Context, began, seen time.Time) (int64, error) {
	result := s.db.conn(ctx).Table("user_session").Where("created_at < ? OR last_seen_at < ?", began, seen).Delete(nil)
	return result.RowsAffected, classify(result.Error)
}

// Members returns the users of a workspace, ordered by email address.
func (s *Users) Members(ctx context.Context, workspaceID ident.Workspace) ([]user.User, error) {
	var rows []userRow
	err := s.db.conn(ctx).Table("app_user u").Select(prefixed("u", "", userColumns)).
		Joins("JOIN workspace_member m ON m.user_id = u.id").Where("m.workspace_id = ?", workspaceID).
		Order("lower(u.email)").Find(&rows).Error
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
		result := s.db.conn(ctx).Table("workspace_member").
			Where("user_id = ? AND workspace_id = ?", id, workspaceID).Delete(nil)
		if left = result.RowsAffected > 0; result.Error != nil || !left {
			return result.Error
		}
		return s.db.conn(ctx).Table("oauth_grant").
			Where("user_id = ? AND workspace_id = ? AND revoked_at IS NULL", id, workspaceID).
			Update("revoked_at", now).Error
	})
	return left, classify(err)
}
