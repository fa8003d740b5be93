package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/ident"
)

type passkeyRow struct {
	ID           ident.Passkey
	UserID       ident.User
	CredentialID []byte
	Name         string
	Record       string
	CreatedAt    time.Time
	LastUsedAt   *time.Time
	ClonedAt     *time.Time
}

func fromPasskeyRow(r passkeyRow) user.Key {
	return user.Key{
		ID: r.ID, UserID: r.UserID, CredentialID: r.CredentialID, Name: r.Name, Record: []byte(r.Record),
		CreatedAt: r.CreatedAt, LastUsedAt: value(r.LastUsedAt), ClonedAt: value(r.ClonedAt),
	}
}

// InsertPasskey stores a new passkey; false if a user has one with its credential ID.
func (s *Factors) InsertPasskey(ctx context.Context, k user.Key) (bool, error) {
	inserted := false
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("user_passkey").Clauses(onConflict("ON CONFLICT (credential_id) DO NOTHING")).
			Create(&passkeyRow{
				ID: k.ID, UserID: k.UserID, CredentialID: k.CredentialID, Name: k.Name, Record: string(k.Record),
				CreatedAt: k.CreatedAt,
			})
		if inserted = result.RowsAffected == 1; result.Error != nil || !inserted {
			return result.Error
		}
		return s.refresh(ctx, k.UserID)
	})
	return inserted, classify(err)
}

// Passkeys returns the passkeys of a user, the oldest first.
func (s *Factors) Passkeys(ctx context.Context, id ident.User) ([]user.Key, error) {
	var rows []passkeyRow
	err := s.db.conn(ctx).Table("user_passkey").Where("user_id = ?", id).Order("id").Find(&rows).Error
	return each(rows, fromPasskeyRow), classify(err)
}

// Passkey returns a passkey of the user; NOT_FOUND if there is none.
func (s *Factors) Passkey(ctx context.Context, of ident.User, id ident.Passkey) (user.Key, error) {
	var row passkeyRow
	err := s.db.conn(ctx).Table("user_passkey").Where("user_id = ? AND id = ?", of, id).Take(&row).Error
	return fromPasskeyRow(row), rowError(err, "passkey")
}

// UsePasskey records a use of a passkey: its record with the new counter, and whether the counter went back.
func (s *Factors) UsePasskey(ctx context.Context, credentialID, record []byte, cloned bool, now time.Time) error {
	changes := map[string]any{"record": string(record), "last_used_at": now}
	if cloned {
		changes["cloned_at"] = gorm.Expr("COALESCE(cloned_at, ?)", now)
	}
	return classify(s.db.conn(ctx).Table("user_passkey").Where("credential_id = ?", credentialID).Updates(changes).Error)
}

// RemovePasskey removes a passkey of the user; NOT_FOUND if there is none.
func (s *Factors) RemovePasskey(ctx context.Context, of ident.User, id ident.Passkey) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("user_passkey").Where("user_id = ? AND id = ?", of, id).Delete(nil)
		if result.Error == nil && result.RowsAffected == 0 {
			return notFound("passkey")
		}
		return firstOf(classify(result.Error), s.refresh(ctx, of))
	})
}
