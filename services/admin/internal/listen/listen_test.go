package listen_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/admin/internal/listen"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

type bundle struct {
	listener *listen.Listener
	out      *strings.Builder
}

func setup(t *testing.T, plan listen.Plan, printer func(*strings.Builder) listen.Printer) *bundle {
	t.Helper()
	b := &bundle{out: &strings.Builder{}}
	var err error
	b.listener, err = listen.New(listen.Config{
		Secret: secret, Plan: plan, Clock: clocktest.New(now()), Printer: printer(b.out),
	})
	require.NoError(t, err)
	return b
}

func plain(out *strings.Builder) listen.Printer { return listen.Text(out, false) }

// deliver sends the listener a request with the headers of a delivery, modified by change.
func (b *bundle) deliver(t *testing.T, body string, change func(http.Header)) int {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/any/path", strings.NewReader(body))
	request.Header = webhook.Headers("evt_1", event.PostCreated, now(), []byte(body), secret)
	if change != nil {
		change(request.Header)
	}
	response := httptest.NewRecorder()
	b.listener.ServeHTTP(response, request)
	return response.Code
}

func envelope(id string) string {
	return fmt.Sprintf(`{"id":%q,"type":"post.created","createdAt":"2026-03-01T08:59:30.000Z","data":{}}`, id)
}

func TestSignatureHeaders(t *testing.T) {
	t.Parallel()
	standard := []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"}
	for name, c := range map[string]struct {
		change func(http.Header)
		status int
		shown  []string
	}{
		"both": {
			nil, 200,
			[]string{"verified by X-Service-Signature and webhook-signature, first attempt received, 30s after the event"},
		},
		"our own alone": {func(h http.Header) {
			for _, header := range standard {
				h.Del(header)
			}
		}, 200, []string{"verified by X-Service-Signature, first"}},
		"one contradicts": {
			func(h http.Header) { h.Set("webhook-signature", "v1,AAAA") }, 401,
			[]string{"NOT VERIFIED", "! webhook-signature: none of its values"},
		},
		"our own is missing": {
			func(h http.Header) { h.Del("X-Service-Signature") }, 401,
			[]string{"NOT VERIFIED", "! X-Service-Signature: it has 0 t values"},
		},
		"one header is missing": {
			func(h http.Header) { h.Del("webhook-timestamp") }, 401,
			[]string{"! webhook-signature: webhook-timestamp is missing"},
		},
		"other headers": {func(h http.Header) {
			h.Set("X-Service-Delivery", "evt_2")
			h.Set("X-Service-Event", "post.failed")
		}, 200, []string{
			`! X-Service-Delivery is "evt_2", but the envelope has "evt_1"`,
			`! X-Service-Event is "post.failed", but the envelope has "post.created"`,
		}},
	} {
		b := setup(t, listen.Plan{Status: 200}, plain)
		require.Equal(t, c.status, b.deliver(t, envelope("evt_1"), c.change), name)
		for _, part := range c.shown {
			require.Contains(t, b.out.String(), part, name)
		}
	}
}

// TestOutputEscapesControlCharacters checks that a delivery cannot control the terminal.
func TestOutputEscapesControlCharacters(t *testing.T) {
	t.Parallel()
	hostile := "\x1b]0;gone\a\x1b[2J\u009b31m\u202egnp.\u2028\x7f"
	for _, body := range []string{
		`{"id":"evt_1","type":"post.created","data":"` + strings.NewReplacer("\x1b", "", "\a", "").Replace(hostile) +
			` 👩‍👩‍👧"}`,
		hostile + " 👩‍👩‍👧 \xff",
	} {
		b := setup(t, listen.Plan{Status: 200}, plain)
		b.deliver(t, body, func(h http.Header) { h.Set("X-Service-Event", hostile) })
		for _, harmful := range []string{"\x1b", "\a", "\u009b", "\u202e", "\u2028", "\x7f"} {
			require.NotContains(t, b.out.String(), harmful)
		}
		require.Contains(t, b.out.String(), `\u202egnp.`)
		require.Contains(t, b.out.String(), "👩‍👩‍👧")
	}
}

func TestColour(t *testing.T) {
	t.Parallel()
	b := setup(t, listen.Plan{Status: 500}, func(out *strings.Builder) listen.Printer { return listen.Text(out, true) })
	b.deliver(t, `{"id":"evt_1","data":{"a \"b\": c":"d: \"e\": f"}}`, nil)
	require.Contains(t, b.out.String(), "\x1b[36m\"a \\\"b\\\": c\"\x1b[0m: \"d: \\\"e\\\": f\"\n")
	require.Contains(t, b.out.String(), "response \x1b[31m500 Internal Server Error\x1b[0m\n")
	require.Equal(t, strings.Count(b.out.String(), "\x1b[0m"), strings.Count(b.out.String(), "\x1b[")/2)
}

func TestInvalidDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t, listen.Plan{Status: 200}, plain)
	response := httptest.NewRecorder()
	b.listener.ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	require.Equal(t, http.StatusMethodNotAllowed, response.Code)
	require.Equal(t, "POST", response.Header().Get("Allow"))
	require.Equal(t, http.StatusRequestEntityTooLarge, b.deliver(t, strings.Repeat("x", 1<<20+1), nil))
	require.Empty(t, b.out.String())
	require.Equal(t, 200, b.deliver(t, `[]`, nil))
	require.Contains(t, b.out.String(), "! the body is not an event envelope: ")
	require.Equal(t, listen.Counts{Deliveries: 1, Events: 1}, b.listener.Counts())
}

// TestConcurrentDeliveries checks that concurrent deliveries take earlier ones into account and are printed without
// interleaving.
func TestConcurrentDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t, listen.Plan{Status: 200, FailFirst: 3},
		func(out *strings.Builder) listen.Printer { return listen.Lines(out) })
	const events, times = 20, 5
	responses := make(chan int, events*times)
	var all sync.WaitGroup
	for n := range events * times {
		all.Go(func() { responses <- b.deliver(t, envelope(fmt.Sprintf("evt_%d", n%events)), nil) })
	}
	all.Wait()
	close(responses)
	counted := map[int]int{}
	for status := range responses {
		counted[status]++
	}
	require.Equal(t, map[int]int{500: events * 3, 200: events * 2}, counted)
	require.Equal(t, events*times, strings.Count(b.out.String(), "\n"))
	require.Equal(t, listen.Counts{Deliveries: events * times, Events: events, Duplicates: events}, b.listener.Counts())
}

func TestPrintingFails(t *testing.T) {
	t.Parallel()
	fault := errors.New("write failed")
	b := setup(t, listen.Plan{Status: 200}, func(*strings.Builder) listen.Printer { return failing{fault} })
	for range 3 {
		require.Equal(t, 200, b.deliver(t, envelope("evt_1"), nil))
	}
	require.Equal(t, fault, <-b.listener.Broken())
}

type failing struct{ err error }

func (f failing) Print(listen.Delivery) error { return f.err }

func TestNewRequiresConfig(t *testing.T) {
	t.Parallel()
	_, err := listen.New(listen.Config{Secret: secret})
	require.ErrorContains(t, err, "every member")
}
