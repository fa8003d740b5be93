package delivering_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/activities/delivering"
	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/flow/deliveryflow"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/infra/postgres/postgrestest"
	"socialpub.internal/shared/kernel/ident"
)

// express returns a bundle whose deliveries are reserved for the express lane after the given wait, and the lane.
func express(t *testing.T, after time.Duration) (*bundle, *delivering.Express) {
	t.Helper()
	b := setupWith(t, &after)
	lane, err := delivering.NewExpress(b.Deliverer, 8)
	require.NoError(t, err)
	return b, lane
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

// TestTheExpressLaneDelivers queues more deliveries than an endpoint has places. The lane sends each once, with the
// signature, the attempt log and the concurrency of other deliveries, and leaves nothing to Temporal.
func TestTheExpressLaneDelivers(t *testing.T) {
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
		lane.Poke()
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
	require.Zero(t, b.reload(t).ConsecutiveFailures)
	require.Equal(t, "0", b.count(t, `SELECT count(*) FROM webhook WHERE is_failing`))
}

// TestARefusedDeliveryGetsItsWorkflow checks that the lane makes the first attempt only, and that an endpoint that is
// gone is disabled by it.
func TestARefusedDeliveryGetsItsWorkflow(t *testing.T) {
	t.Parallel()
	for code, workflow := range map[int]bool{http.StatusInternalServerError: true, http.StatusGone: false} {
		b, lane := express(t, 0)
		b.answer = status(code)
		b.happens(t, ident.Webhook{})
		_, err := b.reserving.Admit(t.Context())
		require.NoError(t, err)
		b.runs(t, lane, func() bool {
			return b.count(t, `SELECT count(*) FROM delivery_attempt`) == "1" &&
				b.count(t, `SELECT count(*) FROM outbox WHERE lane <> 0`) == "0"
		})
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

// TestALeaseThatEndedGoesToTemporal claims a delivery as a process that dies: Temporal gets it after the lease.
func TestALeaseThatEndedGoesToTemporal(t *testing.T) {
	t.Parallel()
	b, _ := express(t, 0)
	b.happens(t, ident.Webhook{})
	_, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	claimed, err := b.reserving.Claim(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, claimed, 1)
	again, err := b.reserving.Claim(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, again, "another process does not send it")
	require.Empty(t, b.take(t), "neither does Temporal")
	postgrestest.Exec(t, b.dsn, `UPDATE outbox SET not_before = now()`)
	require.Len(t, b.take(t), 1)
}

// TestWithoutAnExpressLaneTemporalDelivers covers reserved deliveries while no worker runs.
func TestWithoutAnExpressLaneTemporalDelivers(t *testing.T) {
	t.Parallel()
	b, _ := express(t, 0)
	b.happens(t, ident.Webhook{})
	_, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	require.Empty(t, b.take(t))
	require.Eventually(t, func() bool { return len(b.take(t)) == 1 }, 10*time.Second, 100*time.Millisecond)
}

// TestOnlyLateDeliveriesAreReserved checks that a delivery that Temporal can still take in time is left to it, and is
// reserved when Temporal does not take it.
func TestOnlyLateDeliveriesAreReserved(t *testing.T) {
	t.Parallel()
	b, _ := express(t, time.Hour)
	b.happens(t, ident.Webhook{})
	_, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	n, err := b.reserving.Reserve(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	postgrestest.Exec(t, b.dsn, `UPDATE outbox SET created_at = now() - interval '1 hour'`)
	n, err = b.lines.Reserve(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "without the setting nothing is reserved")
	n, err = b.reserving.Reserve(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Empty(t, b.take(t))
}

// TestADeliveryThatEndedMeanwhile disables the endpoint between claim and attempt, and during the attempt.
func TestADeliveryThatEndedMeanwhile(t *testing.T) {
	t.Parallel()
	t.Run("before its attempt", func(t *testing.T) {
		t.Parallel()
		b, lane := express(t, 0)
		b.happens(t, ident.Webhook{})
		_, err := b.reserving.Admit(t.Context())
		require.NoError(t, err)
		postgrestest.Exec(t, b.dsn, `UPDATE webhook SET is_active = false`)
		b.runs(t, lane, func() bool { return b.count(t, `SELECT count(*) FROM outbox WHERE lane = 0`) == "1" })
		require.Empty(t, b.requests)
		out, err := b.Attempt(t.Context(), b.take(t)[0])
		require.NoError(t, err)
		require.True(t, out.Done)
		require.Equal(t, "1", b.count(t, `SELECT count(*) FROM delivery WHERE state = 'CANCELLED'`))
	})
	t.Run("during its attempt", func(t *testing.T) {
		t.Parallel()
		b, lane := express(t, 0)
		b.answer = func(http.ResponseWriter, *http.Request) { b.activate(t, false) } //nolint:contextcheck // the test's own context
		b.happens(t, ident.Webhook{})
		_, err := b.reserving.Admit(t.Context())
		require.NoError(t, err)
		b.runs(t, lane, func() bool { return b.count(t, queued) == "0" })
		require.Equal(t, "1", b.count(t, `SELECT count(*) FROM delivery WHERE state = 'SUCCEEDED' AND attempts = 1`),
			"a success always counts")
		require.Equal(t, "1", b.count(t, `SELECT count(*) FROM delivery_attempt`))
	})
}

// take takes the deliveries that the relay would start now.
func (b *bundle) take(t *testing.T) (started []deliveryflow.Input) {
	t.Helper()
	_, err := b.outbox.Batch(t.Context(), postgres.LaneUrgent, 100,
		func(messages []postgres.Message) (done []int64, failed map[int64]postgres.Retry) {
			for _, m := range messages {
				started, done = append(started, *m.Delivery), append(done, m.ID)
			}
			return done, nil
		})
	require.NoError(t, err)
	return started
}
