package postgres

import (
	"context"
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

// Sweep hands up to limit keys whose time has come to remove, and forgets those that it removed. While it runs, nobody can
// take them. It returns how many were forgotten; an error of remove ends the sweep, and what was not removed stays.
func (s *Loose) Sweep(ctx context.Context, limit int, remove func(ctx context.Context, key string) error) (int, error) {
	removed := 0
	var failed error
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		var keys []string
		err := s.db.conn(ctx).Raw(`SELECT key FROM loose_object WHERE delete_after <= now() ORDER BY delete_after LIMIT ?
			FOR UPDATE SKIP LOCKED`, limit).Scan(&keys).Error
		if err != nil {
			return err
		}
		for _, key := range keys {
			if failed = remove(ctx, key); failed != nil {
				break
			}
			removed++
		}
		return s.db.conn(ctx).Exec(`DELETE FROM loose_object WHERE key = ANY(CAST(? AS text[]))`, textArray(keys[:removed])).Error
	})
	if err != nil {
		return 0, classify(err)
	}
	return removed, failed
}

// Forget takes the key away after its object was deleted. That it is not there is no error.
func (s *Loose) Forget(ctx context.Context, key string) error {
	return classify(s.db.conn(ctx).Exec(`DELETE FROM loose_object WHERE key = ?`, key).Error)
}
