package postgres

import (
	"context"

	"socialpub.internal/shared/infra/ratelimit"
)

var _ ratelimit.Store = (*RateLimits)(nil)

// RateLimits stores the token buckets that processes share, using the database's clock. The table is unlogged: after a
// crash of the database, every bucket is full.
//
// Its statements never join the caller's transaction, which would lock the bucket until it ends.
type RateLimits struct{ db *DB }

// NewRateLimits returns the store.
func NewRateLimits(db *DB) *RateLimits { return &RateLimits{db: db} }

// lease takes as many tokens as it can from a bucket. The clock is read after the row is locked, so that it is behind
// the row's time only if the clock was set back. The grant is stored because the statement can return only columns of
// the new row.
const lease = `
	INSERT INTO rate_bucket AS b (subject, lacking, at, granted)
	VALUES (@subject, CAST(@want AS bigint) * @token, clock_timestamp(), @want)
	ON CONFLICT (subject) DO UPDATE SET (lacking, at, granted) = (
		SELECT present.lacking + give.tokens * @token, clock.now, give.tokens
		FROM (SELECT clock_timestamp() AS now) AS clock,
		LATERAL (
			SELECT least(greatest(0, CAST(extract(epoch FROM clock.now - b.at) * 1000000 AS bigint)), CAST(@fill AS bigint)) AS micros
		) AS elapsed,
		LATERAL (SELECT greatest(0, least(b.lacking, CAST(@full AS bigint)) - elapsed.micros * @rate) AS lacking) AS present,
		LATERAL (SELECT least(@want, (CAST(@full AS bigint) - present.lacking) / @token) AS tokens) AS give
	)
	RETURNING granted, lacking`

// Lease implements ratelimit.Store in one statement. Leases of one bucket are serialized by its row.
func (s *RateLimits) Lease(ctx context.Context, subject string, limit ratelimit.Limit, want int) (ratelimit.Lease, error) {
	full := int64(limit.Burst) * ratelimit.TokenParts
	var row ratelimit.Lease
	err := s.db.gorm.WithContext(ctx).Raw(lease, map[string]any{
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
	return classify(s.db.gorm.WithContext(ctx).Exec(`
		WITH unused AS (
			SELECT * FROM jsonb_to_recordset(CAST(? AS jsonb)) AS x(subject text, parts bigint)
		), locked AS MATERIALIZED (
			SELECT b.subject FROM rate_bucket b WHERE b.subject IN (SELECT subject FROM unused) ORDER BY b.subject FOR UPDATE
		)
		UPDATE rate_bucket b SET lacking = greatest(0, b.lacking - u.parts)
		FROM unused u JOIN locked USING (subject) WHERE b.subject = u.subject`, param).Error)
}

// Prune deletes full buckets that were not used for ten minutes, because a new bucket is full too, and returns their
// number. The refill rate is known only to the limit; the slowest rate takes a minute per token.
func (s *RateLimits) Prune(ctx context.Context) (int, error) {
	result := s.db.gorm.WithContext(ctx).Exec(`DELETE FROM rate_bucket WHERE subject IN (
		SELECT subject FROM rate_bucket
		WHERE at < now() - interval '10 minutes' AND at < now() - lacking * interval '1 microsecond' FOR UPDATE SKIP LOCKED)`)
	return int(result.RowsAffected), classify(result.Error)
}
