package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// Accounts stores the links by which people set a new password or confirm a change of their email address. Links are
// stored only as their SHA-256.
type Accounts struct{ db *DB }

// NewAccounts returns the store.
func NewAccounts(db *DB) *Accounts { return &Accounts{db: db} }

// InsertReset stores a link for an address, whether or not it has a user; false if the address got limit links since
// the given time.
func (s *Accounts) InsertReset(
	ctx context.Context, hash [32]byte, address email.Address, now, expires, since time.Time, limit int,
) (bool, error) {
	var found int64
	err := s.db.conn(ctx).Table("password_reset").Where(sameEmail+" AND created_at > ?", address.Folded(), since).
		Count(&found).Error
	if err != nil || found >= int64(limit) {
		return false, classify(err)
	}
	return true, classify(s.db.conn(ctx).Table("password_reset").Create(map[string]any{
		"hash": hash[:], "email": address, "created_at": now, "expires_at": expires,
	}).Error)
}

// ResetUser returns the user whose password the link sets; NOT_FOUND if the link cannot be used, or if its address has
// no user who may sign in.
func (s *Accounts) ResetUser(ctx context.Context, hash [32]byte, now time.Time) (user.User, error) {
	return oneUser(s.db.conn(ctx).Table("password_reset r").Select(prefixed("u", "", userColumns)).
		Joins(`JOIN app_user u ON lower(u.email COLLATE "C") = lower(r.email COLLATE "C")`).
		Where("r.hash = ? AND r.expires_at > ? AND u.disabled_at IS NULL", hash[:], now))
}

// TakeReset uses a link up, and the other links of its address; false if it cannot be used. Of concurrent callers, one
// gets true.
func (s *Accounts) TakeReset(ctx context.Context, hash [32]byte, now time.Time) (bool, error) {
	var rows []struct{ Email email.Address }
	result := s.db.conn(ctx).Table("password_reset").Clauses(returning("email")).
		Where("hash = ? AND expires_at > ?", hash[:], now).Delete(&rows)
	if result.Error != nil || len(rows) == 0 {
		return false, classify(result.Error)
	}
	return true, s.EndResets(ctx, rows[0].Email)
}

// EndResets deletes the links of an address.
func (s *Accounts) EndResets(ctx context.Context, address email.Address) error {
	return classify(s.db.conn(ctx).Table("password_reset").Where(sameEmail, address.Folded()).Delete(nil).Error)
}

type addressRow struct {
	ID        ident.AddressChange
	UserID    ident.User
	Email     email.Address
	LeftAt    *time.Time
	ArrivedAt *time.Time
	CreatedAt time.Time
	ExpiresAt time.Time
}

const addressColumns = `id, user_id, email, left_at, arrived_at, created_at, expires_at`

func fromAddressRow(r addressRow) user.AddressChange {
	return user.AddressChange{
		ID: r.ID, UserID: r.UserID, Email: r.Email, LeftAt: value(r.LeftAt), ArrivedAt: value(r.ArrivedAt),
		CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt,
	}
}

// InsertAddressChange stores a change in place of an earlier one of the user.
func (s *Accounts) InsertAddressChange(ctx context.Context, c user.AddressChange, leaving, arriving [32]byte) error {
	if err := s.EndAddressChange(ctx, c.UserID); err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Table("address_change").Create(map[string]any{
		"id": c.ID, "user_id": c.UserID, "email": c.Email, "leaving": leaving[:], "arriving": arriving[:],
		"created_at": c.CreatedAt, "expires_at": c.ExpiresAt,
	}).Error)
}

// EndAddressChange deletes the pending change of a user, if any.
func (s *Accounts) EndAddressChange(ctx context.Context, id ident.User) error {
	return classify(s.db.conn(ctx).Table("address_change").Where("user_id = ?", id).Delete(nil).Error)
}

// AddressChange returns the pending change of a user; NOT_FOUND if there is none.
func (s *Accounts) AddressChange(ctx context.Context, id ident.User, now time.Time) (user.AddressChange, error) {
	return oneAddress(s.db.conn(ctx).Table("address_change").Select(addressColumns).
		Where("user_id = ? AND expires_at > ?", id, now))
}

// AddressChangeByLink returns the pending change to which a link belongs, and locks it until the transaction ends.
// arrives reports whether it is the link that was sent to the new address. It returns NOT_FOUND if the link cannot be
// used.
func (s *Accounts) AddressChangeByLink(
	ctx context.Context, hash [32]byte, now time.Time,
) (c user.AddressChange, arrives bool, err error) {
	c, err = oneAddress(s.db.conn(ctx).Table("address_change").Select(addressColumns).
		Where("(leaving = ? OR arriving = ?) AND expires_at > ?", hash[:], hash[:], now).
		Clauses(clause.Locking{Strength: "UPDATE"}))
	if err != nil {
		return c, false, err
	}
	var found int64
	err = s.db.conn(ctx).Table("address_change").Where("id = ? AND arriving = ?", c.ID, hash[:]).Count(&found).Error
	return c, found > 0, classify(err)
}

func oneAddress(query *gorm.DB) (user.AddressChange, error) {
	var row addressRow
	err := query.Take(&row).Error
	return fromAddressRow(row), rowError(err, "change of an address")
}

// Confirm records the confirmations of a change.
func (s *Accounts) Confirm(ctx context.Context, c user.AddressChange) error {
	return classify(s.db.conn(ctx).Table("address_change").Where("id = ?", c.ID).Updates(map[string]any{
		"left_at": optional(c.LeftAt), "arrived_at": optional(c.ArrivedAt),
	}).Error)
}

// Prune deletes the links that have ended.
func (s *Accounts) Prune(ctx context.Context, now time.Time) error {
	for _, table := range []string{"password_reset", "address_change"} {
		if err := s.db.conn(ctx).Table(table).Where("expires_at < ?", now).Delete(nil).Error; err != nil {
			return classify(err)
		}
	}
	return nil
}

// SetEmail changes the email address of a user; false if another user has it.
func (s *Users) SetEmail(ctx context.Context, id ident.User, address email.Address) (bool, error) {
	result := s.db.conn(ctx).Table("app_user").Where("id = ?", id).
		Where(`NOT EXISTS (SELECT FROM app_user o WHERE lower(o.email COLLATE "C") = ? AND o.id <> app_user.id)`, address.Folded()).
		Update("email", address)
	return result.RowsAffected == 1, classify(result.Error)
}
