package postgres

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// Factors stores the second factors of users: authenticator apps, recovery codes and passkeys.
type Factors struct {
	db  *DB
	box *secretbox.Keyring
}

// NewFactors returns the store.
func NewFactors(db *DB, box *secretbox.Keyring) *Factors { return &Factors{db: db, box: box} }

func totpAAD(id ident.User) secretbox.AAD {
	return secretbox.AAD{Kind: "user_totp", Workspace: "installation", Record: id.String(), Field: "secret"}
}

type totpRow struct {
	UserID      ident.User
	Secret      []byte
	CreatedAt   time.Time
	ConfirmedAt *time.Time
	LastStep    int64
	Failures    int
}

// SetTOTP stores an authenticator app that is not confirmed yet. It replaces one that is not confirmed, and reports
// false if the user has a confirmed one.
func (s *Factors) SetTOTP(ctx context.Context, t user.TOTP) (bool, error) {
	sealed, err := s.box.Seal([]byte(t.Secret), totpAAD(t.UserID))
	if err != nil {
		return false, fmt.Errorf("seal secret: %w", err)
	}
	result := s.db.conn(ctx).Table("user_totp").Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "user_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"secret", "created_at", "last_step", "failures"}),
		Where:     clause.Where{Exprs: []clause.Expression{gorm.Expr("user_totp.confirmed_at IS NULL")}},
	}).Create(&totpRow{UserID: t.UserID, Secret: sealed, CreatedAt: t.CreatedAt})
	return result.RowsAffected == 1, classify(result.Error)
}

// TOTP returns the authenticator app of a user; NOT_FOUND if there is none.
func (s *Factors) TOTP(ctx context.Context, id ident.User) (user.TOTP, error) {
	var row totpRow
	err := s.db.conn(ctx).Table("user_totp").Where("user_id = ?", id).Take(&row).Error
	if err != nil {
		return user.TOTP{}, rowError(err, "authenticator app")
	}
	secret, err := s.box.Open(row.Secret, totpAAD(id))
	if err != nil {
		return user.TOTP{}, fmt.Errorf("open secret: %w", err)
	}
	return user.TOTP{
		UserID: id, Secret: string(secret), CreatedAt: row.CreatedAt, ConfirmedAt: value(row.ConfirmedAt),
		LastStep: row.LastStep, Failures: row.Failures,
	}, nil
}

// UseStep records the time step of an accepted code and reports whether the code may be used. Of concurrent calls with
// one step, one succeeds.
func (s *Factors) UseStep(ctx context.Context, id ident.User, step int64) (bool, error) {
	result := s.db.conn(ctx).Table("user_totp").
		Where("user_id = ? AND last_step < ? AND failures < ?", id, step, user.MaxCodeFailures).
		Updates(map[string]any{"last_step": step, "failures": 0})
	return result.RowsAffected == 1, classify(result.Error)
}

// CountFailure counts a wrong code.
func (s *Factors) CountFailure(ctx context.Context, id ident.User) error {
	return classify(s.db.conn(ctx).Table("user_totp").Where("user_id = ?", id).
		Update("failures", gorm.Expr("failures + 1")).Error)
}

// ConfirmTOTP turns an authenticator app on; false if there is none that waits for it.
func (s *Factors) ConfirmTOTP(ctx context.Context, id ident.User, now time.Time) (bool, error) {
	confirmed := false
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("user_totp").Where("user_id = ? AND confirmed_at IS NULL", id).
			Update("confirmed_at", now)
		if confirmed = result.RowsAffected == 1; result.Error != nil || !confirmed {
			return result.Error
		}
		return s.refresh(ctx, id)
	})
	return confirmed, classify(err)
}

// RemoveTOTP removes the authenticator app; NOT_FOUND if there is none.
func (s *Factors) RemoveTOTP(ctx context.Context, id ident.User) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("user_totp").Where("user_id = ?", id).Delete(nil)
		if result.Error == nil && result.RowsAffected == 0 {
			return notFound("authenticator app")
		}
		return firstOf(classify(result.Error), s.refresh(ctx, id))
	})
}

// refresh writes whether the user has a second factor. Without one, recovery codes are deleted.
func (s *Factors) refresh(ctx context.Context, id ident.User) error {
	has := gorm.Expr(`EXISTS (SELECT FROM user_totp t WHERE t.user_id = app_user.id AND t.confirmed_at IS NOT NULL)
		OR EXISTS (SELECT FROM user_passkey p WHERE p.user_id = app_user.id)`)
	err := s.db.conn(ctx).Table("app_user").Where("id = ?", id).Update("second_factor", has).Error
	if err == nil {
		err = s.db.conn(ctx).Table("user_recovery_code").
			Where("user_id = ? AND EXISTS (SELECT FROM app_user u WHERE u.id = user_id AND NOT u.second_factor)", id).
			Delete(nil).Error
	}
	return classify(err)
}

// Reset removes every second factor of a user; false if there was none.
func (s *Factors) Reset(ctx context.Context, id ident.User) (bool, error) {
	removed := false
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		for _, table := range []string{"user_totp", "user_passkey", "user_recovery_code"} {
			result := s.db.conn(ctx).Table(table).Where("user_id = ?", id).Delete(nil)
			if result.Error != nil {
				return result.Error
			}
			removed = removed || result.RowsAffected > 0
		}
		return s.refresh(ctx, id)
	})
	return removed, classify(err)
}

// SetRecoveryCodes replaces the recovery codes of a user.
func (s *Factors) SetRecoveryCodes(ctx context.Context, id ident.User, hashes [][32]byte) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		rows := make([]map[string]any, len(hashes))
		for i, hash := range hashes {
			rows[i] = map[string]any{"user_id": id, "hash": hash[:]}
		}
		err := s.db.conn(ctx).Table("user_recovery_code").Where("user_id = ?", id).Delete(nil).Error
		if err == nil {
			err = s.db.conn(ctx).Table("user_recovery_code").Create(rows).Error
		}
		return classify(err)
	})
}

// UseRecoveryCode uses a recovery code up and unlocks the authenticator app. It reports false for a code that is
// unknown or used. Of concurrent calls with one code, one succeeds.
func (s *Factors) UseRecoveryCode(ctx context.Context, id ident.User, hash [32]byte, now time.Time) (bool, error) {
	used := false
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("user_recovery_code").Where("user_id = ? AND hash = ? AND used_at IS NULL", id, hash[:]).
			Update("used_at", now)
		if used = result.RowsAffected == 1; result.Error != nil || !used {
			return result.Error
		}
		return s.db.conn(ctx).Table("user_totp").Where("user_id = ?", id).Update("failures", 0).Error
	})
	return used, classify(err)
}

// RecoveryCodes returns the number of unused recovery codes.
func (s *Factors) RecoveryCodes(ctx context.Context, id ident.User) (int, error) {
	var count int64
	err := s.db.conn(ctx).Table("user_recovery_code").Where("user_id = ? AND used_at IS NULL", id).Count(&count).Error
	return int(count), classify(err)
}
