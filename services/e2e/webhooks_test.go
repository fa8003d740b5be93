package e2e_test

import (
	"cmp"
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

	"fencepost.internal/services/e2e/apiclient"
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
func (e *endpoint) update(t *testing.T, change apiclient.UpdateWebhookRequest) apiclient.Webhook {
	t.Helper()
	changed, err := e.API.UpdateWebhookWithResponse(t.Context(), e.id, nil, change)
	require.NoError(t, err)
	return harness.Response(t, changed.JSON200, changed.Body)
}

func (e *endpoint) read(t testing.TB) apiclient.Webhook {
	t.Helper()
	found, err := e.API.GetWebhookWithResponse(t.Context(), e.id)
	require.NoError(t, err)
	return harness.Response(t, found.JSON200, found.Body)
}

func (e *endpoint) rotate(t *testing.T, body apiclient.RotateSecretRequest) string {
	t.Helper()
	rotated, err := e.API.RotateWebhookSecretWithResponse(t.Context(), e.id, nil, body)
	require.NoError(t, err)
	return harness.Response(t, rotated.JSON200, rotated.Body).Secret
}

// tested sends a test event and returns it as received.
func (e *endpoint) tested(t *testing.T) hit {
	t.Helper()
	sent, err := e.API.TestWebhookWithResponse(t.Context(), e.id, nil)
	require.NoError(t, err)
	id := harness.Response(t, sent.JSON202, sent.Body).EventID
	return e.await(t, func(h hit) bool { return h.id == id }, 1)[0]
}

func rotates(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s)
	requireSigned(t, e.tested(t), e.secret)
	second := e.rotate(t, apiclient.RotateSecretRequest{OverlapHours: new(int64(1))})
	until := e.read(t).PreviousSecretExpiresAt.MustGet()
	require.WithinDuration(t, time.Now().Add(time.Hour), until, time.Minute)
	requireSigned(t, e.tested(t), second, e.secret)

	early, err := e.API.RotateWebhookSecretWithResponse(t.Context(), e.id, nil, apiclient.RotateSecretRequest{})
	require.NoError(t, err)
	p := requireProblem(t, early.ApplicationProblemJSON409, early.Body, apiclient.ProblemCodeINVALIDSTATE)
	require.Equal(t, "OVERLAP", *p.CurrentStatus)
	third := e.rotate(t, apiclient.RotateSecretRequest{Force: new(true)})
	requireSigned(t, e.tested(t), third, second)
	fourth := e.rotate(t, apiclient.RotateSecretRequest{Force: new(true), OverlapHours: new(int64(0))})
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
	off := e.update(t, apiclient.UpdateWebhookRequest{IsActive: new(false)})
	require.Equal(t, "MANUAL", off.DisabledReason.MustGet())
	for i := range 3 {
		s.Create(channel.Threads, fmt.Sprintf("Missed %d", i), "draft")
	}
	skipped := e.deliveries(t, apiclient.DeliveryStatusSKIPPED, 3)
	require.Empty(t, e.all())
	refused, err := s.API.RedeliverWebhookDeliveryWithResponse(t.Context(), e.id, skipped[0].ID, nil)
	require.NoError(t, err)
	requireProblem(t, refused.ApplicationProblemJSON409, refused.Body, apiclient.ProblemCodeINVALIDSTATE)
	require.True(t, e.update(t, apiclient.UpdateWebhookRequest{IsActive: new(true)}).IsActive)
	s.Create(channel.Threads, "Not missed", "draft")
	e.await(t, func(hit) bool { return true }, 1)

	replay := e.replay(t, since, apiclient.StartReplayOnlyInputFailed)
	require.Equal(t, int64(3), replay.Queued, "what was delivered is left alone")
	var want []string
	for _, d := range skipped {
		want = append(want, d.EventID)
	}
	got := e.await(t, func(h hit) bool { return slices.Contains(want, h.id) }, 3)
	require.ElementsMatch(t, want, ids(got))
	require.Len(t, e.deliveries(t, apiclient.DeliveryStatusSUCCEEDED, 4), 4)
	require.Len(t, e.all(), 4)
	again := e.replay(t, since, apiclient.StartReplayOnlyInputFailed)
	require.Zero(t, again.Queued, "nothing is missing any more")
	require.EqualValues(t, 4, e.replay(t, since, apiclient.StartReplayOnlyInputAll).Queued)
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
	require.Equal(t, apiclient.PostStatusPUBLISHED, settled(t, s, p.ID, soon).Status)
	var before []string
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		before = nil
		for _, logged := range readLog(c, s, apiclient.ListEventsParams{From: &since}).Data {
			before = append(before, logged.ID)
		}
		require.Len(c, before, 4) // created, created, scheduled, published
	}, soon, 50*time.Millisecond)
	e := subscribe(t, s)
	require.EqualValues(t, 4, e.replay(t, since, apiclient.StartReplayOnlyInputFailed).Queued)
	got := e.await(t, func(hit) bool { return true }, 4)
	require.ElementsMatch(t, before, ids(got))
	for _, h := range got {
		one, err := s.API.GetEventWithResponse(t.Context(), h.id)
		require.NoError(t, err)
		require.Positive(t, harness.Response(t, one.JSON200, one.Body).Sequence.MustGet())
		require.Equal(t, string(h.body), string(one.Body))
	}
}

func redelivers(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s, "post.created")
	s.Create(channel.Threads, "Again, please: 🎈 <b>&amp; \u2028", "draft")
	delivered := e.deliveries(t, apiclient.DeliveryStatusSUCCEEDED, 1)[0]
	for n := 2; n <= 3; n++ {
		requested, err := s.API.RedeliverWebhookDeliveryWithResponse(t.Context(), e.id, delivered.ID, nil)
		require.NoError(t, err)
		require.Equal(t, delivered.ID, harness.Response(t, requested.JSON202, requested.Body).ID)
		e.await(t, func(hit) bool { return true }, n)
	}
	for _, h := range e.all() {
		require.Equal(t, delivered.EventID, h.id)
		require.Equal(t, e.all()[0].body, h.body)
		requireSigned(t, h, e.secret)
	}
	var log apiclient.WebhookDeliveryLog
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		log = e.log(t, delivered.ID)
		require.Len(c, log.Attempts, 3)
	}, soon, 50*time.Millisecond)
	require.EqualValues(t, 3, log.AttemptCount)
	for i, a := range log.Attempts {
		require.EqualValues(t, i+1, a.N)
		require.Equal(t, cmp.Or(map[int]string{0: "AUTOMATIC"}[i], "MANUAL"), a.Trigger)
		require.EqualValues(t, http.StatusOK, a.StatusCode.MustGet())
		require.Equal(t, "thank you", a.Response.MustGet())
		require.True(t, a.Error.IsNull())
	}
	require.Equal(t, "TEST", e.log(t, e.testDelivery(t)).Attempts[0].Trigger)
}

// testDelivery returns the delivery id of a test event.
func (e *endpoint) testDelivery(t *testing.T) string {
	t.Helper()
	id := e.tested(t).id
	for _, d := range e.deliveries(t, apiclient.DeliveryStatusSUCCEEDED, 2) {
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
	require.Equal(t, there.url(), e.update(t, apiclient.UpdateWebhookRequest{URL: new(there.url())}).URL)
	delivered := e.deliveries(t, apiclient.DeliveryStatusSUCCEEDED, 1)[0]
	require.Equal(t, []string{delivered.EventID}, ids(there.all()))
	log := e.log(t, delivered.ID)
	require.Len(t, log.Attempts, len(e.all())+1)
	first := log.Attempts[0]
	require.Equal(t, "status_5xx", first.Error.MustGet())
	require.Equal(t, "closed", first.Response.MustGet())
	require.EqualValues(t, http.StatusServiceUnavailable, first.StatusCode.MustGet())
	require.Zero(t, e.read(t).ConsecutiveFailures)

	there.server.Close()
	s.Create(channel.Threads, "No receiver", "draft")
	failed := e.deliveries(t, apiclient.DeliveryStatusFAILED, 1)[0]
	require.EqualValues(t, webhook.MaxAttempts, failed.AttemptCount)
	for _, a := range e.log(t, failed.ID).Attempts {
		require.Equal(t, "connection_refused", a.Error.MustGet())
		require.True(t, a.StatusCode.IsNull())
	}
	require.EqualValues(t, 1, e.read(t).ConsecutiveFailures)
}

func isGone(t *testing.T, s *harness.System) {
	t.Helper()
	e := subscribe(t, s, "post.created")
	e.responses(func(int) reply { return reply{status: http.StatusGone} })
	s.Create(channel.Threads, "Anybody?", "draft")
	failed := e.deliveries(t, apiclient.DeliveryStatusFAILED, 1)[0]
	require.EqualValues(t, 1, failed.AttemptCount)
	require.Equal(t, "status_4xx", e.log(t, failed.ID).Attempts[0].Error.MustGet())
	gone := e.read(t)
	require.False(t, gone.IsActive)
	require.Equal(t, "GONE", gone.DisabledReason.MustGet())
	require.False(t, gone.DisabledAt.IsNull())
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
	require.EqualValues(t, webhook.MaxAttempts, e.deliveries(t, apiclient.DeliveryStatusSUCCEEDED, 1)[0].AttemptCount)
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
	require.Equal(t, webhook.ReasonFailures, disabled.DisabledReason.MustGet())
	require.EqualValues(t, webhook.DisableAfter, disabled.ConsecutiveFailures)
	failed := e.deliveries(t, apiclient.DeliveryStatusFAILED, webhook.DisableAfter)
	attempts := len(e.all())
	require.Equal(t, webhook.DisableAfter*webhook.MaxAttempts, attempts)
	require.Equal(t, []enums.EventType{
		enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, enums.EVENT_TYPE_ACTIVITY_TASK_STARTED,
		enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
	}, s.Steps("delivery/"+failed[0].ID), "retries add no events")

	e.responses(nil)
	enabled := e.update(t, apiclient.UpdateWebhookRequest{IsActive: new(true)})
	require.True(t, enabled.IsActive)
	require.Zero(t, enabled.ConsecutiveFailures)
	require.True(t, enabled.DisabledAt.IsNull())
	require.EqualValues(t, webhook.DisableAfter, e.replay(t, since, apiclient.StartReplayOnlyInputFailed).Queued)
	got := e.await(t, func(hit) bool { return true }, attempts+webhook.DisableAfter)
	var want []string
	for _, d := range failed {
		want = append(want, d.EventID)
	}
	require.ElementsMatch(t, want, ids(got[attempts:]))
	require.Len(t, e.deliveries(t, apiclient.DeliveryStatusSUCCEEDED, webhook.DisableAfter), webhook.DisableAfter)
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
	start := *readToEnd(t, s, nil)
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
		page := readLog(t, s, apiclient.ListEventsParams{Cursor: &cursor, Limit: new(int64(7))})
		for _, logged := range page.Data {
			number := logged.Sequence.MustGet()
			require.True(t, last == 0 || number == last+1, "after %d came %d", last, number)
			last = number
			require.NotNil(t, logged.Data.PostID)
			id := *logged.Data.PostID
			require.False(t, seen[id], "seen twice")
			seen[id] = true
		}
		if next, err := page.NextCursor.Get(); err == nil {
			cursor = next
		}
		select {
		case <-ended:
			done = len(seen) >= posts && !page.HasMore
		default:
		}
	}
	require.Equal(t, created, seen)
}
