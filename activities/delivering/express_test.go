package delivering_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/delivering"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/ident"
)

// express returns a bundle whose deliveries are reserved for the express lane after the given wait, and the lane.
func express(t *testing.T, after time.Duration) (*bundle, *delivering.Express) {
	t.Helper()
	b := setupWith(t, &after)
	lane, err := delivering.NewExpress(b.Deliverer, after, 16, claims())
	require.NoError(t, err)
	b.reserve(t) // reports that a lane works
	return b, lane
}

// reserve reserves late deliveries, and returns their number.
func (b *bundle) reserve(t *testing.T) int {
	t.Helper()
	n, err := b.reserving.Reserve(t.Context())
	require.NoError(t, err)
	return n
}

// reserved creates events whose deliveries wait for the express lane.
func (b *bundle) reserved(t *testing.T, events int) {
	t.Helper()
	for range events {
		b.happens(t, ident.Webhook{})
	}
	_, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	require.Empty(t, b.take(t))
}

// claim leases deliveries without sending them, as a process that dies.
func (b *bundle) claim(t *testing.T, limit int) []postgres.Express {
	t.Helper()
	claimed, err := b.reserving.Claim(t.Context(), retry.Turn{Limit: limit, Share: limit})
	require.NoError(t, err)
	return claimed
}

// runs runs the lane until the condition holds.
func (b *bundle) runs(t *testing.T, lane *delivering.Express, until func() bool) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); lane.Run(ctx) }()
	require.Eventually(t, until, 20*time.Second, 5*time.Millisecond)
	end()
	<-ended
}

func (b *bundle) count(t *testing.T, query string) string {
	t.Helper()
	return postgrestest.Column(t, b.dsn, query)[0]
}

const (
	succeeded = `SELECT count(*) FROM delivery WHERE state = 'SUCCEEDED' AND attempts = 1 AND tries = 1
		AND completed_at IS NOT NULL`
	queued = `SELECT count(*) FROM outbox`
	held   = `SELECT count(*) FROM webhook_place WHERE held_until > now()`
)

// TestExpressLaneDelivers queues more deliveries than an endpoint has places. The lane sends each once, with the
// signature, the attempt log and the concurrency of other deliveries, and leaves nothing to Temporal.
func TestExpressLaneDelivers(t *testing.T) {
	t.Parallel()
	b, lane := express(t, 0)
	postgrestest.Exec(t, b.dsn, `UPDATE webhook SET is_failing = true, consecutive_failures = 3`)
	const deliveries = 3 * webhook.MaxInFlight
	for range deliveries {
		b.happens(t, ident.Webhook{})
	}
	b.runs(t, lane, func() bool {
		_, err := b.reserving.Admit(t.Context())
		require.NoError(t, err)
		lane.Wake()
		return b.count(t, succeeded) == "12"
	})
	require.Len(t, b.requests, deliveries)
	for i, r := range b.requests {
		require.NoError(t, webhook.Verify(r.Header.Get(webhook.HeaderSignature), b.bodies[i], secret, time.Now()))
	}
	require.Equal(t, []string{"12"}, postgrestest.Column(t, b.dsn,
		`SELECT count(*) FROM delivery_attempt WHERE n = 1 AND trigger = 'AUTOMATIC' AND status_code = 200`))
	require.Equal(t, "0", b.count(t, queued))
	require.Equal(t, "0", b.count(t, held))
	b.requireCounts(t, deliveries, map[string]float64{"settled": deliveries})
	require.Equal(t, map[string]float64{"success": deliveries}, b.values(t, "webhook_attempts_total"))
	require.Positive(t, b.pokes.Load(), "attempts free places")
	require.Zero(t, b.reload(t).ConsecutiveFailures)
	require.Equal(t, "0", b.count(t, `SELECT count(*) FROM webhook WHERE is_failing`))
}

// TestExpressLaneMakesFirstAttemptOnly checks that the lane makes the first attempt only, and that an endpoint that is
// gone is disabled by it.
func TestExpressLaneMakesFirstAttemptOnly(t *testing.T) {
	t.Parallel()
	for code, workflow := range map[int]bool{http.StatusInternalServerError: true, http.StatusGone: false} {
		attempt, lease := "status_4xx", "settled"
		if workflow {
			attempt, lease = "status_5xx", "handed_over"
		}
		b, lane := express(t, 0)
		b.response = status(code)
		b.reserved(t, 1)
		b.runs(t, lane, func() bool {
			return b.count(t, `SELECT count(*) FROM delivery_attempt`) == "1" &&
				b.count(t, `SELECT count(*) FROM outbox WHERE lane <> 0`) == "0"
		})
		b.requireCounts(t, 1, map[string]float64{lease: 1})
		require.Equal(t, map[string]float64{attempt: 1}, b.values(t, "webhook_attempts_total"))
		require.EqualValues(t, 1, b.pokes.Load(), "an attempt frees a place")
		require.Zero(t, b.reserve(t), "the lane makes no retries, even if Temporal is down")
		require.Equal(t, !workflow, !b.reload(t).IsActive)
		started := b.take(t)
		if !workflow {
			require.Empty(t, started)
			continue
		}
		require.Len(t, started, 1)
		out, err := b.Attempt(t.Context(), started[0])
		require.NoError(t, err)
		require.Greater(t, out.Wait, 5*time.Second, "the retry of the first attempt")
		require.Len(t, b.requests, 1)
	}
}

// TestExpiredLeaseGoesToTemporal claims a delivery as a process that dies. Temporal gets it after the lease. If it
// is down, another lane does, later.
func TestExpiredLeaseGoesToTemporal(t *testing.T) {
	t.Parallel()
	b, _ := express(t, time.Second)
	postgrestest.Exec(t, b.dsn, `UPDATE express_lane SET busy_until = now() + interval '1 minute'`)
	b.reserved(t, 1)
	require.Len(t, b.claim(t, 10), 1)
	require.Empty(t, b.claim(t, 10), "another process does not send it")
	require.Empty(t, b.take(t), "neither does Temporal")
	postgrestest.Exec(t, b.dsn, `UPDATE outbox SET not_before = now() - interval '2 seconds'`)
	require.Zero(t, b.reserve(t), "Temporal has the first turn")
	postgrestest.Exec(t, b.dsn, `UPDATE outbox SET not_before = now() - interval '4 seconds'`)
	require.Equal(t, 1, b.reserve(t))
	require.Len(t, b.claim(t, 10), 1)
	postgrestest.Exec(t, b.dsn, `UPDATE outbox SET not_before = now()`)
	require.Len(t, b.take(t), 1)
}

// TestTemporalDeliversWithoutExpressLane covers deliveries while no worker runs: reserved before, and admitted then.
func TestTemporalDeliversWithoutExpressLane(t *testing.T) {
	t.Parallel()
	b, _ := express(t, 0)
	b.reserved(t, 1)
	postgrestest.Exec(t, b.dsn, `UPDATE express_lane SET seen_at = now() - interval '3500 milliseconds'`)
	require.Len(t, b.take(t), 1)
	b.happens(t, ident.Webhook{})
	_, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	require.Len(t, b.take(t), 1)
}

// TestOnlyLateDeliveriesAreReserved checks that a delivery that Temporal can still take in time is left to it, and is
// reserved when Temporal does not take it. For some time, the lane then takes younger deliveries, too.
func TestOnlyLateDeliveriesAreReserved(t *testing.T) {
	t.Parallel()
	b, _ := express(t, time.Hour)
	b.happens(t, ident.Webhook{})
	_, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	require.Zero(t, b.reserve(t))
	postgrestest.Exec(t, b.dsn, `UPDATE outbox SET created_at = now() - interval '1 hour'`)
	n, err := b.lines.Reserve(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "without the setting nothing is reserved")
	b.happens(t, ident.Webhook{})
	_, err = b.lines.Admit(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, b.reserve(t), "the late one, and a young one that Temporal would not take in time either")
	b.reserved(t, 1) // checks that Temporal gets nothing
	require.Len(t, b.claim(t, 10), 3)

	postgrestest.Exec(t, b.dsn, `UPDATE express_lane SET busy_until = now()`)
	b.happens(t, ident.Webhook{})
	_, err = b.reserving.Admit(t.Context())
	require.NoError(t, err)
	require.Len(t, b.take(t), 1, "then Temporal gets deliveries again")
}

// TestLateQueueIsReserved checks that a delivery that waited for a place for too long is reserved at once, and that a
// retry in the line is left to Temporal.
func TestLateQueueIsReserved(t *testing.T) {
	t.Parallel()
	b, _ := express(t, time.Hour)
	for range 2 {
		b.happens(t, ident.Webhook{})
	}
	postgrestest.Exec(t, b.dsn, `UPDATE delivery SET created_at = now() - interval '1 hour'`)
	postgrestest.Exec(t, b.dsn, `UPDATE delivery SET tries = 1, attempts = 1
		WHERE id = (SELECT max(id::text)::uuid FROM delivery)`)
	_, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	require.Len(t, b.take(t), 1)
	claimed := b.claim(t, 10)
	require.Len(t, claimed, 1)
	require.Zero(t, claimed[0].Delivery.Tries)
}

// TestBurstIsReserved admits more deliveries at once than Temporal takes in time. The lane takes the others at once,
// and then also those that Temporal has not taken yet.
func TestBurstIsReserved(t *testing.T) {
	t.Parallel()
	b, _ := express(t, time.Second)
	b.neighbour(t, 20, nil)
	admitted, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	require.Equal(t, 80, admitted)
	require.Equal(t, "50", b.count(t, `SELECT count(*) FROM outbox WHERE lane = 0`))
	require.Len(t, b.claim(t, 100), 30)
	require.Equal(t, 50, b.reserve(t))
	b.reserved(t, 1)
	require.Len(t, b.claim(t, 100), 51)
}

// TestBurstOfStartedWorkflowsIsReserved admits a burst in parts whose workflows Temporal starts at once but cannot run.
// Deliveries that have waited for longer than the setting, as those of receivers that hang, do not count.
func TestBurstOfStartedWorkflowsIsReserved(t *testing.T) {
	t.Parallel()
	b, _ := express(t, time.Minute)
	admit := func(endpoints int) []string {
		b.neighbour(t, endpoints, nil)
		require.Zero(t, b.reserve(t)) // the lane still works
		_, err := b.reserving.Admit(t.Context())
		require.NoError(t, err)
		lanes := postgrestest.Column(t, b.dsn, `SELECT lane || ': ' || count(*) FROM outbox GROUP BY lane ORDER BY lane`)
		postgrestest.Exec(t, b.dsn, `DELETE FROM outbox WHERE lane = 0`) // as a relay that started the workflows
		return lanes
	}
	for range 37 {
		require.Equal(t, []string{"0: 80"}, admit(20))
	}
	require.Equal(t, []string{"0: 40"}, admit(10), "3,000 within the minute")
	postgrestest.Exec(t, b.dsn, `UPDATE delivery SET next_attempt_at = now() - interval '61 seconds'
		WHERE id IN (SELECT id FROM delivery WHERE next_attempt_at IS NOT NULL LIMIT 40)`)
	require.Equal(t, []string{"0: 40"}, admit(10))
	require.Equal(t, []string{"2: 4"}, admit(1))
}

// TestWorkflowWaitsForLane starts the workflow of a delivery that the lane is sending, as a relay does whose call
// to Temporal had no response.
func TestWorkflowWaitsForLane(t *testing.T) {
	t.Parallel()
	b, _ := express(t, 0)
	b.reserved(t, 1)
	claimed := b.claim(t, 1)
	require.Len(t, claimed, 1)
	in := claimed[0].Input()
	out, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, 2*time.Second, out.Wait)
	require.False(t, out.Done)
	require.Empty(t, b.requests)

	recorded, remaining, err := b.reserving.RecordDelivered(t.Context(), []postgres.Delivered{{
		Express: claimed[0], Attempt: webhook.Attempt{Trigger: webhook.Automatic, StartedAt: time.Now(), StatusCode: 204},
	}})
	require.NoError(t, err)
	require.Len(t, recorded, 1)
	require.Empty(t, remaining)
	out, err = b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Empty(t, b.requests)

	b.reserved(t, 1)
	in = b.claim(t, 1)[0].Input()
	postgrestest.Exec(t, b.dsn, `UPDATE outbox SET not_before = now()`)
	out, err = b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done, "after the lease the workflow sends")
	require.Len(t, b.requests, 1)
}

// TestTwoLanesSendEachDeliveryOnce runs two lanes, as two workers do.
func TestTwoLanesSendEachDeliveryOnce(t *testing.T) {
	t.Parallel()
	b, lane := express(t, 0)
	other, err := delivering.NewExpress(b.Deliverer, 0, 16, claims())
	require.NoError(t, err)
	for range 5 {
		b.neighbour(t, 2, nil)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); other.Run(ctx) }()
	b.runs(t, lane, func() bool {
		_, err := b.reserving.Admit(t.Context())
		require.NoError(t, err)
		return b.count(t, `SELECT count(*) FROM delivery WHERE state = 'PENDING'`) == "0"
	})
	end()
	<-ended
	require.Equal(t, "100", b.count(t, succeeded))
	require.Len(t, b.requests, 100)
	require.Equal(t, "0", b.count(t, queued))
	require.Equal(t, "0", b.count(t, held))
}

// neighbour creates a workspace with endpoints and ten events for each. Its requests go to a receiver of its own, or to
// that of the bundle.
func (b *bundle) neighbour(t *testing.T, endpoints int, receive http.HandlerFunc) ident.Workspace {
	t.Helper()
	now := time.Now().UTC()
	ws := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Neighbour", Plan: workspace.Free, Timezone: "UTC", CreatedAt: now,
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), ws))
	url := b.endpoint.URL
	if receive != nil {
		server := httptest.NewServer(receive)
		t.Cleanup(server.Close)
		url = server.URL
	}
	for range endpoints {
		require.NoError(t, b.webhooks.Insert(t.Context(), webhook.Endpoint{
			ID: ident.New[ident.Webhook](), WorkspaceID: ws.ID, URL: url, Events: []string{"*"}, IsActive: true,
			CreatedAt: now.Add(-time.Minute), UpdatedAt: now,
		}, secret))
	}
	for range 10 {
		e, err := event.New(ws.ID, event.PostPublished, now, event.PostData{Status: "PUBLISHED"})
		require.NoError(t, err)
		require.NoError(t, b.events.Insert(t.Context(), e, ident.Webhook{}))
	}
	_, _, err := b.events.FanOut(t.Context(), 100)
	require.NoError(t, err)
	return ws.ID
}

// TestClaimsTakeTurnsBetweenWorkspaces reserves many deliveries of one workspace before a few of others. Each claim has
// an equal share for all, and claims of one delivery take turns.
func TestClaimsTakeTurnsBetweenWorkspaces(t *testing.T) {
	t.Parallel()
	b, _ := express(t, 0)
	loud := b.neighbour(t, 10, nil)
	_, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	quiet := []ident.Workspace{b.neighbour(t, 1, nil), b.neighbour(t, 1, nil)}
	_, err = b.reserving.Admit(t.Context())
	require.NoError(t, err)
	of := func(claimed []postgres.Express) map[ident.Workspace]int {
		each := make(map[ident.Workspace]int)
		for _, x := range claimed {
			each[x.Delivery.WorkspaceID]++
		}
		return each
	}
	require.Equal(t, map[ident.Workspace]int{loud: 2, quiet[0]: 2, quiet[1]: 2}, of(b.claim(t, 6)))
	var single []postgres.Express
	for range 6 {
		single = append(single, b.claim(t, 1)...)
	}
	require.Equal(t, map[ident.Workspace]int{loud: 2, quiet[0]: 2, quiet[1]: 2}, of(single))
	shared, err := b.reserving.Claim(t.Context(), retry.Turn{Limit: 100, Share: 5})
	require.NoError(t, err)
	require.Equal(t, map[ident.Workspace]int{loud: 5}, of(shared))
	none, err := b.reserving.Claim(t.Context(), retry.Turn{Limit: 100, Share: 5, Full: []ident.Workspace{loud}})
	require.NoError(t, err)
	require.Empty(t, none)
}

// TestHangingReceiversLeavePlaces makes one workspace's receivers hang, which wait for more requests than the lane has
// places. Deliveries of another workspace arrive meanwhile.
func TestHangingReceiversLeavePlaces(t *testing.T) {
	t.Parallel()
	b, lane := express(t, 0)
	release := make(chan struct{})
	var hanging atomic.Int32
	b.neighbour(t, 10, func(http.ResponseWriter, *http.Request) {
		hanging.Add(1)
		<-release
	})
	quiet := b.neighbour(t, 1, nil)
	arrived := `SELECT count(*) FROM delivery WHERE state = 'SUCCEEDED' AND workspace_id = '` + quiet.String() + `'`
	b.runs(t, lane, func() bool {
		_, err := b.reserving.Admit(t.Context())
		require.NoError(t, err)
		if b.count(t, arrived) != "10" || hanging.Load() == 0 {
			return false
		}
		close(release)
		return true
	})
	require.LessOrEqual(t, hanging.Load(), int32(4), "a quarter of the places")
}

// TestUnsendableDeliveryDoesNotAffectBatch breaks the secret of one endpoint. The other deliveries of its batch are sent, and
// after some tries the lane leaves it to Temporal.
func TestUnsendableDeliveryDoesNotAffectBatch(t *testing.T) {
	t.Parallel()
	b, lane := express(t, 0)
	b.reserved(t, 3)
	broken := b.neighbour(t, 1, nil)
	postgrestest.Exec(t, b.dsn, `UPDATE webhook SET secret = 'x' WHERE workspace_id = $1`, broken.String())
	postgrestest.Exec(t, b.dsn, `DELETE FROM delivery WHERE workspace_id = $1 AND id <> (SELECT min(id::text)::uuid
		FROM delivery WHERE workspace_id = $1)`, broken.String())
	_, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	b.runs(t, lane, func() bool {
		return b.count(t, succeeded) == "3" && b.count(t, `SELECT count(*) FROM outbox WHERE lane = 0 AND tries = 3`) == "1"
	})
	require.Zero(t, b.reserve(t))
	require.Len(t, b.take(t), 1)
	require.Len(t, b.requests, 3)
	b.requireCounts(t, 6, map[string]float64{"settled": 3, "handed_over": 3})
}

// requireCounts checks the metrics of the lane.
func (b *bundle) requireCounts(t *testing.T, claimed float64, outcomes map[string]float64) {
	t.Helper()
	require.Equal(t, map[string]float64{"": claimed}, b.values(t, "webhook_express_age_seconds"))
	require.Equal(t, outcomes, b.values(t, "webhook_express_total"))
}

// values returns the positive values of a metric by outcome; those of a histogram are its numbers of samples.
func (b *bundle) values(t *testing.T, name string) map[string]float64 {
	t.Helper()
	families, err := b.registry.Gather()
	require.NoError(t, err)
	found := make(map[string]float64)
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			outcome := ""
			for _, label := range m.GetLabel() {
				outcome = label.GetValue()
			}
			if n := m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount()); n > 0 {
				found[outcome] = n
			}
		}
	}
	return found
}

// TestShutdownFinishesAttempts cancels the lane during a request. The request ends, and is recorded, which takes time.
func TestShutdownFinishesAttempts(t *testing.T) {
	t.Parallel()
	b, lane := express(t, 0)
	b.interferes(t, `INSERT ON delivery_attempt FOR EACH ROW`, `PERFORM pg_sleep(1); RETURN NEW;`)
	sending, release := make(chan struct{}), make(chan struct{})
	b.response = func(http.ResponseWriter, *http.Request) { close(sending); <-release }
	b.reserved(t, 1)
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); lane.Run(ctx) }()
	<-sending
	end()
	time.AfterFunc(100*time.Millisecond, func() { close(release) })
	<-ended
	require.Equal(t, "1", b.count(t, succeeded))
	require.Equal(t, "0", b.count(t, queued))
}

// TestDeliveryWithoutPlaceReturnsToQueue takes the places of the endpoint after the admission.
func TestDeliveryWithoutPlaceReturnsToQueue(t *testing.T) {
	t.Parallel()
	b, lane := express(t, 0)
	b.reserved(t, 1)
	postgrestest.Exec(t, b.dsn, `UPDATE webhook_place SET held_by = uuid_v7(), held_until = now() + interval '1 minute'`)
	b.runs(t, lane, func() bool { return b.count(t, queued) == "0" })
	require.Equal(t, "1", b.count(t, `SELECT count(*) FROM delivery WHERE lane IS NOT NULL`))
	require.Empty(t, b.requests)
	postgrestest.Exec(t, b.dsn, `UPDATE webhook_place SET held_by = NULL, held_until = '-infinity'`)
	b.reserved(t, 0)
	another, err := delivering.NewExpress(b.Deliverer, 0, 1, claims())
	require.NoError(t, err)
	b.runs(t, another, func() bool { return b.count(t, succeeded) == "1" })
	require.Len(t, b.requests, 1)
}

// TestEndpointDisabledDuringAttempt disables the endpoint between claim and attempt, and during the attempt.
func TestEndpointDisabledDuringAttempt(t *testing.T) {
	t.Parallel()
	t.Run("before its attempt", func(t *testing.T) {
		t.Parallel()
		b, lane := express(t, 0)
		b.reserved(t, 1)
		postgrestest.Exec(t, b.dsn, `UPDATE webhook SET is_active = false`)
		b.runs(t, lane, func() bool { return b.count(t, queued) == "0" })
		require.Empty(t, b.requests)
		require.Equal(t, "1", b.count(t, `SELECT count(*) FROM delivery WHERE state = 'CANCELLED'`))
		b.requireCounts(t, 1, map[string]float64{"settled": 1})
		require.Equal(t, "0", b.count(t, held))
	})
	t.Run("during its attempt", func(t *testing.T) {
		t.Parallel()
		b, lane := express(t, 0)
		b.response = func(http.ResponseWriter, *http.Request) { b.activate(t, false) } //nolint:contextcheck // the test's own context
		b.reserved(t, 1)
		b.runs(t, lane, func() bool { return b.count(t, queued) == "0" })
		require.Equal(t, "1", b.count(t, `SELECT count(*) FROM delivery WHERE state = 'SUCCEEDED' AND attempts = 1`),
			"a success always counts")
		require.Equal(t, "1", b.count(t, `SELECT count(*) FROM delivery_attempt`))
	})
}

// take takes the deliveries that the relay would start now.
func (b *bundle) take(t *testing.T) (started []flow.DeliveryInput) {
	t.Helper()
	for _, lane := range []postgres.Lane{postgres.LaneFirst, postgres.LaneDeliveries} {
		_, err := b.outbox.Batch(t.Context(), lane, 100,
			func(messages []postgres.Message) (done []int64, failed map[int64]postgres.Retry) {
				for _, m := range messages {
					started, done = append(started, inputOf[flow.DeliveryInput](t, m)), append(done, m.ID)
				}
				return done, nil
			})
		require.NoError(t, err)
	}
	return started
}
