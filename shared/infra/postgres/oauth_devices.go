package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/kernel/ident"
)

type deviceRow struct {
	Hash            []byte
	UserHash        []byte
	ClientID        string
	Scopes          textArray
	Resource        string
	Place           string
	CreatedAt       time.Time
	ExpiresAt       time.Time
	IntervalSeconds int
	PolledAt        *time.Time
	DecidedAt       *time.Time
	RedeemedAt      *time.Time
	GrantID         *ident.Grant
}

func fromDeviceRow(r deviceRow) oauth.Device {
	return oauth.Device{
		ClientID: r.ClientID, Scopes: fromArray[credential.Scope](r.Scopes), Resource: r.Resource, Place: r.Place,
		CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt, Interval: time.Duration(r.IntervalSeconds) * time.Second,
		PolledAt: value(r.PolledAt), DecidedAt: value(r.DecidedAt), RedeemedAt: value(r.RedeemedAt), Grant: value(r.GrantID),
	}
}

// InsertDevice stores a device's request, by the hashes of its two codes.
func (s *Grants) InsertDevice(ctx context.Context, hash, userHash [32]byte, d oauth.Device) error {
	return classify(s.db.conn(ctx).Table("oauth_device").Create(&deviceRow{
		Hash: hash[:], UserHash: userHash[:], ClientID: d.ClientID, Scopes: toArray(d.Scopes), Resource: d.Resource, Place: d.Place,
		CreatedAt: d.CreatedAt, ExpiresAt: d.ExpiresAt, IntervalSeconds: int(d.Interval.Seconds()),
	}).Error)
}

// undecided selects the request of a device that a person can decide, by the code that the person types.
func (s *Grants) undecided(ctx context.Context, userHash [32]byte, now time.Time) *gorm.DB {
	return s.db.conn(ctx).Table("oauth_device").Where("user_hash = ? AND decided_at IS NULL AND expires_at > ?", userHash[:], now)
}

// Device returns the request of a device; NOT_FOUND if it is decided, has expired, or does not exist.
func (s *Grants) Device(ctx context.Context, userHash [32]byte, now time.Time) (oauth.Device, error) {
	var row deviceRow
	err := s.undecided(ctx, userHash, now).Take(&row).Error
	return fromDeviceRow(row), rowError(err, "device")
}

// AllowDevice stores the grant of a device's request; NOT_FOUND if the request can no longer be decided.
func (s *Grants) AllowDevice(ctx context.Context, userHash [32]byte, g oauth.Grant) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.insertGrant(ctx, g); err != nil {
			return err
		}
		return affected(s.undecided(ctx, userHash, g.CreatedAt).Updates(map[string]any{
			"decided_at": g.CreatedAt, "grant_id": g.ID,
		}), "device")
	})
}

// DenyDevice denies a device's request; NOT_FOUND if the request can no longer be decided.
func (s *Grants) DenyDevice(ctx context.Context, userHash [32]byte, now time.Time) error {
	return affected(s.undecided(ctx, userHash, now).Update("decided_at", now), "device")
}

// LockDevice returns the request of a device by the code of the device, locked for the transaction of a poll. NOT_FOUND:
// the code is unknown.
func (s *Grants) LockDevice(ctx context.Context, hash [32]byte) (oauth.Device, error) {
	var row deviceRow
	err := s.db.conn(ctx).Table("oauth_device").Where("hash = ?", hash[:]).Clauses(locking("FOR UPDATE")).Take(&row).Error
	return fromDeviceRow(row), rowError(err, "device")
}

// Polled records a poll and the interval until the next one.
func (s *Grants) Polled(ctx context.Context, hash [32]byte, interval time.Duration, now time.Time) error {
	return classify(s.db.conn(ctx).Table("oauth_device").Where("hash = ?", hash[:]).Updates(map[string]any{
		"polled_at": now, "interval_seconds": int(interval.Seconds()),
	}).Error)
}

// RedeemDevice records that the device gets its tokens, and returns the grant.
func (s *Grants) RedeemDevice(ctx context.Context, hash [32]byte, id ident.Grant, now time.Time) (oauth.Grant, error) {
	err := s.db.conn(ctx).Table("oauth_device").Where("hash = ?", hash[:]).Update("redeemed_at", now).Error
	if err != nil {
		return oauth.Grant{}, classify(err)
	}
	return s.grant(ctx, id)
}

// grant returns a grant by its ID.
func (s *Grants) grant(ctx context.Context, id ident.Grant) (oauth.Grant, error) {
	var row grantRow
	err := s.db.conn(ctx).Table("oauth_grant").Select(grantColumns).Where("id = ?", id).Take(&row).Error
	return fromGrantRow(row), rowError(err, "grant")
}
