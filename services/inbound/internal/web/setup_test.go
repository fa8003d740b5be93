package web_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/inbound/internal/web"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/ratelimit/ratelimittest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

const (
	telegramSecret = "telegram_secret-1"
	formerSecret   = "telegram_secret-0"
	metaSecret     = "meta secret"
	oldMetaSecret  = "old meta secret"
	verifyToken    = "verify-me"
	bot            = "4711"
)

// receiver splits bodies of the form [{"key": …, "kind": …}].
type receiver struct{ network channel.Network }

func (r receiver) Network() channel.Network { return r.network }

func (receiver) Version() int { return 1 }

func (receiver) Read(inbox.Event) (inbox.Change, error) { return inbox.Change{}, nil }

func (r receiver) Split(account string, body []byte, now time.Time) ([]inbox.Event, error) {
	var list []struct {
		Key, Kind string
		Faulty    bool
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	var events []inbox.Event
	for _, e := range list {
		if e.Faulty {
			panic("a fault of the receiver") //nolint:forbidigo // the test is about it
		}
		events = append(events, inbox.Event{
			Network: r.network, Account: account, Key: e.Key, Kind: e.Kind, At: now, Body: body,
		})
	}
	return events, nil
}

// memory is a store in memory.
type memory struct {
	mu      sync.Mutex
	sources map[ident.InboundSource]postgres.InboundOrigin
	known   map[string]bool
	events  []inbox.Event
	down    error
	wait    chan struct{} // closed: the store responds
}

func (m *memory) Source(_ context.Context, id ident.InboundSource) (postgres.InboundOrigin, error) {
	if m.down != nil {
		return postgres.InboundOrigin{}, m.down
	}
	origin, found := m.sources[id]
	if !found {
		return origin, apperr.New(apperr.NotFound, "none")
	}
	return origin, nil
}

func (m *memory) Store(ctx context.Context, events []inbox.Event) (stored int, err error) {
	if m.wait != nil {
		select {
		case <-m.wait:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down != nil {
		return 0, m.down
	}
	for _, e := range events {
		if name := string(e.Network) + e.Account + e.Key; !m.known[name] {
			m.known[name] = true
			m.events = append(m.events, e)
			stored++
		}
	}
	return stored, nil
}

func (m *memory) all() []inbox.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.events
}

type bundle struct {
	config   web.Config
	store    *memory
	source   ident.InboundSource
	registry *prometheus.Registry
	logs     *bytes.Buffer
}

func setup(t testing.TB) *bundle {
	t.Helper()
	clk := clocktest.New(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	logs := new(bytes.Buffer)
	log := slog.New(slog.NewTextHandler(logs, nil))
	limiter, err := ratelimit.New(ratelimit.Config{Store: ratelimittest.New(clk), Clock: clk, Logger: log})
	require.NoError(t, err)
	admission, err := gate.New(gate.Config{Limiter: limiter})
	require.NoError(t, err)
	b := &bundle{
		source: ident.New[ident.InboundSource](), registry: prometheus.NewRegistry(), logs: logs,
		store: &memory{known: map[string]bool{}, sources: map[ident.InboundSource]postgres.InboundOrigin{}},
	}
	b.store.sources[b.source] = postgres.InboundOrigin{
		Network: channel.NetworkTelegram, Account: bot, Hashes: [][]byte{hashed(telegramSecret), hashed(formerSecret)},
	}
	b.config = web.Config{
		Store: b.store, Secrets: []string{metaSecret, oldMetaSecret}, VerifyToken: verifyToken, Gate: admission,
		Receivers: map[channel.Network]platform.Receiver{
			channel.NetworkTelegram: receiver{channel.NetworkTelegram}, channel.NetworkWhatsApp: receiver{channel.NetworkWhatsApp},
		},
		// Tests use different addresses, so that their rate limits are independent.
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Clock:          clk, Logger: log, Registerer: b.registry,
	}
	return b
}

func (b *bundle) site(t testing.TB) *web.Site {
	t.Helper()
	site, err := web.New(b.config)
	require.NoError(t, err)
	return site
}

func hashed(secret string) []byte {
	hash := sha256.Sum256([]byte(secret))
	return hash[:]
}

// signatureOf returns Meta's signature over a body.
func signatureOf(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// report is a request of a network.
type report struct {
	method, path, body string
	header             http.Header
}

func (b *bundle) telegram(body string) report {
	return report{
		http.MethodPost, "/telegram/" + b.source.String(), body, http.Header{"X-Telegram-Bot-Api-Secret-Token": {telegramSecret}},
	}
}

func whatsApp(body string) report {
	return report{
		http.MethodPost, "/meta/whatsapp", body, http.Header{"X-Hub-Signature-256": {signatureOf(metaSecret, body)}},
	}
}

// send handles a request, and checks what every response has.
func send(t testing.TB, site http.Handler, r report) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), r.method, r.path, bytes.NewBufferString(r.body))
	request.RemoteAddr = "127.0.0.1:1"
	request.Header = r.header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	recorded := httptest.NewRecorder()
	site.ServeHTTP(recorded, request)
	require.Equal(t, "no-store", recorded.Header().Get("Cache-Control"))
	require.Equal(t, "nosniff", recorded.Header().Get("X-Content-Type-Options"))
	require.Equal(t, "text/plain; charset=utf-8", recorded.Header().Get("Content-Type"))
	require.LessOrEqual(t, recorded.Body.Len(), 200)
	return recorded
}

// count returns the number of requests with an outcome.
func (b *bundle) count(t testing.TB, network, outcome string) float64 {
	t.Helper()
	families, err := b.registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if labels["network"] == network && labels["outcome"] == outcome {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

// failing is a body whose connection breaks.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

var _ io.Reader = failing{}

var errBroken = errors.New("broken")
