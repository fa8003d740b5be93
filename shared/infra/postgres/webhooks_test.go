package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestChangingEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	same, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{})
	require.NoError(t, err)
	require.Equal(t, e.URL, same.URL)
	got, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{
		URL: new("https://other.test/"), Description: new("Production"), Events: []string{"post.failed", "post.published"},
	})
	require.NoError(t, err)
	require.Equal(t, "https://other.test/", got.URL)
	require.Equal(t, "Production", got.Description)
	require.Equal(t, []string{"post.failed", "post.published"}, got.Events)
	require.True(t, got.IsActive)
	read, err := b.webhooks.Get(t.Context(), b.ws.ID, e.ID)
	require.NoError(t, err)
	require.Equal(t, got, read)
	b.endpoint(t, b.tenant(t).ID, "*")
	all, err := b.webhooks.List(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, []webhook.Endpoint{got}, all)
	_, err = b.webhooks.Update(t.Context(), ident.New[ident.Workspace](), e.ID, webhook.Change{IsActive: new(false)})
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.webhooks.Get(t.Context(), ident.New[ident.Workspace](), e.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.True(t, apperr.Is(b.webhooks.Delete(t.Context(), ident.New[ident.Workspace](), e.ID), apperr.NotFound))
}

func TestDisablingAndEnabling(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	b.attempt(t, b.admit(t)[0], exhausted())
	off, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{IsActive: new(false)})
	require.NoError(t, err)
	require.Equal(t, webhook.ReasonManual, off.DisabledReason)
	require.False(t, off.DisabledAt.IsZero())
	require.Equal(t, 1, off.ConsecutiveFailures)
	again, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{IsActive: new(false)})
	require.NoError(t, err)
	require.Equal(t, off.DisabledAt, again.DisabledAt)
	on, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{IsActive: new(true)})
	require.NoError(t, err)
	require.True(t, on.IsActive)
	require.Zero(t, on.DisabledAt)
	require.Empty(t, on.DisabledReason)
	require.Zero(t, on.ConsecutiveFailures)
}

func TestConcurrentFailuresDisableEndpointOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	for range webhook.DisableAfter + 5 {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	var dispatches []postgres.Dispatch
	for len(dispatches) < webhook.DisableAfter+5 {
		for _, in := range b.admit(t) {
			d, err := b.deliveries.Load(t.Context(), in)
			require.NoError(t, err)
			dispatches = append(dispatches, d)
			require.NoError(t, b.deliveries.GiveBack(t.Context(), in))
		}
	}
	var workers sync.WaitGroup
	counted := make(chan bool, len(dispatches))
	for i := range 8 {
		workers.Go(func() {
			for j := i; j < len(dispatches); j += 8 {
				ok, err := b.deliveries.Record(t.Context(), dispatches[j],
					webhook.Attempt{Trigger: webhook.Automatic, StartedAt: b.now}, exhausted())
				counted <- err == nil && ok
			}
		})
	}
	workers.Wait()
	close(counted)
	recorded := 0
	for ok := range counted {
		if ok {
			recorded++
		}
	}
	got, err := b.webhooks.Get(t.Context(), b.ws.ID, e.ID)
	require.NoError(t, err)
	require.False(t, got.IsActive)
	require.Equal(t, webhook.ReasonFailures, got.DisabledReason)
	require.Equal(t, len(dispatches), recorded, "requests that were under way are kept in the log")
	states := make(map[webhook.State]int)
	for _, state := range b.states(t, e.ID) {
		states[state]++
	}
	require.Equal(t, map[webhook.State]int{webhook.Exhausted: webhook.DisableAfter, webhook.Cancelled: 5}, states)
	require.Equal(t, webhook.DisableAfter, got.ConsecutiveFailures)
}

func TestRotation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	for range 3 {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	in := b.admit(t)[0]
	secrets := func() []string {
		d, err := b.deliveries.Load(t.Context(), in)
		require.NoError(t, err)
		return d.Secrets
	}
	require.Equal(t, []string{"whsec_x"}, secrets())
	rotated, err := b.webhooks.Rotate(t.Context(), b.ws.ID, e.ID, "whsec_y", time.Hour, false)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(time.Hour), rotated.PreviousSecretUntil, time.Minute)
	require.Equal(t, []string{"whsec_y", "whsec_x"}, secrets())
	_, err = b.webhooks.Rotate(t.Context(), b.ws.ID, e.ID, "whsec_z", time.Hour, false)
	require.True(t, apperr.Is(err, apperr.InvalidState))
	require.Equal(t, []string{"whsec_y", "whsec_x"}, secrets())
	_, err = b.webhooks.Rotate(t.Context(), b.ws.ID, e.ID, "whsec_z", time.Hour, true)
	require.NoError(t, err)
	require.Equal(t, []string{"whsec_z", "whsec_y"}, secrets())
	cut, err := b.webhooks.Rotate(t.Context(), b.ws.ID, e.ID, "whsec_now", 0, true)
	require.NoError(t, err)
	require.Zero(t, cut.PreviousSecretUntil)
	require.Equal(t, []string{"whsec_now"}, secrets())
	_, err = b.webhooks.Rotate(t.Context(), b.ws.ID, e.ID, "whsec_short", 10*time.Millisecond, false)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(secrets()) == 1 }, 5*time.Second, 10*time.Millisecond)
	_, err = b.webhooks.Rotate(t.Context(), ident.New[ident.Workspace](), e.ID, "whsec_z", 0, true)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

func TestEventLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 5 {
		b.happens(t, b.ws.ID, []event.Type{event.PostCreated, event.PostFailed}[i%2])
	}
	unread, err := b.events.List(t.Context(), b.ws.ID, postgres.EventFilter{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, unread, "they have no number yet")
	other := b.tenant(t)
	b.happens(t, other.ID, event.PostCreated)
	b.fanOut(t)
	page, err := b.events.List(t.Context(), b.ws.ID, postgres.EventFilter{Limit: 3})
	require.NoError(t, err)
	require.Equal(t, []int64{1, 2, 3}, []int64{page[0].Sequence, page[1].Sequence, page[2].Sequence})
	rest, err := b.events.List(t.Context(), b.ws.ID,
		postgres.EventFilter{After: 3, Type: event.PostFailed, From: b.now, To: b.now.Add(time.Second), Limit: 3})
	require.NoError(t, err)
	require.Len(t, rest, 1)
	require.Equal(t, int64(4), rest[0].Sequence)
	theirs, err := b.events.List(t.Context(), other.ID, postgres.EventFilter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, theirs, 1)
	require.Equal(t, other.ID, theirs[0].WorkspaceID)
	none, err := b.events.List(t.Context(), b.ws.ID, postgres.EventFilter{To: b.now, Limit: 3})
	require.NoError(t, err)
	require.Empty(t, none)
	got, err := b.events.Get(t.Context(), b.ws.ID, page[0].ID)
	require.NoError(t, err)
	require.Equal(t, page[0], got)
	_, err = b.events.Get(t.Context(), ident.New[ident.Workspace](), page[0].ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

func TestEventsAreDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	for range 3 {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	b.attempt(t, b.admit(t)[0], succeeded())
	n, err := b.events.Prune(t.Context(), time.Hour, 10)
	require.NoError(t, err)
	require.Zero(t, n)
	b.happens(t, b.ws.ID, event.PostFailed) // not fanned out yet
	n, err = b.events.Prune(t.Context(), -time.Minute, 2)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	n, err = b.events.Prune(t.Context(), -time.Minute, 2)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Empty(t, b.states(t, e.ID))
	b.fanOut(t)
	require.Len(t, b.states(t, e.ID), 1)
}

func TestDeletedEndpointsAreRemoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	kept, gone := b.endpoint(t, b.ws.ID, "*"), b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	b.replay(t, kept.ID, b.now, b.now.Add(time.Second), false)
	require.NoError(t, b.webhooks.Delete(t.Context(), b.ws.ID, gone.ID))
	n, err := b.webhooks.Prune(t.Context(), time.Hour, 10)
	require.NoError(t, err)
	require.Zero(t, n)
	require.Len(t, b.states(t, gone.ID), 1, "its deliveries can be looked up for as long as any")
	n, err = b.webhooks.Prune(t.Context(), -time.Hour, 10)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Empty(t, b.states(t, gone.ID))
	require.Len(t, b.states(t, kept.ID), 1)
	n, err = b.webhooks.Prune(t.Context(), -time.Hour, 10)
	require.NoError(t, err)
	require.Zero(t, n)
}

// TestResponseOfOldURLIsIgnored covers a receiver that moves and responds 410 at its old URL while requests
// are in progress.
func TestResponseOfOldURLIsIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	for range 2 {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	admitted := b.admit(t)
	d, err := b.deliveries.Load(t.Context(), admitted[0])
	require.NoError(t, err)
	_, err = b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{URL: new("https://moved.test/")})
	require.NoError(t, err)
	gone := postgres.Verdict{State: webhook.Exhausted, Disable: webhook.ReasonGone}
	recorded, err := b.deliveries.Record(t.Context(), d,
		webhook.Attempt{Trigger: webhook.Automatic, StartedAt: b.now, StatusCode: 410}, gone)
	require.NoError(t, err)
	require.True(t, recorded)
	got, err := b.webhooks.Get(t.Context(), b.ws.ID, e.ID)
	require.NoError(t, err)
	require.True(t, got.IsActive)
	require.Zero(t, got.ConsecutiveFailures)
	b.attempt(t, admitted[1], gone)
	got, err = b.webhooks.Get(t.Context(), b.ws.ID, e.ID)
	require.NoError(t, err)
	require.False(t, got.IsActive)
}

// TestChangeKeepsTestDeliveryOfDisabledEndpoint checks that only disabling an endpoint cancels its pending
// deliveries.
func TestChangeKeepsTestDeliveryOfDisabledEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.endpoint(t, b.ws.ID, "*")
	_, err := b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{IsActive: new(false)})
	require.NoError(t, err)
	test, err := event.New(b.ws.ID, event.WebhookTest, b.now, event.WebhookTestData{WebhookID: e.ID})
	require.NoError(t, err)
	require.NoError(t, b.events.Insert(t.Context(), test, e.ID))
	b.fanOut(t)
	_, err = b.webhooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{Description: new("Fixed")})
	require.NoError(t, err)
	require.Equal(t, []webhook.State{webhook.Pending}, b.states(t, e.ID))
}

// TestLateSuccessIsRecorded covers two overlapping executions of one attempt, of which the last recorded one succeeded.
func TestLateSuccessIsRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.endpoint(t, b.ws.ID, "*")
	b.happens(t, b.ws.ID, event.PostFailed)
	b.fanOut(t)
	in := b.admit(t)[0]
	stale, err := b.deliveries.Load(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, webhook.Pending, b.attempt(t, in, failed(time.Hour)).State)
	recorded, err := b.deliveries.Record(t.Context(), stale, webhook.Attempt{Trigger: webhook.Automatic, StartedAt: b.now},
		failed(time.Minute))
	require.NoError(t, err)
	require.False(t, recorded)
	recorded, err = b.deliveries.Record(t.Context(), stale,
		webhook.Attempt{Trigger: webhook.Automatic, StartedAt: b.now, StatusCode: 200}, succeeded())
	require.NoError(t, err)
	require.True(t, recorded)
	got, err := b.deliveries.Get(t.Context(), b.ws.ID, in.WebhookID, in.DeliveryID)
	require.NoError(t, err)
	require.Equal(t, webhook.Succeeded, got.State)
}
