package command_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
)

// eventLog is the API with a log of events whose cursors the test invalidates.
type eventLog struct {
	mu       sync.Mutex
	last     int    // events 1 to last are in the log
	valid    string // prefix of valid cursors
	requests []string
}

func (l *eventLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.URL.Path == "/v1/workspace" {
		fmt.Fprint(w, `{"id":"w","name":"Shop","timezone":"UTC"}`)
		return
	}
	query := r.URL.Query()
	l.requests = append(l.requests, r.URL.RawQuery)
	event := func(n int) string {
		return fmt.Sprintf(`{"id":"evt_%d","type":"post.created","createdAt":"2026-12-01T09:00:0%dZ","workspaceId":"w","sequence":%d,"data":{"n":1.0}}`, n, n, n)
	}
	after := 0
	switch cursor := query.Get("cursor"); {
	case query.Get("sort") == "-seq":
		fmt.Fprintf(w, `{"data":[%s],"nextCursor":"x","hasMore":true}`, event(l.last))
		return
	case cursor != "" && !strings.HasPrefix(cursor, l.valid):
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"code":"INVALID_CURSOR","detail":"The cursor is not valid."}`)
		return
	case cursor != "":
		_, _ = fmt.Sscanf(strings.TrimPrefix(cursor, l.valid), "%d", &after)
	}
	if after == l.last {
		fmt.Fprint(w, `{"data":[],"nextCursor":null,"hasMore":false}`)
		return
	}
	fmt.Fprintf(w, `{"data":[%s],"nextCursor":"%s%d","hasMore":%t}`, event(after+1), l.valid, after+1, after+1 < l.last)
}

func (l *eventLog) set(last int, valid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.valid = last, valid
}

// program is a program on the same machine that verifies events.
type program struct {
	mu     sync.Mutex
	secret string
	got    []string
	status int
}

func (p *program) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	event, err := fencepost.VerifyWebhook(r.Header, body, p.secret)
	if err != nil || !strings.Contains(string(body), `{"n":1.0}`) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	p.got = append(p.got, event.ID)
	if p.status != 0 {
		w.WriteHeader(p.status)
	}
}

const ownSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// TestListenContinues forwards what is new since the last time, also when the stored cursor is no longer valid, and prints
// the status of the program, which is not repeated.
func TestListenContinues(t *testing.T) {
	t.Parallel()
	events := &eventLog{last: 3, valid: "a"}
	m := newMachine(t, events.ServeHTTP)
	m.environ["FENCEPOST_WEBHOOK_SECRET"] = ownSecret
	p := &program{secret: ownSecret}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	listen := func(args ...string) string {
		out, errs, code := m.run(t, "", append([]string{"listen", "--once", "--forward-to", server.URL}, args...)...)
		require.Zero(t, code, errs)
		return out
	}
	require.Empty(t, listen(), "the first start begins with new events")
	events.set(5, "a")
	require.Equal(t, 2, strings.Count(listen(), "\n"))
	require.Equal(t, []string{"evt_4", "evt_5"}, p.got)
	p.status = http.StatusTeapot
	events.set(6, "b")
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(listen()), &line))
	require.InDelta(t, http.StatusTeapot, line["status"], 0)
	require.Equal(t, []string{"evt_4", "evt_5", "evt_6"}, p.got, "each once, without a valid cursor")
	require.Empty(t, listen())
	require.Equal(t, 6, strings.Count(listen("--since", "2026-12-01 08:00"), "\n"))
	require.Empty(t, listen("--events", "post.published"))

	state := filepath.Join(m.home, ".local", "state", "fencepost", "listen-w.json")
	info, err := os.Stat(state)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it has the secret")
	out, _, code := m.run(t, "", "listen", "--once", "--since", "2026-12-01 08:00", "--jq", ".data.n")
	require.Zero(t, code)
	require.Equal(t, 6, strings.Count(out, "\n"), "without a program, the events are printed")
}

// TestListenWaitsForTheProgram starts the program after the event.
func TestListenWaitsForTheProgram(t *testing.T) {
	t.Parallel()
	m := newMachine(t, (&eventLog{last: 1, valid: "a"}).ServeHTTP)
	m.environ["FENCEPOST_WEBHOOK_SECRET"] = ownSecret
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	p := &program{secret: ownSecret}
	started := make(chan *http.Server, 1)
	time.AfterFunc(300*time.Millisecond, func() {
		server := &http.Server{Addr: address, Handler: p, ReadHeaderTimeout: time.Second}
		started <- server
		_ = server.ListenAndServe()
	})
	_, errs, code := m.run(t, "", "listen", "--once", "--since", "2026-12-01 08:00", "--forward-to", address)
	require.Zero(t, code, errs)
	require.Contains(t, errs, "Waiting for http://"+address+"/: ")
	require.Equal(t, []string{"evt_1"}, p.got)
	require.NoError(t, (<-started).Close())
}

func TestWrongSecretIsNamed(t *testing.T) {
	t.Parallel()
	m := newMachine(t, (&eventLog{last: 1, valid: "a"}).ServeHTTP)
	m.environ["FENCEPOST_WEBHOOK_SECRET"] = "secret"
	_, errs, code := m.run(t, "", "listen", "--once", "--forward-to", "3000")
	require.Equal(t, 2, code)
	require.Contains(t, errs, "FENCEPOST_WEBHOOK_SECRET is not the secret of a webhook")
}
