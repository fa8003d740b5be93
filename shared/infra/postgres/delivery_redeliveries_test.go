package postgres_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// redeliver requests another attempt and returns the input that the relay would start.
func (b *bundle) redeliver(t *testing.T, in flow.DeliveryInput) flow.DeliveryInput {
	t.Helper()
	_, err := b.deliveries.Redeliver(t.Context(), b.ws.ID, in.WebhookID, in.DeliveryID)
	require.NoError(t, err)
	messages := b.messages(t)
	require.Len(t, messages, 1)
	requested := inputOf[flow.DeliveryInput](t, messages[0])
	require.Equal(t, "redelivery/"+requested.RedeliveryID.String(), requested.ID())
	require.Equal(t, in.DeliveryID, requested.DeliveryID)
	return requested
}

func TestRedeliveryAddsOneAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	in := b.admit(t)[0]
	require.Equal(t, webhook.Exhausted, b.attempt(t, in, exhausted()).State)
	first, second := b.redeliver(t, in), b.redeliver(t, in)
	failedAgain := b.attempt(t, first, exhausted())
	require.Equal(t, webhook.Exhausted, failedAgain.State)
	require.Equal(t, 2, failedAgain.Attempts)
	require.Equal(t, 2, b.attempt(t, first, succeeded()).Attempts, "it is made once")
	got := b.attempt(t, second, succeeded())
	require.Equal(t, webhook.Succeeded, got.State)
	require.Equal(t, 3, got.Attempts)
	attempts, err := b.deliveries.Attempts(t.Context(), in.DeliveryID, math.MaxInt32)
	require.NoError(t, err)
	require.Len(t, attempts, 3)
	require.Equal(t, []int{1, 2, 3}, []int{attempts[0].N, attempts[1].N, attempts[2].N})
	read, err := b.deliveries.Attempts(t.Context(), in.DeliveryID, failedAgain.Attempts)
	require.NoError(t, err)
	require.Equal(t, attempts[:2], read, "what came after the delivery was read is left out")
	endpoint, err := b.webhooks.Get(t.Context(), b.ws.ID, e.ID)
	require.NoError(t, err)
	require.Zero(t, endpoint.ConsecutiveFailures, "a success sets it to zero")
}

func TestFailedRedeliveryDoesNotAffectRetries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	in := b.admit(t)[0]
	b.attempt(t, in, failed(time.Hour))
	requested := b.redeliver(t, in)
	require.Equal(t, webhook.Pending, b.attempt(t, requested, exhausted()).State)
	d, err := b.deliveries.Load(t.Context(), in)
	require.NoError(t, err)
	require.True(t, d.Due)
	require.Equal(t, 1, d.Delivery.Tries, "the schedule of retries goes on where it was")
	b.attempt(t, b.redeliver(t, in), succeeded())
	d, err = b.deliveries.Load(t.Context(), in)
	require.NoError(t, err)
	require.False(t, d.Due, "the retry that was to come has nothing left to do")
}

func TestRedeliveryOfUnknownDelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e, other := b.endpoint(t, b.ws.ID, "*"), b.endpoint(t, b.ws.ID, "post.deleted")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	in := b.admit(t)[0]
	for _, requested := range []struct {
		workspace ident.Workspace
		endpoint  ident.Webhook
		id        ident.Delivery
	}{
		{ident.New[ident.Workspace](), e.ID, in.DeliveryID},
		{b.ws.ID, other.ID, in.DeliveryID},
		{b.ws.ID, e.ID, ident.New[ident.Delivery]()},
	} {
		_, err := b.deliveries.Redeliver(t.Context(), requested.workspace, requested.endpoint, requested.id)
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
		_, err = b.deliveries.Get(t.Context(), requested.workspace, requested.endpoint, requested.id)
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	}
	none, err := b.deliveries.List(t.Context(), b.tenant(t).ID, e.ID, postgres.DeliveryFilter{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, none)
	require.Empty(t, b.messages(t))
	theirs := b.running(t, e.ID)
	_, err = b.deliveries.Replay(t.Context(), b.tenant(t).ID, e.ID, theirs.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	theirs.ID, theirs.WorkspaceID = ident.New[ident.Replay](), b.tenant(t).ID
	require.True(t, apperr.Is(b.deliveries.StartReplay(t.Context(), theirs), apperr.NotFound))
	_, err = b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{IsActive: new(false)})
	require.NoError(t, err)
	_, err = b.deliveries.Redeliver(t.Context(), b.ws.ID, e.ID, in.DeliveryID)
	require.True(t, apperr.Is(err, apperr.InvalidState))
	require.Empty(t, b.messages(t))
}

// replay runs a replay page by page.
func (b *bundle) replay(t *testing.T, e ident.Webhook, since, until time.Time, onlyFailed bool) int {
	t.Helper()
	r := webhook.Replay{
		ID: ident.New[ident.Replay](), WorkspaceID: b.ws.ID, WebhookID: e, Since: since, Until: until, OnlyFailed: onlyFailed,
		State: webhook.ReplayRunning, CreatedAt: b.now,
	}
	require.NoError(t, b.deliveries.StartReplay(t.Context(), r))
	require.True(t, apperr.Is(b.deliveries.StartReplay(t.Context(), r), apperr.InvalidState), "one at a time")
	messages := b.messages(t)
	require.Len(t, messages, 1)
	require.Equal(t, r.ID, inputOf[flow.ReplayInput](t, messages[0]).ReplayID)
	for {
		state, queued, err := b.deliveries.ContinueReplay(t.Context(), r.ID, 2)
		require.NoError(t, err)
		if state != webhook.ReplayRunning {
			require.Equal(t, webhook.ReplayCompleted, state)
			got, err := b.deliveries.Replay(t.Context(), b.ws.ID, e, r.ID)
			require.NoError(t, err)
			require.Equal(t, queued, got.Queued)
			require.False(t, got.CompletedAt.IsZero())
			return queued
		}
	}
}

func TestReplaySendsMissedEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	for range 4 {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	outcomes := []postgres.Verdict{succeeded(), exhausted(), failed(time.Hour), exhausted()}
	for i, in := range b.admit(t) {
		b.attempt(t, in, outcomes[i])
	}
	since, until := b.now.Add(-time.Hour), b.now.Add(time.Hour)
	require.Equal(t, 2, b.replay(t, e.ID, since, until, true), "one was delivered, one is on its way")
	again := b.admit(t)
	require.Len(t, again, 1, "the endpoint failed last")
	require.Equal(t, 2, again[0].Run)
	b.attempt(t, again[0], succeeded())
	b.attempt(t, b.admit(t)[0], succeeded())
	require.Equal(t, 3, b.replay(t, e.ID, since, until, false))
	require.Zero(t, b.replay(t, e.ID, until, until.Add(time.Hour), false))

	late := b.endpoint(t, b.ws.ID, string(event.PostFailed)) // did not exist when the event occurred
	require.Equal(t, 4, b.replay(t, late.ID, since, until, true))
	other := b.endpoint(t, b.ws.ID, string(event.PostDeleted))
	require.Zero(t, b.replay(t, other.ID, since, until, false), "it is not subscribed to these")
}

func TestDisabledEndpointEndsItsReplay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	r := webhook.Replay{
		ID: ident.New[ident.Replay](), WorkspaceID: b.ws.ID, WebhookID: e.ID, Since: b.now, Until: b.now.Add(time.Hour),
		State: webhook.ReplayRunning, CreatedAt: b.now,
	}
	require.NoError(t, b.deliveries.StartReplay(t.Context(), r))
	_, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{IsActive: new(false)})
	require.NoError(t, err)
	state, _, err := b.deliveries.ContinueReplay(t.Context(), r.ID, 2)
	require.NoError(t, err)
	require.Equal(t, webhook.ReplayCancelled, state)
	require.True(t, apperr.Is(b.deliveries.StartReplay(t.Context(), r), apperr.InvalidState))
	_, err = b.deliveries.Replay(t.Context(), ident.New[ident.Workspace](), e.ID, r.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

func TestNewTemporalStoreEnqueuesEverything(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	for range webhook.MaxInFlight + 3 {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	admitted := b.admit(t)
	b.redeliver(t, admitted[0])
	require.NoError(t, b.deliveries.StartReplay(t.Context(), webhook.Replay{
		ID: ident.New[ident.Replay](), WorkspaceID: b.ws.ID, WebhookID: e.ID, Since: b.now, Until: b.now.Add(time.Hour),
		State: webhook.ReplayRunning, CreatedAt: b.now,
	}))
	b.messages(t)
	n, err := b.outbox.EnqueueAll(t.Context())
	require.NoError(t, err)
	require.Equal(t, webhook.MaxInFlight+2, n, "what waits in line is only in the database")
	require.Len(t, b.messages(t), n)
}

func TestRedeliveriesToOneEndpointAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	in := b.admit(t)[0]
	for range 100 {
		_, err := b.deliveries.Redeliver(t.Context(), b.ws.ID, e.ID, in.DeliveryID)
		require.NoError(t, err)
	}
	_, err := b.deliveries.Redeliver(t.Context(), b.ws.ID, e.ID, in.DeliveryID)
	require.True(t, apperr.Is(err, apperr.InvalidState))
}

// TestSweepSkipsLiveRedeliveries checks that a replay or a redelivery may take long; only one without activity
// is lost.
func TestSweepSkipsLiveRedeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	requested := b.redeliver(t, b.admit(t)[0])
	r := webhook.Replay{
		ID: ident.New[ident.Replay](), WorkspaceID: b.ws.ID, WebhookID: e.ID, Since: b.now, Until: b.now.Add(time.Hour),
		State: webhook.ReplayRunning, CreatedAt: b.now.Add(-time.Hour),
	}
	require.NoError(t, b.deliveries.StartReplay(t.Context(), r))
	b.messages(t)
	n, err := b.outbox.EnqueueOverdue(t.Context(), time.Minute, 10)
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = b.outbox.EnqueueOverdue(t.Context(), -time.Minute, 10) // as if none had been active for a long time
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Len(t, b.messages(t), 2)
	require.NoError(t, b.deliveries.Heard(t.Context(), requested.RedeliveryID))
	require.NoError(t, b.deliveries.Heard(t.Context(), r.ID))
}
