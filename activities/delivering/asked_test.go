package delivering_test

import (
	"context"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/delivering"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// redeliver requests one further attempt and returns the workflow input that the relay would use.
func (b *bundle) redeliver(t *testing.T, in flow.DeliveryInput) flow.DeliveryInput {
	t.Helper()
	_, err := b.lines.Redeliver(t.Context(), in.WorkspaceID, in.WebhookID, in.DeliveryID)
	require.NoError(t, err)
	started := b.admit(t)
	require.Len(t, started, 1)
	return started[0]
}

func TestRedeliverySendsSameEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, in := b.deliver(t, ident.Webhook{})
	_, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	requested := b.redeliver(t, in)
	b.response = status(http.StatusInternalServerError)
	out, err := b.Attempt(t.Context(), requested)
	require.NoError(t, err)
	require.True(t, out.Done, "it is one attempt, without retries")
	out, err = b.Attempt(t.Context(), requested)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Len(t, b.requests, 2, "it is made once")
	require.Equal(t, b.bodies[0], b.bodies[1])
	require.Equal(t, b.requests[0].Header.Get(webhook.HeaderDelivery), b.requests[1].Header.Get(webhook.HeaderDelivery))
	require.Zero(t, b.reload(t).ConsecutiveFailures)
	attempts, err := b.lines.Attempts(t.Context(), in.DeliveryID, math.MaxInt32)
	require.NoError(t, err)
	require.Equal(t, []webhook.Trigger{webhook.Automatic, webhook.Manual},
		[]webhook.Trigger{attempts[0].Trigger, attempts[1].Trigger})
	require.Equal(t, "status_5xx", attempts[1].ErrorClass)
}

func TestRedeliveryToDisabledEndpointIsCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, in := b.deliver(t, ident.Webhook{})
	_, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	requested := b.redeliver(t, in)
	_, err = b.webhooks.Update(t.Context(), in.WorkspaceID, in.WebhookID, webhook.Change{IsActive: new(false)})
	require.NoError(t, err)
	out, err := b.Attempt(t.Context(), requested)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Len(t, b.requests, 1)
}

// TestDisablingEndpointFreesItsPlaces disables an endpoint whose slots are all in use. Later deliveries get these
// slots at once.
func TestDisablingEndpointFreesItsPlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		disable func(*testing.T, *bundle)
		note    string
	}{
		"with its deliveries": {
			func(t *testing.T, b *bundle) { t.Helper(); b.activate(t, false) }, "Nothing to do: the delivery is CANCELLED.",
		},
		"before its deliveries were made": {
			func(t *testing.T, b *bundle) {
				t.Helper()
				postgrestest.Exec(t, b.dsn, `UPDATE webhook SET is_active = false`)
			},
			"Cancelled: the endpoint is disabled or deleted.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			cancelled(t, b, c.disable, c.note)
		})
	}
}

func cancelled(t *testing.T, b *bundle, disable func(*testing.T, *bundle), note string) {
	t.Helper()
	for range webhook.MaxInFlight {
		b.happens(t, ident.Webhook{})
	}
	placed := b.admit(t)
	require.Len(t, placed, webhook.MaxInFlight)
	disable(t, b)
	for _, in := range placed {
		out, err := b.Attempt(t.Context(), in)
		require.NoError(t, err)
		require.True(t, out.Done)
		require.Equal(t, note, out.Note)
	}
	require.Empty(t, b.requests)
	require.EqualValues(t, webhook.MaxInFlight, b.pokes.Load(), "a free place is reported")
	require.Equal(t, []string{"CANCELLED"}, postgrestest.Column(t, b.dsn, `SELECT DISTINCT state FROM delivery`))

	b.activate(t, true)
	b.happens(t, ident.Webhook{})
	require.Len(t, b.admit(t), 1)
}

// activate enables or disables the endpoint.
func (b *bundle) activate(t *testing.T, active bool) {
	t.Helper()
	_, err := b.webhooks.Update(t.Context(), b.endpoint.WorkspaceID, b.endpoint.ID, webhook.Change{IsActive: &active})
	require.NoError(t, err)
}

func TestAttemptWaitsForBusyEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.response = status(http.StatusInternalServerError)
	_, in := b.deliver(t, ident.Webhook{})
	_, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	_, other := b.deliver(t, ident.Webhook{}) // has the only slot of a failing endpoint
	b.response = nil

	out, err := b.Attempt(t.Context(), b.redeliver(t, in))
	require.NoError(t, err)
	require.False(t, out.Done)
	require.Positive(t, out.Wait, "a redelivery asks again in a moment")
	b.comesDue(t, in)
	pokes := b.pokes.Load()
	out, err = b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done, "the retry goes into the line")
	require.Equal(t, pokes+1, b.pokes.Load(), "a place may have become free meanwhile")
	require.Len(t, b.requests, 1)

	_, err = b.Attempt(t.Context(), other)
	require.NoError(t, err)
	again := b.admit(t)
	require.Len(t, again, 1)
	require.Equal(t, 2, again[0].Run)
	out, err = b.Attempt(t.Context(), again[0])
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Len(t, b.requests, 3)
}

func TestBothSecretsSignDuringRotation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const fresh = "whsec_ZnJlc2ggZnJlc2ggZnJlc2ggZnJlc2ggZnJlc2ggISE="
	_, err := b.webhooks.Rotate(t.Context(), b.endpoint.WorkspaceID, b.endpoint.ID, fresh, time.Hour, false)
	require.NoError(t, err)
	_, in := b.deliver(t, ident.Webhook{})
	_, err = b.Attempt(t.Context(), in)
	require.NoError(t, err)
	header := b.requests[0].Header
	for _, valid := range []string{secret, fresh} {
		require.NoError(t, webhook.Verify(header.Get(webhook.HeaderSignature), b.bodies[0], valid, time.Now()))
		require.NoError(t, webhook.VerifyStandard(header, b.bodies[0], valid, time.Now()))
	}
}

func TestStoppedWorkerUsesNoAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	requested := make(chan struct{})
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	b.response = func(http.ResponseWriter, *http.Request) {
		close(requested)
		<-release
	}
	_, in := b.deliver(t, ident.Webhook{})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := b.Attempt(ctx, in)
		ended <- err
	}()
	<-requested
	stop()
	require.ErrorIs(t, <-ended, context.Canceled)
	attempts, err := b.lines.Attempts(t.Context(), in.DeliveryID, math.MaxInt32)
	require.NoError(t, err)
	require.Empty(t, attempts)
	b.response = nil
	out, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done)
}

// stopping is a sender that cancels the worker's context once the receiver has responded.
type stopping struct {
	delivering.Sender

	stop context.CancelFunc
}

func (s stopping) Do(ctx context.Context, r egress.Request) (*egress.Response, error) {
	defer s.stop()
	return s.Sender.Do(ctx, r)
}

// TestResponseIsRecordedDuringShutdown stops the worker between the receiver's response and its record. Without
// the record, another worker would deliver the event again.
func TestResponseIsRecordedDuringShutdown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, in := b.deliver(t, ident.Webhook{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.Sender = stopping{Sender: b.Sender, stop: cancel}
	_, _ = b.Attempt(ctx, in)
	require.Error(t, ctx.Err())

	out, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Len(t, b.requests, 1)
}

func TestReplayReadsPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, in := b.deliver(t, ident.Webhook{})
	_, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	now := time.Now().UTC()
	r := webhook.Replay{
		ID: ident.New[ident.Replay](), WorkspaceID: in.WorkspaceID, WebhookID: in.WebhookID, Since: now.Add(-time.Hour),
		Until: now.Add(time.Hour),
		State: webhook.ReplayRunning, CreatedAt: now,
	}
	require.NoError(t, b.lines.StartReplay(t.Context(), r))
	input := flow.ReplayInput{ReplayID: r.ID, WorkspaceID: in.WorkspaceID, WebhookID: in.WebhookID}
	pokes := b.pokes.Load()
	for range 2 { // the second run finds it completed
		out, err := b.Replay(t.Context(), input)
		require.NoError(t, err)
		require.True(t, out.Done)
	}
	require.Equal(t, pokes+2, b.pokes.Load())
	again := b.admit(t)
	require.Len(t, again, 1)
	_, err = b.Attempt(t.Context(), again[0])
	require.NoError(t, err)
	require.Len(t, b.requests, 2)
	require.Equal(t, b.bodies[0], b.bodies[1])
}

// TestReplayWaitsForLongQueue checks that a replay adds nothing while 2,000 deliveries wait in the endpoint's queue.
func TestReplayWaitsForLongQueue(t *testing.T) {
	t.Parallel()
	for waiting, waits := range map[int]bool{1999: false, 2000: true} {
		b := setup(t)
		_, in := b.deliver(t, ident.Webhook{})
		_, err := b.Attempt(t.Context(), in)
		require.NoError(t, err)
		postgrestest.Exec(t, b.dsn, `WITH made AS (
				INSERT INTO event SELECT copy.* FROM event e, generate_series(1, $1::int) i,
					jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'seq', 1000000 + i)) copy
				RETURNING id)
			INSERT INTO delivery (id, workspace_id, webhook_id, event_id, state, lane, created_at)
			SELECT gen_random_uuid(), workspace_id, webhook_id, made.id, 'PENDING', 1, now() FROM delivery, made`, waiting)
		now := time.Now().UTC()
		r := webhook.Replay{
			ID: ident.New[ident.Replay](), WorkspaceID: in.WorkspaceID, WebhookID: in.WebhookID, Since: now.Add(-time.Hour),
			Until: now.Add(time.Hour),
			State: webhook.ReplayRunning, CreatedAt: now,
		}
		require.NoError(t, b.lines.StartReplay(t.Context(), r))
		out, err := b.Replay(t.Context(), flow.ReplayInput{
			ReplayID: r.ID, WorkspaceID: in.WorkspaceID, WebhookID: in.WebhookID,
		})
		require.NoError(t, err)
		require.Equal(t, waits, out.Wait == 5*time.Second, "%d: %+v", waiting, out)
	}
}
