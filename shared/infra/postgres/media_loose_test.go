package postgres_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

var errStoreDown = errors.New("no response")

// loose registers expired keys.
func (b *bundle) loose(t *testing.T, n int) []string {
	t.Helper()
	keys := make([]string, n)
	for i := range keys {
		keys[i] = media.NewKey()
		require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), keys[i], -time.Minute))
	}
	slices.Sort(keys)
	return keys
}

// removed collects the keys that a sweep removes.
type removed struct {
	mu   sync.Mutex
	keys []string
}

func (r *removed) remove(_ context.Context, key string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys = append(r.keys, key)
	return nil
}

func TestSweepTakesDueKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewLoose(b.db)
	due := b.loose(t, 5)
	require.NoError(t, store.Register(t.Context(), "media/later", time.Hour))
	require.NoError(t, store.Register(t.Context(), due[0], time.Hour), "another life")
	require.NoError(t, store.Remove(t.Context(), due[1]))
	require.NoError(t, store.Remove(t.Context(), due[1]), "a missing key is not an error")
	var r removed
	n, err := store.Sweep(t.Context(), 2, r.remove)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	n, err = store.Sweep(t.Context(), 2, r.remove)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.ElementsMatch(t, due[2:], r.keys)
	require.ElementsMatch(t, []string{due[0], "media/later"}, b.looseKeys(t))
}

func TestSweepKeepsUnremovedKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.loose(t, 5)
	var seen []string
	n, err := postgres.NewLoose(b.db).Sweep(t.Context(), 5, func(_ context.Context, key string) error {
		if len(seen) == 2 {
			return errStoreDown
		}
		seen = append(seen, key)
		return nil
	})
	require.ErrorIs(t, err, errStoreDown)
	require.Equal(t, 2, n)
	remaining := b.looseKeys(t)
	require.Len(t, remaining, 3)
	for _, key := range seen {
		require.NotContains(t, remaining, key)
	}
}

// TestFailingKeyIsPostponed checks that a key that cannot be removed is postponed.
func TestFailingKeyIsPostponed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	due := b.loose(t, 5)
	refuse := func(_ context.Context, key string) error {
		if key == due[1] {
			return errStoreDown
		}
		return nil
	}
	n, err := postgres.NewLoose(b.db).Sweep(t.Context(), 5, refuse)
	require.ErrorIs(t, err, errStoreDown)
	require.Equal(t, 4, n)
	require.Equal(t, []string{due[1]}, b.looseKeys(t))
	n, err = postgres.NewLoose(b.db).Sweep(t.Context(), 5, refuse)
	require.NoError(t, err, "its next time has not come")
	require.Zero(t, n)
}

// TestConcurrentSweepsTakeEachKeyOnce checks that concurrent sweeps skip each other's keys.
func TestConcurrentSweepsTakeEachKeyOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	due := b.loose(t, 60)
	var r removed
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for {
				if n, err := postgres.NewLoose(b.db).Sweep(t.Context(), 5, r.remove); err != nil || n == 0 {
					return
				}
			}
		})
	}
	group.Wait()
	slices.Sort(r.keys)
	require.Equal(t, due, r.keys)
	require.Empty(t, b.looseKeys(t))
}

// TestObjectIsEitherTakenOrSwept runs 20 commits that assign objects to assets against sweeps of the same objects.
func TestObjectIsEitherTakenOrSwept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewMedia(b.db)
	var assets []media.Asset
	for range 20 {
		a := b.arrived(t, b.newUpload(1))
		require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), a.Files.Original.Key, 0))
		assets = append(assets, a)
	}
	errs := make([]error, len(assets))
	var r removed
	var swept atomic.Int64
	var group sync.WaitGroup
	for i, a := range assets {
		group.Go(func() { errs[i] = store.Insert(t.Context(), a) })
		group.Go(func() {
			n, err := postgres.NewLoose(b.db).Sweep(t.Context(), 1, r.remove)
			if err == nil {
				swept.Add(int64(n))
			}
		})
	}
	group.Wait()
	for i, a := range assets {
		if errs[i] == nil {
			require.NotContains(t, r.keys, a.Files.Original.Key, "an asset has lost its file")
			continue
		}
		require.ErrorIs(t, errs[i], postgres.ErrStale)
		require.Contains(t, r.keys, a.Files.Original.Key)
	}
	require.EqualValues(t, len(r.keys), swept.Load())
	taken := postgrestest.Column(t, b.address, `SELECT object_key FROM media`)
	require.Len(t, slices.Concat(taken, r.keys), len(assets))
	require.Empty(t, b.looseKeys(t))
}

// TestObjectBeingSweptCannotBeTaken checks that the commit waits for the sweep and then finds no key.
func TestObjectBeingSweptCannotBeTaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.arrived(t, b.newUpload(1))
	require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), a.Files.Original.Key, 0))
	sweeping, remove, swept, taken := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := postgres.NewLoose(b.db).Sweep(t.Context(), 1, func(context.Context, string) error {
			close(sweeping)
			<-remove
			return nil
		})
		swept <- err
	}()
	<-sweeping
	require.Error(t, postgres.NewMedia(b.impatient(t, 50*time.Millisecond)).Insert(t.Context(), a), "it is held")
	go func() { taken <- postgres.NewMedia(b.db).Insert(t.Context(), a) }()
	close(remove)
	require.NoError(t, <-swept)
	require.ErrorIs(t, <-taken, postgres.ErrStale)
}

// TestObjectBeingTakenIsNotSwept checks that the sweep skips it.
func TestObjectBeingTakenIsNotSwept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.arrived(t, b.newUpload(1))
	require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), a.Files.Original.Key, 0))
	commit := hold(t, b.db, func(ctx context.Context) error { return postgres.NewMedia(b.db).Insert(ctx, a) })
	var r removed
	n, err := postgres.NewLoose(b.db).Sweep(t.Context(), 10, r.remove)
	require.NoError(t, err)
	require.Zero(t, n)
	commit()
	require.Empty(t, r.keys)
	require.Empty(t, b.looseKeys(t))
}
