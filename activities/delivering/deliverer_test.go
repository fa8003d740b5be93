package delivering_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/delivering"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

type bundle struct {
	*delivering.Deliverer
	db        *postgres.DB
	dsn       string
	webhooks  *postgres.Webhooks
	events    *postgres.Events
	lines     *postgres.Deliveries
	reserving *postgres.Deliveries // with the setting of the express lane
	outbox    *postgres.Outbox
	endpoint  webhook.Endpoint
	registry  *prometheus.Registry
	pokes     atomic.Int32 // of the relay

	mu       sync.Mutex
	response http.HandlerFunc
	requests []*http.Request
	bodies   [][]byte
}

func setup(t *testing.T) *bundle {
	t.Helper()
	return setupWith(t, nil)
}

// setupWith returns a bundle whose deliveries are reserved for the express lane after the given wait; nil: never.
func setupWith(t *testing.T, express *time.Duration) *bundle {
	t.Helper()
	b := &bundle{registry: prometheus.NewRegistry()}
	b.db, b.dsn = postgrestest.OpenURL(t)
	db, err := postgres.Open(postgres.Config{
		URL: b.dsn, MaxConnections: 8, Logger: slog.New(slog.DiscardHandler), Express: express,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	server := httptest.NewServer(http.HandlerFunc(b.receive))
	t.Cleanup(server.Close)
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	policy, err := egress.NewPolicy(egress.PolicyConfig{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	require.NoError(t, err)
	sender, err := egress.NewClient(egress.Config{
		Policy: policy, Profile: egress.Webhook, UserAgent: "test/1", Timeout: time.Second,
	})
	require.NoError(t, err)
	b.reserving = postgres.NewDeliveries(db, box)
	b.Deliverer, err = delivering.New(delivering.Config{
		Deliveries: b.reserving, Sender: sender, Clock: clock.System(),
		Logger:  slog.New(slog.DiscardHandler),
		Metrics: delivering.NewMetrics(b.registry), RetryScale: 1, Wake: func() { b.pokes.Add(1) },
	})
	require.NoError(t, err)
	b.lines = postgres.NewDeliveries(b.db, nil)
	b.webhooks, b.events, b.outbox = postgres.NewWebhooks(b.db, box), postgres.NewEvents(b.db), postgres.NewOutbox(b.db)
	now := time.Now().UTC()
	ws := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Free, Timezone: "UTC", CreatedAt: now,
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), ws))
	b.endpoint = webhook.Endpoint{
		ID: ident.New[ident.Webhook](), WorkspaceID: ws.ID, URL: server.URL + "/hook?a=1", Events: []string{"*"},
		IsActive:  true,
		CreatedAt: now.Add(-time.Minute), UpdatedAt: now,
	}
	require.NoError(t, b.webhooks.Insert(t.Context(), b.endpoint, secret))
	return b
}

func (b *bundle) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	b.requests, b.bodies = append(b.requests, r), append(b.bodies, body)
	response := b.response
	b.mu.Unlock()
	if response != nil {
		response(w, r)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// deliver creates an event and returns its delivery, which has a slot.
func (b *bundle) deliver(t *testing.T, only ident.Webhook) (event.Event, flow.DeliveryInput) {
	t.Helper()
	e := b.happens(t, only)
	admitted := b.admit(t)
	require.Len(t, admitted, 1)
	return e, admitted[0]
}

// happens creates an event whose delivery is queued.
func (b *bundle) happens(t *testing.T, only ident.Webhook) event.Event {
	t.Helper()
	e, err := event.New(b.endpoint.WorkspaceID, event.PostPublished, time.Now().UTC(), event.PostData{Status: "PUBLISHED"})
	require.NoError(t, err)
	require.NoError(t, b.events.Insert(t.Context(), e, only))
	handled, _, err := b.events.FanOut(t.Context(), 100)
	require.NoError(t, err)
	require.Equal(t, 1, handled)
	return e
}

// admit assigns free slots to queued deliveries and returns the workflow inputs that the relay would use.
func (b *bundle) admit(t *testing.T) (started []flow.DeliveryInput) {
	t.Helper()
	_, err := b.lines.Admit(t.Context())
	require.NoError(t, err)
	for _, lane := range []postgres.Lane{postgres.LaneUrgent, postgres.LaneFirst} {
		_, err = b.outbox.Batch(t.Context(), lane, 100,
			func(messages []postgres.Message) (done []int64, failed map[int64]postgres.Retry) {
				for _, m := range messages {
					done = append(done, m.ID)
					if strings.HasSuffix(m.Kind, flow.KindDelivery) {
						started = append(started, inputOf[flow.DeliveryInput](t, m))
					}
				}
				return done, nil
			})
		require.NoError(t, err)
	}
	return started
}

func (b *bundle) reload(t *testing.T) webhook.Endpoint {
	t.Helper()
	e, err := b.webhooks.Get(t.Context(), b.endpoint.WorkspaceID, b.endpoint.ID)
	require.NoError(t, err)
	return e
}

// exhaust fails all attempts of a delivery.
func (b *bundle) exhaust(t *testing.T, in flow.DeliveryInput) (waits []time.Duration) {
	t.Helper()
	for {
		out, err := b.Attempt(t.Context(), in)
		require.NoError(t, err)
		if out.Done {
			return waits
		}
		waits = append(waits, out.Wait)
		b.comesDue(t, in)
	}
}

// comesDue makes the next attempt of a delivery due.
func (b *bundle) comesDue(t *testing.T, in flow.DeliveryInput) {
	t.Helper()
	postgrestest.Exec(t, b.dsn,
		`UPDATE delivery SET next_attempt_at = now() WHERE id = $1 AND next_attempt_at IS NOT NULL`, in.DeliveryID.String())
}

func TestDelivered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e, in := b.deliver(t, ident.Webhook{})
	out, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Len(t, b.requests, 1)
	got := b.requests[0]
	require.Equal(t, http.MethodPost, got.Method)
	require.Equal(t, "/hook?a=1", got.URL.String())
	require.Equal(t, "application/json", got.Header.Get("Content-Type"))
	require.Equal(t, "post.published", got.Header.Get("X-Service-Event"))
	require.Equal(t, "evt_"+e.ID.String(), got.Header.Get("X-Service-Delivery"))
	require.Equal(t, string(event.Numbered(e.Body, 1)), string(b.bodies[0]))
	require.NoError(t, webhook.Verify(got.Header.Get("X-Service-Signature"), b.bodies[0], secret, time.Now()))
	out, err = b.Attempt(t.Context(), in) // a second run sends nothing
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Len(t, b.requests, 1)
}

func TestRetriesThenExhausted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.response = status(http.StatusInternalServerError)
	_, in := b.deliver(t, ident.Webhook{})
	waits := b.exhaust(t, in)
	require.Len(t, waits, webhook.MaxAttempts-1)
	for i, want := range []time.Duration{10, 40, 160, 640, 2560} {
		require.InDelta(t, want*time.Second, waits[i], 0.21*float64(want*time.Second))
	}
	require.Len(t, b.requests, webhook.MaxAttempts)
	for _, r := range b.requests[1:] { // the same event, byte for byte
		require.Equal(t, b.requests[0].Header.Get("X-Service-Delivery"), r.Header.Get("X-Service-Delivery"))
	}
	for _, body := range b.bodies[1:] {
		require.Equal(t, b.bodies[0], body)
	}
	require.Equal(t, 1, b.reload(t).ConsecutiveFailures)
}

func TestSuccessStatuses(t *testing.T) {
	t.Parallel()
	for code, success := range map[int]bool{
		200: true, 204: true, 299: true, 301: false, 307: false, 400: false, 429: false, 500: false,
	} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.response = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", b.endpoint.URL)
				w.WriteHeader(code)
			}
			_, in := b.deliver(t, ident.Webhook{})
			out, err := b.Attempt(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, success, out.Done)
			require.Len(t, b.requests, 1) // redirects are not followed
		})
	}
}

func TestRetryAfterExtendsWait(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"15": 15 * time.Second, "86400": 20 * time.Second,
		time.Now().Add(time.Hour).UTC().Format(http.TimeFormat): 20 * time.Second,
	} {
		b := setup(t)
		b.response = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, in := b.deliver(t, ident.Webhook{})
		out, err := b.Attempt(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, want, out.Wait)
	}
}

func TestSlowReceiverTimesOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	b.response = func(http.ResponseWriter, *http.Request) { <-release }
	_, in := b.deliver(t, ident.Webhook{})
	out, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.False(t, out.Done)
	require.Contains(t, out.Note, "timeout")
}

func TestEndpointIsDisabledAtTenthFailure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.response = status(http.StatusBadGateway)
	fail := func() {
		_, in := b.deliver(t, ident.Webhook{})
		b.exhaust(t, in)
	}
	for range webhook.DisableAfter - 1 {
		fail()
	}
	require.True(t, b.reload(t).IsActive)
	b.response = nil
	_, in := b.deliver(t, ident.Webhook{})
	_, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.Zero(t, b.reload(t).ConsecutiveFailures)
	b.response = status(http.StatusBadGateway)
	_, waiting := b.deliver(t, ident.Webhook{})
	_, err = b.Attempt(t.Context(), waiting) // still has retries
	require.NoError(t, err)
	for range webhook.DisableAfter {
		require.True(t, b.reload(t).IsActive)
		fail()
	}
	disabled := b.reload(t)
	require.False(t, disabled.IsActive)
	require.Equal(t, webhook.ReasonFailures, disabled.DisabledReason)
	require.False(t, disabled.DisabledAt.IsZero())
	before := len(b.requests)
	out, err := b.Attempt(t.Context(), waiting) // was canceled with the endpoint
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Len(t, b.requests, before)
}

func TestGoneDisablesEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.response = status(http.StatusGone)
	_, in := b.deliver(t, ident.Webhook{})
	out, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.False(t, b.reload(t).IsActive)
	require.Equal(t, webhook.ReasonGone, b.reload(t).DisabledReason)
}

func TestFailedTestEventDoesNotCount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.response = status(http.StatusInternalServerError)
	_, in := b.deliver(t, b.endpoint.ID)
	b.exhaust(t, in)
	require.Zero(t, b.reload(t).ConsecutiveFailures)
}

func TestDeletedEndpointGetsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, in := b.deliver(t, ident.Webhook{})
	require.NoError(t, b.webhooks.Delete(t.Context(), b.endpoint.WorkspaceID, b.endpoint.ID))
	out, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Empty(t, b.requests)
	require.True(t, apperr.Is(b.webhooks.Delete(t.Context(), b.endpoint.WorkspaceID, b.endpoint.ID), apperr.NotFound))
}

func TestUnknownDeliveryIsDone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out, err := b.Attempt(t.Context(), flow.DeliveryInput{DeliveryID: ident.New[ident.Delivery]()})
	require.NoError(t, err)
	require.True(t, out.Done)
}

func TestEndpointConcurrencyIsLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var now, most, over atomic.Int32
	full := make(chan struct{})
	fill := sync.OnceFunc(func() { close(full) })
	b.response = func(http.ResponseWriter, *http.Request) {
		n := now.Add(1)
		for {
			seen := most.Load()
			if n <= seen || most.CompareAndSwap(seen, n) {
				break
			}
		}
		if n >= webhook.MaxInFlight {
			fill()
		}
		<-full // no request gets a response before all slots have been in use at once
		now.Add(-1)
		over.Add(1)
	}
	const events = 20
	for range events {
		b.happens(t, ident.Webhook{})
	}
	var work sync.WaitGroup
	for over.Load() < events { // like a relay that is notified all the time
		for _, in := range b.admit(t) {
			work.Go(func() { _, _ = b.Attempt(t.Context(), in) })
		}
	}
	work.Wait()
	require.EqualValues(t, webhook.MaxInFlight, most.Load())
	require.Len(t, b.requests, events)
	require.Empty(t, b.admit(t))
}

func TestResponsesAreStoredAsText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.response = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "\x1b[31mred\x00\xff\n\tü"+strings.Repeat("x", 5000))
	}
	_, in := b.deliver(t, ident.Webhook{})
	out, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done)
	attempts, err := b.lines.Attempts(t.Context(), in.DeliveryID, math.MaxInt32)
	require.NoError(t, err)
	require.Regexp(t, `^\[31mred\n\tüx+$`, attempts[0].Response)
}

// TestUnreadableSecretFailsDelivery takes the endpoint's secret away: its deliveries end as failed, are not
// counted against the endpoint, and can be made again.
func TestUnreadableSecretFailsDelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, in := b.deliver(t, ident.Webhook{})
	postgrestest.Exec(t, b.dsn, `UPDATE webhook SET secret = '\x00'`)
	require.Len(t, b.exhaust(t, in), webhook.MaxAttempts-1)
	require.Empty(t, b.requests, "nothing is sent without a signature")
	require.Zero(t, b.reload(t).ConsecutiveFailures)
	require.Equal(t, []string{"FAILED"}, postgrestest.Column(t, b.dsn, `SELECT state FROM delivery`))
	require.Equal(t, []string{"secret_unreadable"}, postgrestest.Column(t, b.dsn, `SELECT DISTINCT error_class FROM delivery_attempt`))
}

// inputOf decodes the payload of a message.
func inputOf[In any](t *testing.T, m postgres.Message) (in In) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(m.Payload), &in))
	return in
}
