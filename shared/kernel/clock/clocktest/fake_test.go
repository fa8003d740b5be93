package clocktest_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/clock/clocktest"
)

func TestFake(t *testing.T) {
	t.Parallel()

	start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.FixedZone("", 2*60*60))
	fake := clocktest.New(start)
	require.Equal(t, start.UTC(), fake.Now())
	require.Equal(t, time.UTC, fake.Now().Location())

	require.Equal(t, start.UTC().Add(time.Hour), fake.Advance(time.Hour))
	require.Equal(t, start.UTC().Add(time.Hour), fake.Now())

	fake.Advance(-2 * time.Hour)
	require.Equal(t, start.UTC().Add(-time.Hour), fake.Now())

	fake.Set(start)
	require.Equal(t, start.UTC(), fake.Now())
	require.Equal(t, time.UTC, fake.Now().Location())
}

func TestFakeIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()

	start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	fake := clocktest.New(start)

	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			fake.Advance(time.Second)
			_ = fake.Now()
		})
	}
	group.Wait()

	require.Equal(t, start.Add(50*time.Second), fake.Now())
}
