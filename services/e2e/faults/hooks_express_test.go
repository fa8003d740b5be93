package faults_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/webhook"
)

// always lets the express lane make every first attempt.
const always = "DELIVERY_EXPRESS_AFTER=0"

// audience is a number of endpoints of the system's workspace.
type audience struct {
	farm  *lab.Farm
	hooks []hook
	own   tenant
}

func newAudience(t *testing.T, l *lab.Lab, endpoints int) audience {
	t.Helper()
	c := audience{farm: lab.NewFarm(t), own: tenant{l: l, id: l.Workspace}}
	for i := range endpoints {
		c.hooks = append(c.hooks, newHook(t, l, c.farm, lab.Name("endpoint", i)))
	}
	return c
}

// requireDelivered checks that every endpoint accepted each event, with a genuine signature, that each delivery has one
// recorded attempt, and that no more requests were repeated than the fault allows. It returns the number of requests.
func (c audience) requireDelivered(
	t *testing.T, l *lab.Lab, created map[string]time.Time, repeated int,
) (requests int) {
	t.Helper()
	for _, h := range c.hooks {
		arrived := make(map[string]bool)
		for _, g := range c.farm.Got(h.name) {
			if _, ours := created[g.ID]; ours {
				arrived[g.ID] = true
				requests++
				requireSigned(t, g, h.secret)
			}
		}
		require.Len(t, arrived, len(created), "%s got everything", h.name)
		require.LessOrEqual(t, c.farm.Most(h.name), webhook.MaxInFlight, h.name)
		require.Zero(t, count(t, l, `SELECT count(*) FROM delivery d WHERE webhook_id = CAST($1 AS uuid)
			AND (state <> 'SUCCEEDED' OR attempts <> 1 OR tries <> 1
				OR (SELECT count(*) FROM delivery_attempt a WHERE a.delivery_id = d.id) <> 1)`, h.id))
	}
	deliveries := len(c.hooks) * len(created)
	t.Logf("%d requests were made for %d deliveries", requests, deliveries)
	require.LessOrEqual(t, requests, deliveries+repeated, "repeated requests")
	require.Zero(t, count(t, l, `SELECT count(*) FROM webhook_place WHERE held_until > now()`), "every place was released")
	return requests
}

// expressDeaths kills workers at points of the express lane, each once.
func expressDeaths(t *testing.T, f lab.Fault, points ...string) {
	t.Helper()
	l := lab.Begin(t, f, always)
	l.Run(2)
	const endpoints, events = 5, 12
	c := newAudience(t, l, endpoints)
	var entries []string
	for _, p := range points {
		entries = append(entries, lab.Kills(p, 1)...)
	}
	l.Arm(entries...)
	created := c.own.happen(t, events)
	for _, p := range points {
		l.WaitFired(p, reached)
	}
	l.Settle(recovery)
	c.requireDelivered(t, l, created, len(points)*endpoints*webhook.MaxInFlight)
	l.Check()
}

func TestF56TheWorkerDiesAroundABatchOfTheExpressLane(t *testing.T) {
	expressDeaths(t, lab.Fault{
		ID: "F56", Title: "The worker dies after the express lane claimed a batch, and before it records one",
		Expect: "I3: after the leases, Temporal sends what was not recorded",
	}, "express.after_claim", "express.before_record")
}

func TestF56TheWorkerDiesAroundAnExpressAttempt(t *testing.T) {
	expressDeaths(t, lab.Fault{
		ID: "F56", Title: "The worker dies after the express lane sent a webhook, and after it recorded a batch",
		Expect: "I3: sent again with the same id, or not again; recorded once",
	}, "deliver.after_send", "deliver.after_record")
}

// TestF56BothWorkersAreKilledInMidBatch kills two workers while their express lanes have many requests in flight.
func TestF56BothWorkersAreKilledInMidBatch(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F56", Title: "Two workers are killed while their express lanes have requests in flight",
		Expect: "I3: only the requests in flight are sent again, after their leases, by workflows",
	}, always)
	l.Run(2)
	const endpoints, events = 10, 40
	c := newAudience(t, l, endpoints)
	c.farm.BehaveAll(lab.LateResponse(300 * time.Millisecond))
	created := c.own.happen(t, events)
	require.Eventually(t, func() bool { return c.farm.UnderWay() >= endpoints*webhook.MaxInFlight/2 }, reached,
		time.Millisecond)
	for _, w := range l.Workers {
		w.Kill()
	}
	l.Injected("two workers killed with up to %d requests in flight", endpoints*webhook.MaxInFlight)
	l.Settle(recovery)
	requests := c.requireDelivered(t, l, created, endpoints*webhook.MaxInFlight)
	require.Greater(t, requests, endpoints*events, "no request was in flight")
	l.Check()
}

// TestF56TheDatabaseRestartsInMidBatch restarts PostgreSQL while the express lanes have requests in flight. The lanes
// keep the results until the database is back.
func TestF56TheDatabaseRestartsInMidBatch(t *testing.T) {
	server := infra.StartPostgres(t, infra.PostgresOptions{})
	l := lab.Alone(t, lab.Fault{
		ID: "F56", Title: "PostgreSQL restarts while the express lanes of two workers have requests in flight",
		Expect: "I3: results are recorded later; what was not recorded is sent again",
	}, always)
	l.Run(2)
	const endpoints, events = 10, 60
	c := newAudience(t, l, endpoints)
	c.farm.BehaveAll(lab.LateResponse(200 * time.Millisecond))
	created := c.own.happen(t, events)
	for _, mode := range []infra.Mode{infra.Fast, infra.Kill} {
		require.Eventually(t, func() bool { return c.farm.UnderWay() >= endpoints }, reached, time.Millisecond)
		server.Down(mode)
		l.Injected("PostgreSQL stopped with requests in flight")
		<-time.After(time.Second) // duration of the outage
		server.Resume()
	}
	l.Healed()
	l.Settle(recovery)
	c.requireDelivered(t, l, created, 2*endpoints*webhook.MaxInFlight)
	l.Check()
}

// TestF56WebhooksFlowWhileTemporalIsDown kills Temporal. First attempts are made without it, retries wait for it.
func TestF56WebhooksFlowWhileTemporalIsDown(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID: "F56", Title: "Temporal is down while events happen",
		Expect: "I3: first attempts are made within seconds; retries wait until Temporal is back; each event arrives once",
	}, usual)
	l.Run(2)
	c := newAudience(t, l, 4)
	farm := lab.NewFarm(t)
	refusing := newHook(t, l, farm, "refuses")
	farm.BehaveAll(lab.Status(http.StatusServiceUnavailable))
	up := func() { harness.Infrastructure(t, "temporal/start") }
	t.Cleanup(up)
	harness.Infrastructure(t, "temporal/kill")
	l.Injected("Temporal killed")

	created := c.own.happenFor(t, 6*time.Second)
	name := c.hooks[0].name
	elapsed := arrives(t, c.farm, created, time.Minute, name)
	t.Logf("events arrived within %v (median), %v (p99)", percentile(elapsed, 50), percentile(elapsed, 99))
	require.Less(t, percentile(elapsed, 99), 5*time.Second)
	burst := c.own.happen(t, 100)
	for _, h := range c.hooks {
		arrives(t, c.farm, burst, time.Minute, h.name)
	}
	for id, at := range burst {
		created[id] = at
	}
	require.EventuallyWithT(t, func(a *assert.CollectT) { // one place, one after another
		require.Equal(a, len(created), farm.Count(refusing.name))
	}, time.Minute, 100*time.Millisecond)
	<-time.After(2 * time.Second) // retries are due
	require.Equal(t, len(created), farm.Count(refusing.name), "the lane makes first attempts only")

	farm.BehaveAll(lab.Accept())
	up()
	l.Healed()
	l.Settle(recovery)
	c.requireDelivered(t, l, created, 0)
	require.Zero(t, count(t, l, `SELECT count(*) FROM delivery WHERE webhook_id = CAST($1 AS uuid)
		AND (state <> 'SUCCEEDED' OR attempts <> 2)`, refusing.id))
	requireAlive(t, l)
	l.Check()
}
