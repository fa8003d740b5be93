package faults_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/faults/lab"
	"socialpub.internal/services/e2e/faults/receivers"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/webhook"
)

// burst has one workspace make very many events while another makes a few.
func burst(t *testing.T, events int, beside, drained time.Duration) {
	t.Helper()
	l := lab.Begin(t, lab.Fault{
		ID: "F46", Title: "A burst of events of one workspace",
		Expect: "I3 I12: others' events arrive as before; the burst waits in the database, where Temporal and the outbox see little of it, and drains",
	})
	farm := receivers.New(t)
	l.Run(2)
	loud, quiet := newTenant(t, l), newTenant(t, l)
	var names []string
	var endpoints []ident.Webhook
	for _, typ := range happening() {
		names = append(names, string(typ))
		endpoints = append(endpoints, loud.subscribes(t, farm.URL(string(typ)), typ).ID)
	}
	quiet.subscribes(t, farm.URL("quiet"))
	calm := arrives(t, farm, quiet.happenFor(t, 3*time.Second, 50*time.Millisecond), time.Minute, "quiet")

	began := time.Now()
	all := loud.happen(t, events)
	l.Injected("%d events at once", events)
	outbox, underWay, waiting := watchQueues(t, l)
	busy := arrives(t, farm, quiet.happenFor(t, beside, 50*time.Millisecond), time.Minute, "quiet")
	t.Logf("others' events arrive within (median, p99): %v, %v before; %v, %v during the burst",
		percentile(calm, 50), percentile(calm, 99), percentile(busy, 50), percentile(busy, 99))
	require.Less(t, percentile(busy, 99), percentile(calm, 99)+2*time.Second)

	arrives(t, farm, all, drained, names...)
	l.Healed()
	l.Settle(recovery)
	t.Logf("%d events were gone after %v; at most %d in the outbox, %d under way, %d in line", events, time.Since(began), outbox(), underWay(), waiting())
	for i, e := range endpoints {
		require.Equal(t, map[string]int{"SUCCEEDED": events / len(endpoints)}, states(t, l, e))
		require.LessOrEqual(t, farm.Most(names[i]), webhook.MaxInFlight)
	}
	require.LessOrEqual(t, underWay(), webhook.MaxInFlight*(len(endpoints)+1), "what Temporal knows of")
	require.LessOrEqual(t, outbox(), webhook.MaxInFlight*(len(endpoints)+1))
	require.Greater(t, waiting(), events/10, "nothing ever waited: this was no burst")
	l.Check()
}

// watchQueues looks until the test ends at how long the queues become.
func watchQueues(t *testing.T, l *lab.Lab) (outbox, underWay, waiting func() int) {
	t.Helper()
	var mu sync.Mutex
	most := make([]int, 3)
	read := func(i int) func() int {
		return func() int {
			mu.Lock()
			defer mu.Unlock()
			return most[i]
		}
	}
	stop, done := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(stop); <-done })
	queries := []string{
		`SELECT count(*) FROM outbox`, `SELECT count(*) FROM delivery WHERE state = 'PENDING' AND lane IS NULL`,
		`SELECT count(*) FROM delivery WHERE lane IS NOT NULL`,
	}
	go func() {
		defer close(done)
		for {
			for i, query := range queries {
				n := count(watching{}, l, query)
				mu.Lock()
				most[i] = max(most[i], n)
				mu.Unlock()
			}
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	return read(0), read(1), read(2)
}

// watching ends the goroutine that cannot look any more, because the test is over or the database is down.
type watching struct{}

// Errorf says nothing.
func (watching) Errorf(string, ...any) {}

// FailNow ends the goroutine.
func (watching) FailNow() { runtime.Goexit() }

func TestF46ABurstOfOneWorkspace(t *testing.T) { burst(t, 5_000, 8*time.Second, 4*time.Minute) }

func TestNightF46ABurstOfOneWorkspace(t *testing.T) { burst(t, 50_000, time.Minute, 40*time.Minute) }
