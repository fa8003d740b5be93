package e2e_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/webhook"
)

// hit is one received request.
type hit struct {
	id, signature string
	body          []byte
	at            time.Time
}

func ids(hits []hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.id
	}
	return out
}

// reply is the response to a request.
type reply struct {
	status int
	header http.Header
	body   string
	after  time.Duration
}

// hookReceiver is a receiver with configurable responses.
type hookReceiver struct {
	server   *httptest.Server
	mu       sync.Mutex
	hits     []hit
	response func(n int) reply // to the n-th request, from 1; nil: default response
}

func newHookReceiver(t *testing.T) *hookReceiver {
	t.Helper()
	in := &hookReceiver{}
	in.server = httptest.NewServer(http.HandlerFunc(in.serve))
	t.Cleanup(in.server.Close)
	return in
}

func (in *hookReceiver) url() string { return in.server.URL + "/in" }

func (in *hookReceiver) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	in.mu.Lock()
	in.hits = append(in.hits, hit{
		id: r.Header.Get(webhook.HeaderDelivery), signature: r.Header.Get(webhook.HeaderSignature), body: body,
		at: time.Now(),
	})
	response := reply{status: http.StatusOK, body: "thank you"}
	if in.response != nil {
		response = in.response(len(in.hits))
	}
	in.mu.Unlock()
	if response.after > 0 {
		<-time.After(response.after)
	}
	for name, values := range response.header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.status)
	_, _ = io.WriteString(w, response.body)
}

func (in *hookReceiver) responses(response func(n int) reply) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.response = response
}

func (in *hookReceiver) all() []hit {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.hits)
}

// await waits for n requests that match kind, and returns all that match.
func (in *hookReceiver) await(t *testing.T, kind func(h hit) bool, n int) []hit {
	t.Helper()
	var found []hit
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		found = slices.DeleteFunc(in.all(), func(h hit) bool { return !kind(h) })
		require.GreaterOrEqual(c, len(found), n)
	}, 2*soon, 20*time.Millisecond)
	return found
}

// endpoint is a webhook with its receiver.
type endpoint struct {
	*harness.System
	*hookReceiver

	id, secret string
}

// subscribe registers a new receiver, for all events unless some are named. The webhook is deleted at the end of the
// test.
func subscribe(t *testing.T, s *harness.System, events ...apiclient.EventTypeInput) *endpoint {
	t.Helper()
	e := &endpoint{System: s, hookReceiver: newHookReceiver(t)}
	if len(events) == 0 {
		events = []apiclient.EventTypeInput{apiclient.EventTypeInputAsterisk}
	}
	result, err := s.API.CreateWebhookWithResponse(t.Context(), nil, apiclient.CreateWebhookRequest{URL: e.url(), Events: events})
	require.NoError(t, err)
	created := harness.Response(t, result.JSON201, result.Body)
	e.id, e.secret = created.ID, created.Secret
	return e
}

func (e *endpoint) remove(t *testing.T) {
	t.Helper()
	gone, err := e.API.DeleteWebhookWithResponse(t.Context(), e.id, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, gone.StatusCode())
}

// deliveries waits for n deliveries in a state.
func (e *endpoint) deliveries(t *testing.T, status apiclient.DeliveryStatus, n int) []apiclient.WebhookDelivery {
	t.Helper()
	var found []apiclient.WebhookDelivery
	wanted := apiclient.DeliveryStatusInput(status)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		listed, err := e.API.ListWebhookDeliveriesWithResponse(t.Context(), e.id,
			&apiclient.ListWebhookDeliveriesParams{Status: &wanted})
		require.NoError(c, err)
		require.NotNil(c, listed.JSON200, "%s", listed.Body)
		found = listed.JSON200.Data
		require.Len(c, found, n)
	}, 2*soon, 50*time.Millisecond)
	return found
}

// log reads a delivery with its attempts.
func (e *endpoint) log(t *testing.T, id string) apiclient.WebhookDeliveryLog {
	t.Helper()
	found, err := e.API.GetWebhookDeliveryWithResponse(t.Context(), e.id, id)
	require.NoError(t, err)
	return harness.Response(t, found.JSON200, found.Body)
}

// replay starts a replay and waits for its end.
func (e *endpoint) replay(t *testing.T, since time.Time, only apiclient.StartReplayOnlyInput) apiclient.WebhookReplay {
	t.Helper()
	started, err := e.API.StartWebhookReplayWithResponse(t.Context(), e.id, nil,
		apiclient.StartReplayRequest{Since: since, Only: &only})
	require.NoError(t, err)
	replay := harness.Response(t, started.JSON202, started.Body)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		found, err := e.API.GetWebhookReplayWithResponse(t.Context(), e.id, replay.ID)
		require.NoError(c, err)
		replay = harness.Response(t, found.JSON200, found.Body)
		require.Equal(c, string(webhook.ReplayCompleted), replay.Status)
	}, soon, 50*time.Millisecond)
	return replay
}

// readLog reads one page of the event log.
func readLog(t require.TestingT, s *harness.System, params apiclient.ListEventsParams) apiclient.EventPage {
	listed, err := s.API.ListEventsWithResponse(context.Background(), &params)
	require.NoError(t, err)
	require.NotNil(t, listed.JSON200, "%s", listed.Body)
	return *listed.JSON200
}

// readToEnd reads to the end of the event log and returns the cursor from which to continue.
func readToEnd(t *testing.T, s *harness.System, cursor *string) *string {
	t.Helper()
	for {
		page := readLog(t, s, apiclient.ListEventsParams{Cursor: cursor, Limit: new(int64(100))})
		if next, err := page.NextCursor.Get(); err == nil {
			cursor = &next
		}
		if !page.HasMore {
			return cursor
		}
	}
}
