package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/ident"
)

type identityRow struct {
	Issuer     string
	Subject    string
	UserID     ident.User
	Email      string
	CreatedAt  time.Time
	LastUsedAt *time.Time
}

func fromIdentityRow(r identityRow) user.Identity {
	return user.Identity{
		Issuer: r.Issuer, Subject: r.Subject, UserID: r.UserID, Email: r.Email, CreatedAt: r.CreatedAt,
		LastUsedAt: value(r.LastUsedAt),
	}
}

// Link stores an account at the sign-in provider; false if the account belongs to a user, or the user has another one at
// this provider.
func (s *Users) Link(ctx context.Context, i user.Identity) (bool, error) {
	result := s.db.conn(ctx).Table("user_identity").Clauses(onConflict("ON CONFLICT DO NOTHING")).Create(&identityRow{
		Issuer: i.Issuer, Subject: i.Subject, UserID: i.UserID, Email: i.Email, CreatedAt: i.CreatedAt,
	})
	return result.RowsAffected == 1, classify(result.Error)
}

// Unlink removes the user's account at a provider; NOT_FOUND if there is none.
func (s *Users) Unlink(ctx context.Context, id ident.User, issuer string) error {
	result := s.db.conn(ctx).Table("user_identity").Where("user_id = ? AND issuer = ?", id, issuer).Delete(nil)
	return affected(result, "account at the sign-in provider")
}

// Identity returns the user's account at a provider; NOT_FOUND if there is none.
func (s *Users) Identity(ctx context.Context, id ident.User, issuer string) (user.Identity, error) {
	var row identityRow
	err := s.db.conn(ctx).Table("user_identity").Where("user_id = ? AND issuer = ?", id, issuer).Take(&row).Error
	return fromIdentityRow(row), rowError(err, "account at the sign-in provider")
}

// ByIdentity returns the user of an account at a provider, and records its use; NOT_FOUND if there is none.
func (s *Users) ByIdentity(ctx context.Context, issuer, subject string, now time.Time) (user.User, error) {
	u, err := oneUser(s.db.conn(ctx).Table("user_identity i").Select(prefixed("u", "", userColumns)).
		Joins("JOIN app_user u ON u.id = i.user_id").Where("i.issuer = ? AND i.subject = ?", issuer, subject))
	if err != nil {
		return user.User{}, err
	}
	err = s.db.conn(ctx).Table("user_identity").Where("issuer = ? AND subject = ?", issuer, subject).
		Update("last_used_at", now).Error
	return u, classify(err)
}
