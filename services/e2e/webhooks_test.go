package e2e_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/webhook"
)

// hurried scales the retry delays: six attempts take 3.4 seconds.
const hurried = "RETRY_SCALE=0.001"

// TestWebhooks uses webhooks and the event log as documented for integrators.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	s := running(t, hurried)
	for _, part := range []struct {
		name string
		test func(t *testing.T, s *harness.System)
	}{
		{"a secret is rotated with an overlap", rotates},
		{"what a disabled webhook missed is replayed", missesAndReplays},
		{"a webhook gets what happened before it", getsOlderEvents},
		{"a delivery is made again", redelivers},
		{"an address is changed while deliveries fail", moves},
		{"a receiver that is gone is disabled", isGone},
		{"a receiver asks for time", asksForTime},
		{"a receiver that always fails is disabled", failsAlways},
		{"a deleted webhook gets nothing more", isDeleted},
		{"a poller misses nothing", polls},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, s.In(t)) })
	}
}

// update changes a webhook.
func (e *endpoint) update(t *testing.T, change fencepost.UpdateWebhookRequest) fencepost.Webhook {
	t.Helper()
	return harness.Result(e.API.Webhooks.Update(t.Context(), e.id, change))(t)
}

func (e *endpoint) read(t testing.TB) fencepost.Webhook {
	t.Helper()
	return harness.Result(e.API.Webhooks.Get(t.Context(), e.id))(t)
}

func (e *endpoint) rotate(t *testing.T, body fencepost.RotateSecretRequest) string {
	t.Helper()
	rotated, err := e.API.Webhooks.RotateSecret(t.Context(), e.id, body)
	require.NoError(t, err)
	return rotated.Secret
}

// tested sends a test event and returns it as received.
func (e *endpoint) tested(t *testing.T) hit {
	t.Helper()
	sent, err := e.API.Webhooks.Test(t.Context(), e.id)
	require.NoError(t, err)
	id := sent.EventID
	return e.await(t, func(h hit) bool { return h.id == id }, 1)[0]
}

func rotates(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s)
	requireSigned(t, e.tested(t), e.secret)
	second := e.rotate(t, fencepost.RotateSecretRequest{OverlapHours: new(int64(1))})
	until := *e.read(t).PreviousSecretExpiresAt
	require.WithinDuration(t, time.Now().Add(time.Hour), until, time.Minute)
	requireSigned(t, e.tested(t), second, e.secret)

	p := requireProblem(t, harness.Failure(e.API.Webhooks.RotateSecret(t.Context(), e.id, fencepost.RotateSecretRequest{})),
		http.StatusConflict, fencepost.ProblemCodeInvalidState)
	require.Equal(t, "OVERLAP", p.CurrentStatus)
	third := e.rotate(t, fencepost.RotateSecretRequest{Force: new(true)})
	requireSigned(t, e.tested(t), third, second)
	fourth := e.rotate(t, fencepost.RotateSecretRequest{Force: new(true), OverlapHours: new(int64(0))})
	last := e.tested(t)
	requireSigned(t, last, fourth)
	for _, old := range []string{e.secret, second, third} {
		require.Error(t, webhook.Verify(last.signature, last.body, old, last.at))
	}
}

// requireSigned checks that a delivery is signed with the secrets, in this order, and with no others.
func requireSigned(t *testing.T, h hit, secrets ...string) {
	t.Helper()
	parts := strings.Split(h.signature, ",")
	require.Len(t, parts, 1+len(secrets), h.signature)
	for i, secret := range secrets {
		require.NoError(t, webhook.Verify(h.signature, h.body, secret, h.at))
		require.NoError(t, webhook.Verify(parts[0]+","+parts[1+i], h.body, secret, h.at))
	}
}

func missesAndReplays(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s, "post.created")
	since := time.Now()
	off := e.update(t, fencepost.UpdateWebhookRequest{IsActive: fencepost.Set(false)})
	require.Equal(t, "MANUAL", *off.DisabledReason)
	for i := range 3 {
		s.Create(channel.Threads, fmt.Sprintf("Missed %d", i), "draft")
	}
	skipped := e.deliveries(t, fencepost.DeliveryStatusSkipped, 3)
	require.Empty(t, e.all())
	requireProblem(t, harness.Failure(s.API.Webhooks.Redeliver(t.Context(), e.id, skipped[0].ID)),
		http.StatusConflict, fencepost.ProblemCodeInvalidState)
	require.True(t, e.update(t, fencepost.UpdateWebhookRequest{IsActive: fencepost.Set(true)}).IsActive)
	s.Create(channel.Threads, "Not missed", "draft")
	e.await(t, func(hit) bool { return true }, 1)

	replay := e.replay(t, since, fencepost.StartReplayOnlyFailed)
	require.Equal(t, int64(3), replay.Queued, "what was delivered is left alone")
	var want []string
	for _, d := range skipped {
		want = append(want, d.EventID)
	}
	got := e.await(t, func(h hit) bool { return slices.Contains(want, h.id) }, 3)
	require.ElementsMatch(t, want, ids(got))
	require.Len(t, e.deliveries(t, fencepost.DeliveryStatusSucceeded, 4), 4)
	require.Len(t, e.all(), 4)
	again := e.replay(t, since, fencepost.StartReplayOnlyFailed)
	require.Zero(t, again.Queued, "nothing is missing any more")
	require.EqualValues(t, 4, e.replay(t, since, fencepost.StartReplayOnlyAll).Queued)
	all := e.await(t, func(hit) bool { return true }, 8)
	for _, h := range all[4:] {
		require.Contains(t, ids(all[:4]), h.id, "under their first ids")
	}
}

func getsOlderEvents(t *testing.T, s *harness.System) {
	t.Helper()
	since := time.Now()
	s.Create(channel.Threads, "Before", "draft")
	p := s.Create(channel.Twitter, "Published before", "now")
	require.Equal(t, fencepost.PostStatusPublished, settled(t, s, p.ID, soon).Status)
	var before []string
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		before = nil
		for logged, err := range s.API.Events.List(t.Context(), fencepost.ListEventsParams{From: since}) {
			require.NoError(c, err)
			before = append(before, logged.ID)
		}
		require.Len(c, before, 4) // created, created, scheduled, published
	}, soon, 50*time.Millisecond)
	e := subscribe(t, s)
	require.EqualValues(t, 4, e.replay(t, since, fencepost.StartReplayOnlyFailed).Queued)
	got := e.await(t, func(hit) bool { return true }, 4)
	require.ElementsMatch(t, before, ids(got))
	for _, h := range got {
		require.Positive(t, harness.Result(s.API.Events.Get(t.Context(), h.id))(t).Sequence)
		var raw json.RawMessage
		require.NoError(t, s.API.Request(t.Context(), http.MethodGet, "/v1/events/"+h.id, nil, nil, &raw))
		require.Equal(t, string(h.body), string(raw))
	}
}

func redelivers(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s, "post.created")
	s.Create(channel.Threads, "Again, please: 🎈 <b>&amp; \u2028", "draft")
	delivered := e.deliveries(t, fencepost.DeliveryStatusSucceeded, 1)[0]
	for n := 2; n <= 3; n++ {
		requested, err := s.API.Webhooks.Redeliver(t.Context(), e.id, delivered.ID)
		require.NoError(t, err)
		require.Equal(t, delivered.ID, requested.ID)
		e.await(t, func(hit) bool { return true }, n)
	}
	for _, h := range e.all() {
		require.Equal(t, delivered.EventID, h.id)
		require.Equal(t, e.all()[0].body, h.body)
		requireSigned(t, h, e.secret)
	}
	var log fencepost.WebhookDeliveryLog
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		log = e.log(t, delivered.ID)
		require.Len(c, log.Attempts, 3)
	}, soon, 50*time.Millisecond)
	require.EqualValues(t, 3, log.AttemptCount)
	for i, a := range log.Attempts {
		require.EqualValues(t, i+1, a.N)
		require.Equal(t, cmp.Or(map[int]string{0: "AUTOMATIC"}[i], "MANUAL"), a.Trigger)
		require.EqualValues(t, http.StatusOK, *a.StatusCode)
		require.Equal(t, "thank you", *a.Response)
		require.Nil(t, a.Error)
	}
	require.Equal(t, "TEST", e.log(t, e.testDelivery(t)).Attempts[0].Trigger)
}

// testDelivery returns the delivery id of a test event.
func (e *endpoint) testDelivery(t *testing.T) string {
	t.Helper()
	id := e.tested(t).id
	for _, d := range e.deliveries(t, fencepost.DeliveryStatusSucceeded, 2) {
		if d.EventID == id {
			return d.ID
		}
	}
	require.Fail(t, "the test is no delivery")
	return ""
}

// moves changes the URL of an endpoint with a pending delivery. The delivery must go to the new URL. After the new
// server closes, a further delivery must fail.
func moves(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s, "post.created")
	e.responses(func(int) reply { return reply{status: http.StatusServiceUnavailable, body: "closed"} })
	s.Create(channel.Threads, "Where to?", "draft")
	e.await(t, func(hit) bool { return true }, 2)
	there := newHookReceiver(t)
	require.Equal(t, there.url(), e.update(t, fencepost.UpdateWebhookRequest{URL: fencepost.Set(there.url())}).URL)
	delivered := e.deliveries(t, fencepost.DeliveryStatusSucceeded, 1)[0]
	require.Equal(t, []string{delivered.EventID}, ids(there.all()))
	log := e.log(t, delivered.ID)
	require.Len(t, log.Attempts, len(e.all())+1)
	first := log.Attempts[0]
	require.Equal(t, "status_5xx", *first.Error)
	require.Equal(t, "closed", *first.Response)
	require.EqualValues(t, http.StatusServiceUnavailable, *first.StatusCode)
	require.Zero(t, e.read(t).ConsecutiveFailures)

	there.server.Close()
	s.Create(channel.Threads, "No receiver", "draft")
	failed := e.deliveries(t, fencepost.DeliveryStatusFailed, 1)[0]
	require.EqualValues(t, webhook.MaxAttempts, failed.AttemptCount)
	for _, a := range e.log(t, failed.ID).Attempts {
		require.Equal(t, "connection_refused", *a.Error)
		require.Nil(t, a.StatusCode)
	}
	require.EqualValues(t, 1, e.read(t).ConsecutiveFailures)
}

func isGone(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s, "post.created")
	e.responses(func(int) reply { return reply{status: http.StatusGone} })
	s.Create(channel.Threads, "Anybody?", "draft")
	failed := e.deliveries(t, fencepost.DeliveryStatusFailed, 1)[0]
	require.EqualValues(t, 1, failed.AttemptCount)
	require.Equal(t, "status_4xx", *e.log(t, failed.ID).Attempts[0].Error)
	gone := e.read(t)
	require.False(t, gone.IsActive)
	require.Equal(t, "GONE", *gone.DisabledReason)
	require.NotNil(t, gone.DisabledAt)
}

// asksForTime checks that Retry-After extends a retry delay to at most twice its length. The last delay is 2,560 s,
// scaled by hurried.
func asksForTime(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s, "post.created")
	e.responses(func(n int) reply {
		switch n {
		case webhook.MaxAttempts - 1:
			return reply{status: http.StatusTooManyRequests, header: http.Header{"Retry-After": {"86400"}}}
		case webhook.MaxAttempts:
			return reply{status: http.StatusNoContent}
		default:
			return reply{status: http.StatusInternalServerError}
		}
	})
	s.Create(channel.Threads, "Not so fast", "draft")
	got := e.await(t, func(hit) bool { return true }, webhook.MaxAttempts)
	wait := got[webhook.MaxAttempts-1].at.Sub(got[webhook.MaxAttempts-2].at)
	require.Greater(t, wait, 5*time.Second)
	require.Less(t, wait, 10*time.Second)
	require.EqualValues(t, webhook.MaxAttempts, e.deliveries(t, fencepost.DeliveryStatusSucceeded, 1)[0].AttemptCount)
}

func failsAlways(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s, "post.created")
	since := time.Now()
	e.responses(func(int) reply { return reply{status: http.StatusInternalServerError} })
	for i := range webhook.DisableAfter {
		s.Create(channel.Threads, fmt.Sprintf("Failing %d", i), "draft")
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.False(c, e.read(t).IsActive) }, 2*soon,
		100*time.Millisecond)
	disabled := e.read(t)
	require.Equal(t, webhook.ReasonFailures, *disabled.DisabledReason)
	require.EqualValues(t, webhook.DisableAfter, disabled.ConsecutiveFailures)
	failed := e.deliveries(t, fencepost.DeliveryStatusFailed, webhook.DisableAfter)
	attempts := len(e.all())
	require.Equal(t, webhook.DisableAfter*webhook.MaxAttempts, attempts)
	require.Equal(t, []enums.EventType{
		enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, enums.EVENT_TYPE_ACTIVITY_TASK_STARTED,
		enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
	}, s.Steps("delivery/"+failed[0].ID), "retries add no events")

	e.responses(nil)
	enabled := e.update(t, fencepost.UpdateWebhookRequest{IsActive: fencepost.Set(true)})
	require.True(t, enabled.IsActive)
	require.Zero(t, enabled.ConsecutiveFailures)
	require.Nil(t, enabled.DisabledAt)
	require.EqualValues(t, webhook.DisableAfter, e.replay(t, since, fencepost.StartReplayOnlyFailed).Queued)
	got := e.await(t, func(hit) bool { return true }, attempts+webhook.DisableAfter)
	var want []string
	for _, d := range failed {
		want = append(want, d.EventID)
	}
	require.ElementsMatch(t, want, ids(got[attempts:]))
	require.Len(t, e.deliveries(t, fencepost.DeliveryStatusSucceeded, webhook.DisableAfter), webhook.DisableAfter)
}

// isDeleted checks that nothing arrives later than a second after the response to the deletion, regardless of the
// number of deliveries in line.
func isDeleted(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s, "post.created")
	e.responses(func(int) reply { return reply{status: http.StatusOK, after: 200 * time.Millisecond} })
	for i := range 40 {
		s.Create(channel.Threads, fmt.Sprintf("In line %d", i), "draft")
	}
	e.await(t, func(hit) bool { return true }, 2)
	e.remove(t)
	within := time.After(time.Second)
	<-within
	arrived := len(e.all())
	require.Less(t, arrived, 40, "the test was too slow to delete anything")
	<-time.After(2 * time.Second)
	require.Equal(t, arrived, len(e.all())) //nolint:testifylint // Len would print all requests
}

// polls reads the log while many events are created concurrently.
func polls(t *testing.T, s *harness.System) {
	t.Helper()
	const posts, clients = 200, 8
	start := readToEnd(t, s)
	var (
		creating sync.WaitGroup
		mu       sync.Mutex
		created  = make(map[string]bool)
	)
	for c := range clients {
		creating.Go(func() {
			for i := range posts / clients {
				p := s.Create(channel.Threads, fmt.Sprintf("Polled %d.%d", c, i), "draft")
				mu.Lock()
				created[p.ID] = true
				mu.Unlock()
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		creating.Wait()
		close(ended)
	}()
	var last int64
	cursor, deadline := start, time.Now().Add(2*soon)
	seen := make(map[string]bool)
	for done := false; !done; {
		require.True(t, time.Now().Before(deadline), "%d of %d posts were seen", len(seen), posts)
		page := readLog(t, s, cursor, 7)
		for _, logged := range page.Data {
			number := logged.Sequence
			require.Positive(t, number)
			require.True(t, last == 0 || number == last+1, "after %d came %d", last, number)
			last = number
			var data struct{ PostID string }
			require.NoError(t, json.Unmarshal(logged.Data, &data))
			id := data.PostID
			require.NotEmpty(t, id)
			require.False(t, seen[id], "seen twice")
			seen[id] = true
		}
		cursor = cmp.Or(page.NextCursor, cursor)
		select {
		case <-ended:
			done = len(seen) >= posts && !page.HasMore
		default:
		}
	}
	require.Equal(t, created, seen)
}
