package e2e_test

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
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
func subscribe(t *testing.T, s *harness.System, events ...fencepost.EventType) *endpoint {
	t.Helper()
	e := &endpoint{System: s, hookReceiver: newHookReceiver(t)}
	if len(events) == 0 {
		events = []fencepost.EventType{fencepost.EventTypeAll}
	}
	created, err := s.API.Webhooks.Create(t.Context(), fencepost.CreateWebhookRequest{URL: e.url(), Events: events})
	require.NoError(t, err)
	e.id, e.secret = created.ID, created.Secret
	return e
}

func (e *endpoint) remove(t *testing.T) {
	t.Helper()
	require.NoError(t, e.API.Webhooks.Delete(t.Context(), e.id))
}

// deliveries waits for n deliveries in a state.
func (e *endpoint) deliveries(t *testing.T, status fencepost.DeliveryStatus, n int) []fencepost.WebhookDelivery {
	t.Helper()
	var found []fencepost.WebhookDelivery
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var err error
		found, err = harness.All(e.API.Webhooks.ListDeliveries(t.Context(), e.id, fencepost.ListWebhookDeliveriesParams{Status: status}))
		require.NoError(c, err)
		require.Len(c, found, n)
	}, 2*soon, 50*time.Millisecond)
	return found
}

// log reads a delivery with its attempts.
func (e *endpoint) log(t *testing.T, id string) fencepost.WebhookDeliveryLog {
	t.Helper()
	return harness.Result(e.API.Webhooks.GetDelivery(t.Context(), e.id, id))(t)
}

// replay starts a replay and waits for its end.
func (e *endpoint) replay(t *testing.T, since time.Time, only fencepost.StartReplayOnly) fencepost.WebhookReplay {
	t.Helper()
	replay := harness.Result(e.API.Webhooks.StartReplay(t.Context(), e.id, fencepost.StartReplayRequest{Since: since, Only: only}))(t)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		replay = harness.Result(e.API.Webhooks.GetReplay(t.Context(), e.id, replay.ID))(c)
		require.Equal(c, string(webhook.ReplayCompleted), replay.Status)
	}, soon, 50*time.Millisecond)
	return replay
}

// logPage is a page of the event log.
type logPage struct {
	Data       []fencepost.Event
	NextCursor string // empty in an empty log
	HasMore    bool
}

// readLog reads the page of the event log after the cursor; the first one if it is empty.
func readLog(t *testing.T, s *harness.System, cursor string, limit int) (page logPage) {
	t.Helper()
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	require.NoError(t, s.API.Request(t.Context(), http.MethodGet, "/v1/events", query, nil, &page))
	return page
}

// readToEnd reads to the end of the event log and returns the cursor from which to continue.
func readToEnd(t *testing.T, s *harness.System) (cursor string) {
	t.Helper()
	for {
		page := readLog(t, s, cursor, 100)
		cursor = cmp.Or(page.NextCursor, cursor)
		if !page.HasMore {
			return cursor
		}
	}
}
