package lab

import (
	"context"
	"fmt"
	"time"
)

// pollEvery is how often a state is looked at while something is measured: a cheap question, and seldom enough not to
// weigh on what is measured.
const pollEvery = 100 * time.Millisecond

// Until polls until done or the limit has passed.
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

// Pause waits.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// OutboxEmpty waits until Temporal has been told everything.
func (l *Lab) OutboxEmpty(ctx context.Context, limit time.Duration) error {
	return Until(ctx, limit, "Temporal has been told everything", func(ctx context.Context) (bool, error) {
		n, err := l.Count(ctx, `SELECT count(*) FROM outbox`)
		return n == 0, err
	})
}

// Count asks the database for a number.
func (l *Lab) Count(ctx context.Context, query string, args ...any) (n int, err error) {
	err = l.SQL.QueryRow(ctx, query, args...).Scan(&n)
	return n, err
}

// Time asks the database for a time.
func (l *Lab) Time(ctx context.Context, query string, args ...any) (t time.Time, err error) {
	err = l.SQL.QueryRow(ctx, query, args...).Scan(&t)
	return t, err
}

// Each reads the rows of a query one by one.
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
