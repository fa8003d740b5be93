package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/clock/clocktest"
)

// bundle is a sandbox with its own clock, called over HTTP.
type bundle struct {
	clock   *clocktest.Fake
	folder  string
	sandbox *Sandbox
	server  *httptest.Server
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{clock: clocktest.New(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)), folder: t.TempDir()}
	b.open(t)
	t.Cleanup(func() { b.close(t) })
	return b
}

func (b *bundle) open(t *testing.T) {
	t.Helper()
	var err error
	b.sandbox, err = New(context.WithoutCancel(t.Context()), Config{
		Folder: b.folder, Clock: b.clock, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
		RetryScale: 0.001,
	})
	require.NoError(t, err)
	b.server = httptest.NewServer(b.sandbox.Handler)
}

func (b *bundle) close(t *testing.T) {
	t.Helper()
	b.sandbox.Release()
	b.server.Close()
	require.NoError(t, b.sandbox.Close())
}

func (b *bundle) restart(t *testing.T) {
	t.Helper()
	b.close(t)
	b.open(t)
}

// reply is a response, with its body decoded if it is JSON.
type reply struct {
	status int
	header http.Header
	body   string
	json   map[string]any
}

func (r reply) at(t *testing.T, path ...string) any {
	t.Helper()
	var value any = r.json
	for _, name := range path {
		members, ok := value.(map[string]any)
		require.True(t, ok, "%s in %s", name, r.body)
		value = members[name]
	}
	return value
}

func (r reply) text(t *testing.T, path ...string) string {
	t.Helper()
	text, ok := r.at(t, path...).(string)
	require.True(t, ok, "%v in %s", path, r.body)
	return text
}

// call sends a body of the given type. Status 0 means that the connection was cut.
func (b *bundle) call(ctx context.Context, t *testing.T, method, path, bearer, contentType, body string) reply {
	t.Helper()
	response, err := b.try(ctx, method, path, bearer, contentType, body)
	require.NoError(t, err)
	return response
}

// later sends X's publishing call in the background.
func (b *bundle) later(ctx context.Context, account, text string) <-chan reply {
	responses := make(chan reply, 1)
	go func() {
		response, _ := b.try(ctx, http.MethodPost, "/x/2/tweets", "sandbox-x-"+account, "application/json",
			`{"text":"`+text+`"}`)
		responses <- response
	}()
	return responses
}

func (b *bundle) try(ctx context.Context, method, path, bearer, contentType, body string) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, b.server.URL+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	return exchange(request)
}

// exchange sends the request. A zero reply means that the connection was cut.
func exchange(request *http.Request) (reply, error) {
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return reply{}, nil
	}
	defer func() { _ = response.Body.Close() }()
	received, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}, err
	}
	r := reply{status: response.StatusCode, header: response.Header, body: string(received)}
	_ = json.Unmarshal(received, &r.json)
	return r, nil
}

func (b *bundle) get(t *testing.T, path, bearer string) reply {
	t.Helper()
	return b.call(t.Context(), t, http.MethodGet, path, bearer, "", "")
}

func (b *bundle) form(t *testing.T, path string, values ...string) reply {
	t.Helper()
	form := url.Values{}
	for pair := range slices.Chunk(values, 2) {
		require.Len(t, pair, 2)
		form.Set(pair[0], pair[1])
	}
	return b.call(t.Context(), t, http.MethodPost, path, "", "application/x-www-form-urlencoded", form.Encode())
}

// control sends a body to the control API.
func (b *bundle) control(t *testing.T, path, body string) reply {
	t.Helper()
	return b.call(t.Context(), t, http.MethodPost, "/_sandbox"+path, "", "application/json", body)
}

func (b *bundle) tweet(t *testing.T, account, text string) reply {
	t.Helper()
	body, err := json.Marshal(map[string]string{"text": text})
	require.NoError(t, err)
	return b.call(t.Context(), t, http.MethodPost, "/x/2/tweets", "sandbox-x-"+account, "application/json", string(body))
}

func (b *bundle) inject(t *testing.T, fault string) reply {
	t.Helper()
	return b.control(t, "/faults", fault)
}

func (b *bundle) posts(t *testing.T, query string) []map[string]any {
	t.Helper()
	response := b.get(t, "/_sandbox/posts"+query, "")
	require.Equal(t, http.StatusOK, response.status, response.body)
	var posts []map[string]any
	require.NoError(t, json.Unmarshal([]byte(response.body), &posts))
	return posts
}

// newest returns the id of the newest post that matches the query.
func (b *bundle) newest(t *testing.T, query string) string {
	t.Helper()
	posts := b.posts(t, query)
	require.NotEmpty(t, posts)
	id, ok := posts[0]["id"].(string)
	require.True(t, ok)
	return id
}

// newServerAt returns a placeholder for a server that runs elsewhere.
func newServerAt(address string) *httptest.Server { return &httptest.Server{URL: address} }
