package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// Users stores the users, their workspaces and their sessions.
type Users struct{ db *DB }

// NewUsers returns the store.
func NewUsers(db *DB) *Users { return &Users{db: db} }

type userRow struct {
	ID           ident.User
	Email        email.Address
	Name         string
	PasswordHash string
	CreatedAt    time.Time
	DisabledAt   *time.Time
	SecondFactor bool
	ShortcutsOff bool
}

const userColumns = `id, email, name, password_hash, created_at, disabled_at, second_factor, shortcuts_off`

func fromUserRow(r userRow) user.User {
	return user.User{
		ID: r.ID, Email: r.Email, Name: r.Name, PasswordHash: r.PasswordHash, CreatedAt: r.CreatedAt,
		DisabledAt: value(r.DisabledAt), SecondFactor: r.SecondFactor, ShortcutsOff: r.ShortcutsOff,
	}
}

// Insert stores a new user; false if the email address is taken.
func (s *Users) Insert(ctx context.Context, u user.User) (bool, error) {
	result := s.db.conn(ctx).Table("app_user").Clauses(onConflict(`ON CONFLICT (lower(email COLLATE "C")) DO NOTHING`)).Create(
		&userRow{
			ID: u.ID, Email: u.Email, Name: u.Name, PasswordHash: u.PasswordHash, CreatedAt: u.CreatedAt,
			DisabledAt: optional(u.DisabledAt), ShortcutsOff: u.ShortcutsOff,
		})
	return result.RowsAffected == 1, classify(result.Error)
}

// Exist reports whether the installation has a user.
func (s *Users) Exist(ctx context.Context) (bool, error) {
	var found bool
	err := s.db.conn(ctx).Raw("SELECT EXISTS (SELECT FROM app_user)").Scan(&found).Error
	return found, classify(err)
}

// ByEmail returns a user; NOT_FOUND if it does not exist.
func (s *Users) ByEmail(ctx context.Context, address email.Address) (user.User, error) {
	return oneUser(s.db.conn(ctx).Table("app_user").Select(userColumns).Where(sameEmail, address.Folded()))
}

// sameEmail is the condition of email.Address.Same on the column email, for the folded address.
const sameEmail = `lower(email COLLATE "C") = ?`

func oneUser(query *gorm.DB) (user.User, error) {
	var row userRow
	err := query.Take(&row).Error
	return fromUserRow(row), rowError(err, "user")
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
		return s.EndUserSessions(ctx, id)
	})
}

// Workspaces returns the user's workspaces, ordered by name.
func (s *Users) Workspaces(ctx context.Context, id ident.User) ([]workspace.Workspace, error) {
	var rows []workspaceRow
	err := s.db.conn(ctx).Table("workspace w").Select("w.id, w.name, w.plan, w.timezone, w.created_at").
		Joins("JOIN workspace_member m ON m.workspace_id = w.id").Where("m.user_id = ?", id).
		Order("lower(w.name), w.id").Find(&rows).Error
	return each(rows, fromWorkspaceRow), classify(err)
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
