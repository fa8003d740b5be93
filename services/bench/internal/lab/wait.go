package lab

import (
	"context"
	"fmt"
	"time"
)

// pollEvery is the interval between polls during a measurement. The polls are cheap, and rare enough not to affect the
// measurement.
const pollEvery = 100 * time.Millisecond

// Until polls until done returns true or the limit has passed.
func Until(ctx context.Context, limit time.Duration, what string, done func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		ok, err := done(ctx)
		if err != nil {
			return fmt.Errorf("waiting until %s: %w", what, err)
		}
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w", what, ctx.Err())
		case <-ticker.C:
		}
	}
}

// Pause waits for the duration or until the context ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// OutboxEmpty waits until the relay has delivered all outbox messages to Temporal.
func (l *Lab) OutboxEmpty(ctx context.Context, limit time.Duration) error {
	return Until(ctx, limit, "the outbox is empty", func(ctx context.Context) (bool, error) {
		n, err := l.Count(ctx, `SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT 1) o`)
		return n == 0, err
	})
}

// Count returns the number that a query returns.
func (l *Lab) Count(ctx context.Context, query string, args ...any) (n int, err error) {
	err = l.SQL.QueryRow(ctx, query, args...).Scan(&n)
	return n, err
}

// Time returns the time that a query returns.
func (l *Lab) Time(ctx context.Context, query string, args ...any) (t time.Time, err error) {
	err = l.SQL.QueryRow(ctx, query, args...).Scan(&t)
	return t, err
}

// Each calls read for each row of a query.
func (l *Lab) Each(ctx context.Context, query string, args []any, read func(scan func(...any) error) error) error {
	rows, err := l.SQL.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
