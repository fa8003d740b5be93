package postgres_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// fanOut handles all events.
func (b *bundle) fanOut(t *testing.T) {
	t.Helper()
	for {
		n, _, err := b.events.FanOut(t.Context(), 1000)
		require.NoError(t, err)
		if n == 0 {
			return
		}
	}
}

// admit gives free places to waiting deliveries and returns the inputs that the relay would start.
func (b *bundle) admit(t *testing.T) (started []flow.DeliveryInput) {
	t.Helper()
	n, err := b.deliveries.Admit(t.Context())
	require.NoError(t, err)
	for _, m := range b.messages(t) {
		if strings.HasSuffix(m.Kind, flow.KindDelivery) {
			started = append(started, inputOf[flow.DeliveryInput](t, m))
		}
	}
	require.Len(t, started, n)
	return started
}

// attempt records an attempt of an admitted delivery and returns its new state.
func (b *bundle) attempt(t *testing.T, in flow.DeliveryInput, v postgres.Verdict) webhook.Delivery {
	t.Helper()
	d, err := b.deliveries.Load(t.Context(), in)
	require.NoError(t, err)
	recorded, err := b.deliveries.Record(t.Context(), d,
		webhook.Attempt{Trigger: webhook.Automatic, StartedAt: b.now, StatusCode: 200}, v)
	require.NoError(t, err)
	require.Equal(t, d.Due, recorded)
	got, err := b.deliveries.Get(t.Context(), b.ws.ID, in.WebhookID, in.DeliveryID)
	require.NoError(t, err)
	return got
}

func succeeded() postgres.Verdict { return postgres.Verdict{State: webhook.Succeeded} }

func exhausted() postgres.Verdict { return postgres.Verdict{State: webhook.Exhausted} }

func failed(wait time.Duration) postgres.Verdict {
	return postgres.Verdict{State: webhook.Pending, Wait: wait}
}

func TestConcurrentAdmissionsRespectPlaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.endpoint(t, b.ws.ID, "*"), b.endpoint(t, b.ws.ID, "*")
	for range 30 {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	var relays sync.WaitGroup
	counts := make([]int, 8)
	for i := range counts {
		relays.Go(func() {
			for range 5 {
				n, err := b.deliveries.Admit(t.Context())
				counts[i] += n
				if err != nil {
					return
				}
			}
		})
	}
	relays.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	require.Equal(t, 2*webhook.MaxInFlight, total)
	perEndpoint := make(map[ident.Webhook]int)
	for _, m := range b.messages(t) {
		perEndpoint[inputOf[flow.DeliveryInput](t, m).WebhookID]++
	}
	require.Equal(t, map[ident.Webhook]int{first.ID: webhook.MaxInFlight, second.ID: webhook.MaxInFlight}, perEndpoint)
}

func TestQueueIsFIFO(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	const events = 3 * webhook.MaxInFlight
	var want, got []ident.Event
	for range events {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	log, err := b.events.List(t.Context(), b.ws.ID, postgres.EventFilter{Limit: 100})
	require.NoError(t, err)
	for _, entry := range log {
		want = append(want, entry.ID)
	}
	for len(got) < events {
		started := b.admit(t)
		require.Len(t, started, webhook.MaxInFlight)
		var round []ident.Event
		for _, in := range started {
			require.Equal(t, "delivery/"+in.DeliveryID.String(), in.ID())
			d := b.attempt(t, in, succeeded())
			require.Equal(t, webhook.Succeeded, d.State)
			round = append(round, d.EventID)
		}
		require.ElementsMatch(t, want[len(got):len(got)+webhook.MaxInFlight], round)
		got = append(got, round...)
	}
	require.Empty(t, b.admit(t))
	waiting, err := b.deliveries.Waiting(t.Context(), e.ID)
	require.NoError(t, err)
	require.Zero(t, waiting)
}

func TestFailingEndpointHasOnePlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.endpoint(t, b.ws.ID, "*")
	for range 20 {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	for _, in := range b.admit(t) {
		b.attempt(t, in, failed(time.Hour))
	}
	for range 2 {
		started := b.admit(t)
		require.Len(t, started, 1)
		b.attempt(t, started[0], failed(time.Hour))
	}
	b.attempt(t, b.admit(t)[0], succeeded())
	require.Len(t, b.admit(t), webhook.MaxInFlight)
}

// TestWaitingRedeliveryHoldsNoPlace requests a redelivery to a failing endpoint, which has one place.
func TestWaitingRedeliveryHoldsNoPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	first := b.admit(t)[0]
	b.attempt(t, first, failed(time.Hour))
	requested := b.redeliver(t, first)
	b.happens(t, b.ws.ID, event.PostPublished)
	b.fanOut(t)
	require.Empty(t, b.admit(t), "the place is reserved for the redelivery")
	postgrestest.Exec(t, b.address, `UPDATE redelivery SET heard_at = now() - interval '45 seconds'`)
	require.Empty(t, b.admit(t), "it may be between two of its turns")
	postgrestest.Exec(t, b.address, `UPDATE redelivery SET heard_at = now() - interval '61 seconds'`)
	next := b.admit(t)
	require.Len(t, next, 1)
	b.attempt(t, next[0], failed(time.Hour))
	b.happens(t, b.ws.ID, event.PostPublished)
	b.fanOut(t)
	require.NoError(t, b.deliveries.Heard(t.Context(), requested.RedeliveryID))
	require.Empty(t, b.admit(t), "Temporal is back")
	placed, err := b.deliveries.TakePlace(t.Context(), requested)
	require.NoError(t, err)
	require.True(t, placed)
}

func TestRetryWithoutPlaceIsRequeued(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	retried := b.admit(t)[0]
	b.attempt(t, retried, failed(0))
	b.happens(t, b.ws.ID, event.PostPublished)
	b.fanOut(t)
	other := b.admit(t)[0] // has the one place of the failing endpoint
	placed, err := b.deliveries.TakePlace(t.Context(), retried)
	require.NoError(t, err)
	require.False(t, placed)
	require.NoError(t, b.deliveries.Requeue(t.Context(), retried))
	require.Empty(t, b.admit(t))
	b.attempt(t, other, succeeded())
	again := b.admit(t)
	require.Len(t, again, 1)
	require.Equal(t, retried.DeliveryID, again[0].DeliveryID)
	require.Equal(t, 2, again[0].Run)
	require.Equal(t, "delivery/"+retried.DeliveryID.String()+"/2", again[0].ID())
	stale, err := b.deliveries.Load(t.Context(), retried)
	require.NoError(t, err)
	require.False(t, stale.Due, "the run that went into the line is over")
	d := b.attempt(t, again[0], succeeded())
	require.Equal(t, 2, d.Attempts)
}

func TestWorkersNeverSharePlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	var mu sync.Mutex
	var workers sync.WaitGroup
	taken := 0
	for range 16 {
		workers.Go(func() {
			ok, err := b.deliveries.TakePlace(t.Context(),
				flow.DeliveryInput{DeliveryID: ident.New[ident.Delivery](), WebhookID: e.ID})
			mu.Lock()
			defer mu.Unlock()
			if err == nil && ok {
				taken++
			}
		})
	}
	workers.Wait()
	require.LessOrEqual(t, taken, webhook.MaxInFlight)
	for { // places that were skipped because another transaction held them
		in := flow.DeliveryInput{DeliveryID: ident.New[ident.Delivery](), WebhookID: e.ID}
		ok, err := b.deliveries.TakePlace(t.Context(), in)
		require.NoError(t, err)
		if !ok {
			break
		}
		again, err := b.deliveries.TakePlace(t.Context(), in)
		require.NoError(t, err)
		require.True(t, again, "a holder keeps its place")
		taken++
	}
	require.Equal(t, webhook.MaxInFlight, taken)
}

func TestEventsOfDisabledEndpointAreSkipped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostCreated)
	b.fanOut(t)
	_, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{IsActive: new(false)})
	require.NoError(t, err)
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	require.Empty(t, b.admit(t))
	require.Equal(t, []webhook.State{webhook.Skipped, webhook.Cancelled}, b.states(t, e.ID))
}

// states returns the states of an endpoint's deliveries, newest first.
func (b *bundle) states(t *testing.T, id ident.Webhook) (states []webhook.State) {
	t.Helper()
	found, err := b.deliveries.List(t.Context(), b.ws.ID, id, postgres.DeliveryFilter{Limit: 1000})
	require.NoError(t, err)
	for _, d := range found {
		states = append(states, d.State)
	}
	return states
}

func TestDueMessagesPrecedeLaterPlans(t *testing.T) {
	t.Parallel()
	b := setup(t)
	later := b.scheduledAt(t, b.now.Add(time.Hour))
	b.endpoint(t, b.ws.ID, string(event.PostFailed))
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	_, err := b.deliveries.Admit(t.Context())
	require.NoError(t, err)
	due := b.scheduled(t)
	var order []string
	for _, lane := range []postgres.Lane{postgres.LaneUrgent, postgres.LaneFirst, postgres.LanePatient} {
		_, err := b.outbox.Batch(t.Context(), lane, 1, func(m []postgres.Message) ([]int64, map[int64]postgres.Retry) {
			if m[0].Kind == flow.KindDelivery {
				order = append(order, "delivery")
			} else {
				order = append(order, m[0].Subject)
			}
			return []int64{m[0].ID}, nil
		})
		require.NoError(t, err)
	}
	require.Equal(t, []string{due.ID.String(), "delivery", later.ID.String()}, order)
}

// TestClockSkewDelaysNoDelivery checks deliveries whose admission, place and lease were written while the
// database's clock was an hour ahead.
func TestClockSkewDelaysNoDelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.fanOut(t)
	b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	n, err := b.deliveries.Admit(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	for _, statement := range []string{
		`UPDATE delivery SET next_attempt_at = now() + interval '1 hour'`,
		`UPDATE outbox SET lane = 3, not_before = now() + interval '1 hour' WHERE kind = 'delivery'`,
		`UPDATE webhook_place SET held_until = now() + interval '1 hour'`,
	} {
		postgrestest.Exec(t, b.address, statement)
	}
	messages := b.messages(t)
	require.Len(t, messages, 1, "an express lane's lease")
	in := inputOf[flow.DeliveryInput](t, messages[0])
	d, err := b.deliveries.Load(t.Context(), in)
	require.NoError(t, err)
	require.True(t, d.Due)
	require.Zero(t, d.Early)
	require.Zero(t, d.Leased)

	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	require.Len(t, b.admit(t), 1, "the places are free")
	taken, err := b.deliveries.TakePlace(t.Context(), in)
	require.NoError(t, err)
	require.True(t, taken)
}
