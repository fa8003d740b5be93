package ratelimittest

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/clock"
)

// slow is a limit whose buckets regain nothing during a test.
var slow = ratelimit.Limit{PerMinute: 1, Burst: 10}

// Run checks the contract of ratelimit.Store. Each call of open returns a store without buckets, on the machine's
// clock.
func Run(t *testing.T, open func(t *testing.T) ratelimit.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, ratelimit.Store){
		"grants what the bucket holds":                testGrants,
		"keeps subjects apart":                        testSubjects,
		"regains by the limit":                        testRegains,
		"says what the bucket lacks":                  testLacking,
		"takes unused tokens back":                    testGiveBack,
		"is never more than full":                     testGiveBackTooMuch,
		"takes several subjects back at once":         testGiveBackSeveral,
		"adopts another limit":                        testOtherLimit,
		"grants each token once among many at once":   testConcurrentLeases,
		"loses and makes no token among many at once": testConcurrentGiveBacks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func lease(t *testing.T, store ratelimit.Store, subject string, limit ratelimit.Limit, want int) int {
	t.Helper()
	got, err := store.Lease(t.Context(), subject, limit, want)
	require.NoError(t, err)
	return got.Granted
}

func giveBack(t *testing.T, store ratelimit.Store, unused ...ratelimit.Unused) {
	t.Helper()
	require.NoError(t, store.GiveBack(t.Context(), unused))
}

func testGrants(t *testing.T, store ratelimit.Store) {
	t.Helper()
	for _, step := range []struct{ want, granted int }{{1, 1}, {4, 4}, {4, 4}, {4, 1}, {1, 0}, {10, 0}} {
		require.Equal(t, step.granted, lease(t, store, "a", slow, step.want))
	}
	require.Equal(t, 10, lease(t, store, "new, and all at once", slow, 10))
	require.Zero(t, lease(t, store, "new, and all at once", slow, 1))
}

func testSubjects(t *testing.T, store ratelimit.Store) {
	t.Helper()
	require.Equal(t, 10, lease(t, store, "a", slow, 10))
	require.Equal(t, 10, lease(t, store, "b", slow, 10))
	require.Zero(t, lease(t, store, "a", slow, 1))
}

func testRegains(t *testing.T, store ratelimit.Store) {
	t.Helper()
	limit := ratelimit.Limit{PerMinute: 6000, Burst: 10_000} // one per 10 ms
	start := clock.System().Now()
	require.Equal(t, limit.Burst, lease(t, store, "a", limit, limit.Burst))
	emptied := clock.System().Now()
	regained := 0
	for clock.System().Now().Sub(start) < 200*time.Millisecond {
		regained += lease(t, store, "a", limit, 3)
	}
	least := clock.System().Now().Sub(emptied)
	regained += lease(t, store, "a", limit, limit.Burst)
	most := clock.System().Now().Sub(start)
	require.LessOrEqual(t, regained, int(most/(10*time.Millisecond)))
	require.GreaterOrEqual(t, regained, int(least/(10*time.Millisecond))-1)
}

func testLacking(t *testing.T, store ratelimit.Store) {
	t.Helper()
	got, err := store.Lease(t.Context(), "a", slow, 3)
	require.NoError(t, err)
	require.Equal(t, ratelimit.Lease{Granted: 3, Lacking: 3 * ratelimit.TokenParts}, got)
	before := clock.System().Now()
	got, err = store.Lease(t.Context(), "a", slow, 7)
	require.NoError(t, err)
	require.Equal(t, 7, got.Granted)
	require.Zero(t, slow.Tokens(got.Lacking))
	rest, err := store.Lease(t.Context(), "a", slow, 1)
	require.NoError(t, err)
	require.Zero(t, rest.Granted)
	require.LessOrEqual(t, rest.Lacking, got.Lacking)
	require.GreaterOrEqual(t, rest.Lacking, slow.Regain(got.Lacking, clock.System().Now().Sub(before)))
}

func testGiveBack(t *testing.T, store ratelimit.Store) {
	t.Helper()
	require.Equal(t, 10, lease(t, store, "a", slow, 10))
	giveBack(t, store, ratelimit.Unused{Subject: "a", Tokens: 4})
	require.Equal(t, 4, lease(t, store, "a", slow, 10))
	require.Zero(t, lease(t, store, "a", slow, 1))
	giveBack(t, store)
	giveBack(t, store, ratelimit.Unused{Subject: "not known", Tokens: 4})
	require.Equal(t, 10, lease(t, store, "not known", slow, 10))
}

func testGiveBackTooMuch(t *testing.T, store ratelimit.Store) {
	t.Helper()
	require.Equal(t, 3, lease(t, store, "a", slow, 3))
	for range 3 {
		giveBack(t, store, ratelimit.Unused{Subject: "a", Tokens: 3})
	}
	require.Equal(t, 10, lease(t, store, "a", slow, 10))
	require.Zero(t, lease(t, store, "a", slow, 10))
	giveBack(t, store, ratelimit.Unused{Subject: "a", Tokens: 100})
	require.Equal(t, 10, lease(t, store, "a", slow, 10))
}

func testGiveBackSeveral(t *testing.T, store ratelimit.Store) {
	t.Helper()
	var unused []ratelimit.Unused
	for i := range 50 {
		subject := "subject " + strconv.Itoa(i)
		require.Equal(t, 10, lease(t, store, subject, slow, 10))
		unused = append(unused, ratelimit.Unused{Subject: subject, Tokens: i % 10})
	}
	giveBack(t, store, unused...)
	for _, u := range unused {
		require.Equal(t, u.Tokens, lease(t, store, u.Subject, slow, 10))
	}
}

func testOtherLimit(t *testing.T, store ratelimit.Store) {
	t.Helper()
	require.Equal(t, 5, lease(t, store, "a", slow, 5))
	more := ratelimit.Limit{PerMinute: 1, Burst: 1000}
	require.Equal(t, 995, lease(t, store, "a", more, 1000))
	less := ratelimit.Limit{PerMinute: 1, Burst: 2}
	got, err := store.Lease(t.Context(), "a", less, 2)
	require.NoError(t, err)
	require.Zero(t, got.Granted)
	require.LessOrEqual(t, got.Lacking, 2*ratelimit.TokenParts, "not emptier than empty")
}

func testConcurrentLeases(t *testing.T, store ratelimit.Store) {
	t.Helper()
	limit := ratelimit.Limit{PerMinute: 1, Burst: 500}
	var granted atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for want := range 50 {
				got, err := store.Lease(t.Context(), "a", limit, want%5+1)
				if err != nil {
					t.Error(err)
					return
				}
				granted.Add(int64(got.Granted))
			}
		})
	}
	group.Wait()
	require.Equal(t, int64(500), granted.Load())
}

// testConcurrentGiveBacks runs several processes that lease from two buckets and use only a part of the tokens.
func testConcurrentGiveBacks(t *testing.T, store ratelimit.Store) {
	t.Helper()
	limit := ratelimit.Limit{PerMinute: 1, Burst: 200}
	subjects := []string{"a", "b"}
	var used [2]atomic.Int64
	var group sync.WaitGroup
	for process := range 8 {
		group.Go(func() {
			for round := range 40 {
				unused := make([]ratelimit.Unused, 0, len(subjects))
				for i := range subjects {
					i = (i + process) % len(subjects)
					got, err := store.Lease(t.Context(), subjects[i], limit, 4)
					if err != nil {
						t.Error(err)
						return
					}
					spent := min(got.Granted, round%2)
					used[i].Add(int64(spent))
					unused = append(unused, ratelimit.Unused{Subject: subjects[i], Tokens: got.Granted - spent})
				}
				if err := store.GiveBack(t.Context(), unused); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	for i, subject := range subjects {
		require.Equal(t, int64(200), used[i].Load()+int64(lease(t, store, subject, limit, 200)))
	}
}
