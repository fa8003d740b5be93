package postgres

import (
	"context"
	"errors"
	"time"
)

// Loose keeps the keys of objects that no asset has, or has yet. A key is registered before its object is written, and taken
// out by the commit that gives the object to an asset. What is still there when its time has come is deleted, so that no
// crash leaves an object behind that nobody knows of.
type Loose struct{ db *DB }

// NewLoose makes the store.
func NewLoose(db *DB) *Loose { return &Loose{db: db} }

// Register says that an object is, or may soon be, under the key, and is to be deleted after the time unless it is taken. A
// key that is registered already gets the new time.
func (s *Loose) Register(ctx context.Context, key string, after time.Duration) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO loose_object (key, delete_after) VALUES (?, now() + CAST(? AS float8) * interval '1 second')
		ON CONFLICT (key) DO UPDATE SET delete_after = excluded.delete_after`, key, after.Seconds()).Error)
}

// take removes the key for the transaction of the context. ErrStale when it is not there: the object was deleted.
func (s *Loose) take(ctx context.Context, key string) error {
	result := s.db.conn(ctx).Exec(`DELETE FROM loose_object WHERE key = ?`, key)
	if result.Error == nil && result.RowsAffected == 0 {
		return ErrStale
	}
	return classify(result.Error)
}

// What cannot be removed is left for later; a store that removes nothing is not asked for long.
const (
	sweepAgain   = 10 * time.Minute
	sweepPatient = 3
)

// Sweep hands up to limit keys whose time has come to remove, and forgets those that it removed. While it runs, nobody can
// take them. A key that cannot be removed gets another time, so that it keeps none behind it; several in a row end the sweep.
// It returns how many were forgotten, and what went wrong.
func (s *Loose) Sweep(ctx context.Context, limit int, remove func(ctx context.Context, key string) error) (int, error) {
	var removed, kept textArray
	var faults []error
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		var keys []string
		err := s.db.conn(ctx).Raw(`SELECT key FROM loose_object WHERE delete_after <= now() ORDER BY delete_after LIMIT ?
			FOR UPDATE SKIP LOCKED`, limit).Scan(&keys).Error
		if err != nil {
			return err
		}
		inARow := 0
		for _, key := range keys {
			if err := remove(ctx, key); err != nil {
				kept, faults = append(kept, key), append(faults, err)
				if inARow++; inARow == sweepPatient {
					break
				}
				continue
			}
			removed, inARow = append(removed, key), 0
		}
		return s.settle(ctx, removed, kept)
	})
	if err != nil {
		return 0, classify(err)
	}
	return len(removed), errors.Join(faults...)
}

func (s *Loose) settle(ctx context.Context, removed, kept textArray) error {
	err := s.db.conn(ctx).Exec(`DELETE FROM loose_object WHERE key = ANY(CAST(? AS text[]))`, removed).Error
	if err != nil || len(kept) == 0 {
		return err
	}
	return s.db.conn(ctx).Exec(`UPDATE loose_object SET delete_after = now() + CAST(? AS float8) * interval '1 second'
		WHERE key = ANY(CAST(? AS text[]))`, sweepAgain.Seconds(), kept).Error
}

// Forget takes the key away after its object was deleted. That it is not there is no error.
func (s *Loose) Forget(ctx context.Context, key string) error {
	return classify(s.db.conn(ctx).Exec(`DELETE FROM loose_object WHERE key = ?`, key).Error)
}
