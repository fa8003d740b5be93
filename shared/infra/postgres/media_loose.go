package postgres

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm/clause"
)

// Loose stores the keys of objects that do not belong to an asset, or not yet. A key is registered before its object is
// written and removed by the commit that assigns the object to an asset. The sweep deletes objects whose keys have
// expired, so that a crash leaves no unknown object behind.
type Loose struct{ db *DB }

// NewLoose returns the store.
func NewLoose(db *DB) *Loose { return &Loose{db: db} }

// Register records that an object exists or may soon exist under the key, and that it is to be deleted after the given
// time unless an asset takes it. Registering a key again sets the new time.
func (s *Loose) Register(ctx context.Context, key string, after time.Duration) error {
	return s.registerAll(ctx, []string{key}, after)
}

func (s *Loose) registerAll(ctx context.Context, keys []string, after time.Duration) error {
	rows := make([]map[string]any, len(keys))
	for i, key := range keys {
		rows[i] = map[string]any{"key": key, "delete_after": dbIn(after)}
	}
	return classify(s.db.conn(ctx).Table("loose_object").Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "key"}}, DoUpdates: clause.AssignmentColumns([]string{"delete_after"}),
	}).Create(rows).Error)
}

// take removes the key in the context's transaction. It returns ErrStale if the key is missing, because the object was
// deleted.
func (s *Loose) take(ctx context.Context, key string) error {
	result := s.db.conn(ctx).Table("loose_object").Where("key = ?", key).Delete(nil)
	if result.Error == nil && result.RowsAffected == 0 {
		return ErrStale
	}
	return classify(result.Error)
}

// Objects that cannot be deleted are retried later. A sweep stops early if the object store deletes nothing.
const (
	sweepAgain   = 10 * time.Minute
	sweepPatient = 3
)

// Sweep passes up to limit expired keys to remove and deletes the keys that remove succeeded for. The keys are locked
// while it runs. A key whose removal fails gets a new time, so that it does not block others; several failures in a row
// end the sweep. Sweep returns the number of deleted keys and the errors.
func (s *Loose) Sweep(ctx context.Context, limit int, remove func(ctx context.Context, key string) error) (int, error) {
	var removed, kept textArray
	var faults []error
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		var keys []string
		var free bool // no backup copies objects
		err := s.db.conn(ctx).Raw("SELECT pg_try_advisory_xact_lock_shared(?)", backupLock).Scan(&free).Error
		if err != nil || !free {
			return err
		}
		err = s.db.conn(ctx).Table("loose_object").Where("delete_after <= now()").Order("delete_after").Limit(limit).
			Clauses(locking("FOR UPDATE SKIP LOCKED")).Pluck("key", &keys).Error
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
	err := s.db.conn(ctx).Table("loose_object").Where("key = ANY(CAST(? AS text[]))", removed).Delete(nil).Error
	if err != nil || len(kept) == 0 {
		return err
	}
	return s.db.conn(ctx).Table("loose_object").Where("key = ANY(CAST(? AS text[]))", kept).
		Update("delete_after", dbIn(sweepAgain)).Error
}

// Remove deletes the key after its object was deleted. A missing key is not an error.
func (s *Loose) Remove(ctx context.Context, key string) error {
	return classify(s.db.conn(ctx).Table("loose_object").Where("key = ?", key).Delete(nil).Error)
}
