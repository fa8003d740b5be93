package postgres

import (
	"context"

	"fencepost.internal/shared/infra/ratelimit"
)

var _ ratelimit.Store = (*RateLimits)(nil)

// RateLimits stores the token buckets that processes share, using the database's clock. The table is unlogged: after a
// crash of the database, every bucket is full.
//
// Its statements never join the caller's transaction, which would lock the bucket until it ends.
type RateLimits struct{ db *DB }

// NewRateLimits returns the store.
func NewRateLimits(db *DB) *RateLimits { return &RateLimits{db: db} }

// Lease implements ratelimit.Store in one statement. Leases of one bucket are serialized by its row.
func (s *RateLimits) Lease(
	ctx context.Context, subject string, limit ratelimit.Limit, want int,
) (ratelimit.Lease, error) {
	full := int64(limit.Burst) * ratelimit.TokenParts
	var row ratelimit.Lease
	err := s.db.gorm.WithContext(ctx).Raw(leaseTokens, map[string]any{
		"subject": subject, "want": want, "rate": limit.PerMinute, "token": ratelimit.TokenParts,
		"full": full, "fill": limit.UntilFull(full).Microseconds(),
	}).Scan(&row).Error
	return row, classify(err)
}

// unusedRow is a subject and the token parts to return to its bucket.
type unusedRow struct {
	Subject string `json:"subject"`
	Parts   int64  `json:"parts"`
}

// GiveBack implements ratelimit.Store in one statement. It locks the rows in a fixed order, so that two calls do not
// deadlock.
func (s *RateLimits) GiveBack(ctx context.Context, unused []ratelimit.Unused) error {
	if len(unused) == 0 {
		return nil
	}
	rows := make([]unusedRow, len(unused))
	for i, u := range unused {
		rows[i] = unusedRow{Subject: u.Subject, Parts: int64(u.Tokens) * ratelimit.TokenParts}
	}
	param, err := jsonParam(rows)
	if err != nil {
		return err
	}
	return classify(s.db.gorm.WithContext(ctx).Exec(giveBackTokens, map[string]any{"unused": param}).Error)
}

// Prune deletes full buckets that were not used for ten minutes, because a new bucket is full too, and returns their
// number. The refill rate is known only to the limit; the slowest rate takes a minute per token.
func (s *RateLimits) Prune(ctx context.Context) (int, error) {
	full := s.db.gorm.WithContext(ctx).Table("rate_bucket").Select("subject").
		Where("at < now() - interval '10 minutes' AND at < now() - lacking * interval '1 microsecond'").
		Clauses(locking("FOR UPDATE SKIP LOCKED"))
	result := s.db.gorm.WithContext(ctx).Table("rate_bucket").Where("subject IN (?)", full).Delete(nil)
	return int(result.RowsAffected), classify(result.Error)
}
