package faults_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/ident"
)

// burst creates very many events in one workspace while another creates a few.
func burst(t *testing.T, events int, beside, drained time.Duration) {
	t.Helper()
	l := lab.Alone(t, lab.Fault{
		ID: "F46", Title: "A burst of events of one workspace",
		Expect: "I3 I12: events of other workspaces arrive as before; the burst waits in the database and " +
			"drains",
	})
	farm := lab.NewFarm(t)
	l.Run(2)
	loud, quiet := newTenant(t, l), newTenant(t, l)
	var names []string
	var endpoints []ident.Webhook
	for _, typ := range happening() {
		names = append(names, string(typ))
		endpoints = append(endpoints, loud.subscribes(t, farm.URL(string(typ)), typ).ID)
	}
	quiet.subscribes(t, farm.URL("quiet"))
	calm := arrives(t, farm, quiet.happenFor(t, 4*time.Second), time.Minute, "quiet")

	began := time.Now()
	all := loud.happen(t, events)
	l.Injected("%d events at once", events)
	var most queues
	watched := most.watch(t, l)
	busy := arrives(t, farm, quiet.happenFor(t, beside), time.Minute, "quiet")
	t.Logf("others' events arrive within (median, p99): %v, %v before; %v, %v during the burst",
		percentile(calm, 50), percentile(calm, 99), percentile(busy, 50), percentile(busy, 99))
	require.Less(t, percentile(busy, 99), 5*time.Second, "as with receivers that hang (F40)")

	require.EventuallyWithT(t, func(c *assert.CollectT) {
		remaining := len(all)
		for _, name := range names {
			remaining -= farm.Count(name)
		}
		require.LessOrEqual(c, remaining, 0, "events that did not arrive")
	}, drained, 200*time.Millisecond)
	arrives(t, farm, all, recovery, names...)
	watched()
	l.Healed()
	l.Settle(recovery)
	t.Logf("%d events were delivered after %v; at most %d in the outbox, %d in progress, %d queued", events,
		time.Since(began), most.outbox, most.underWay, most.inLine)
	for i, e := range endpoints {
		require.Equal(t, map[string]int{"SUCCEEDED": events / len(endpoints)}, states(t, l, e))
		require.LessOrEqual(t, farm.Most(names[i]), webhook.MaxInFlight)
	}
	require.LessOrEqual(t, most.underWay, webhook.MaxInFlight*(len(endpoints)+1), "what Temporal knows of")
	const delivered = 100 // messages that Temporal already has stay in the outbox until their batch is done
	require.LessOrEqual(t, most.outbox, delivered)
	require.Greater(t, most.inLine, events/10, "no delivery waited: the burst was too small")
	l.Check()
}

// queues holds the peaks of each queue in which deliveries wait.
type queues struct{ outbox, underWay, inLine int }

func (q *queues) look(t require.TestingT, l *lab.Lab) {
	q.outbox = max(q.outbox, count(t, l, `SELECT count(*) FROM outbox`))
	q.underWay = max(q.underWay, count(t, l, `SELECT count(*) FROM delivery WHERE state = 'PENDING' AND lane IS NULL`))
	q.inLine = max(q.inLine, count(t, l, `SELECT count(*) FROM delivery WHERE lane IS NOT NULL`))
}

// watch looks at the queues until the returned function is called.
func (q *queues) watch(t *testing.T, l *lab.Lab) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			q.look(new(assert.CollectT), l)
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
	return func() {
		close(done)
		group.Wait()
	}
}

func TestF46ABurstOfOneWorkspace(t *testing.T) { burst(t, 1_600, 6*time.Second, 4*time.Minute) }

func TestNightF46ABurstOfOneWorkspace(t *testing.T) { burst(t, 50_000, time.Minute, 40*time.Minute) }
