package containers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"
)

// replaced is the order of replacement: workers first, as docs/operations.md requires.
func replaced() []string {
	return []string{"worker", "inbound", "files", "pages", "api", "mcp", "console"}
}

// address returns the public address of a host behind Caddy.
func (s *stack) address(host string) string {
	return "https://" + host + ".localhost:" + s.get("HTTPS_PORT")
}

// production starts the profile production on the volumes of the profile development. Caddy repeats no request, so that a
// request to a container that has closed its listener fails.
func (s *stack) production() {
	s.compose("down", "--timeout", "45")
	for name, value := range map[string]string{
		"COMPOSE_PROFILES": "development,production", "DOMAIN": "localhost", "CADDY_OPTIONS": "local_certs", "CADDY_RETRY": "0s",
		"BASE_URL": s.address("api"), "APP_URL": s.address("app"), "MCP_URL": s.address("mcp") + "/mcp",
		"PAGES_URL": s.address("pages"), "INBOUND_URL": s.address("inbound"), "S3_PUBLIC_ENDPOINT": s.address("media"), "TRUSTED_PROXIES": "172.16.0.0/12",
	} {
		s.set(name, value)
	}
	s.up()
	s.eventually(func() bool {
		authority, err := s.try(slices.Concat(s.composeCommand(), []string{
			"exec", "-T", "caddy", "cat", "/data/caddy/pki/authorities/local/root.crt",
		})...)
		if err != nil {
			return false
		}
		s.client.trust(s.t, authority)
		return s.client.send(s.t.Context(), call{method: http.MethodGet, url: s.address("api") + "/v1/openapi.json"}, nil) == nil
	}, "Caddy serves the API")
	require.Len(s.t, s.ledger()["A picture from a container"], 1, "the sandbox network's volume")
	var found struct {
		Data []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"data"`
	}
	require.NoError(s.t, s.client.send(s.t.Context(), call{
		method: http.MethodGet, url: s.address("api") + "/v1/posts?limit=100", key: s.key,
	}, &found))
	require.True(s.t, slices.ContainsFunc(found.Data, func(p struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	},
	) bool {
		return p.Content == "A picture from a container" && p.Status == "PUBLISHED"
	}), "the database's volume")
}

// kind is one kind of request of the load.
type kind struct {
	name string
	// every is the pause between the requests.
	every time.Duration
	send  func(ctx context.Context, n int64) error

	sent, failed atomic.Int64
}

// load sends requests until it is stopped. It repeats none.
type load struct {
	kinds    []*kind
	mu       sync.Mutex
	failures []string
	created  map[string]string // text by id
	workers  sync.WaitGroup
}

// tenant is a workspace of the plan with the highest limit of requests.
type tenant struct {
	keys    []string // share the load, because requests are limited per key
	channel string
}

// key returns the key of the n-th request.
func (t tenant) key(n int64) string { return t.keys[n%int64(len(t.keys))] }

func (s *stack) tenant() tenant {
	s.t.Helper()
	admin := func(result any, args ...string) {
		s.t.Helper()
		output := s.compose(slices.Concat([]string{"run", "--rm", "-T", "admin", "--json"}, args)...)
		require.NoError(s.t, json.Unmarshal([]byte(output), result), output)
	}
	const keys = 8
	var workspace, channel struct{ ID string }
	admin(&workspace, "workspace", "create", "--name", "Load", "--plan", "AGENCY", "--timezone", "UTC")
	var created tenant
	for range keys {
		var key struct{ APIKey string }
		admin(&key, "key", "create", "--workspace", workspace.ID, "--name", "Load", "--scopes", "all")
		created.keys = append(created.keys, key.APIKey)
	}
	output := s.run(slices.Concat([]string{"sh", "-c", `printf sandbox-threads-load | "$@"`, "-"}, s.composeCommand(), []string{
		"run", "--rm", "-T", "admin", "--json", "channel", "create", "--workspace", workspace.ID, "--type", "THREADS",
		"--name", "Load", "--username", "load", "--external-id", "load", "--access-token-file", "-",
	})...)
	require.NoError(s.t, json.Unmarshal([]byte(output), &channel), output)
	created.channel = channel.ID
	return created
}

// requests returns the load: at least one kind of request for each program behind Caddy.
func (s *stack) requests(l *load, as tenant, file string) []*kind {
	get := func(url string) func(context.Context, int64) error {
		return func(ctx context.Context, _ int64) error {
			return s.client.send(ctx, call{method: http.MethodGet, url: url}, nil)
		}
	}
	return []*kind{
		{name: "POST api /v1/posts", every: 150 * time.Millisecond, send: func(ctx context.Context, n int64) error {
			text := fmt.Sprintf("Post %d during the replacement", n)
			created, err := s.create(ctx, s.address("api"), as.key(n), as.channel, text)
			if err == nil {
				l.mu.Lock()
				l.created[created.ID] = text
				l.mu.Unlock()
			}
			return err
		}},
		// Many requests that neither Caddy nor its library may repeat, so that some meet every moment of a replacement.
		{name: "POST api /v1/posts/validate", every: 5 * time.Millisecond, send: func(ctx context.Context, n int64) error {
			return s.client.send(ctx, call{
				method: http.MethodPost, url: s.address("api") + "/v1/posts/validate", key: as.key(n),
				body: map[string]any{"channelIds": []string{as.channel}, "content": "checked"},
			}, nil)
		}},
		{name: "POST mcp /mcp", every: 20 * time.Millisecond, send: func(ctx context.Context, n int64) error {
			return s.client.send(ctx, call{
				method: http.MethodPost, url: s.address("mcp") + "/mcp", key: as.key(n),
				body:    map[string]any{"jsonrpc": "2.0", "id": n, "method": "tools/list"},
				headers: map[string]string{"Accept": "application/json, text/event-stream"},
			}, nil)
		}},
		{name: "GET console /sign-in", every: 200 * time.Millisecond, send: get(s.address("app") + "/sign-in")},
		{name: "GET pages /acme-studio", every: 200 * time.Millisecond, send: get(s.address("pages") + "/acme-studio")},
		{name: "GET files", every: 200 * time.Millisecond, send: get(file)},
	}
}

// start sends each kind of request at its pace. A slow response does not delay the next request.
func (l *load) start(ctx context.Context) {
	for _, k := range l.kinds {
		l.workers.Go(func() {
			ticks := time.NewTicker(k.every)
			defer ticks.Stop()
			for n := int64(1); ; n++ {
				select {
				case <-ctx.Done():
					return
				case <-ticks.C:
				}
				l.workers.Go(func() {
					k.sent.Add(1)
					if err := k.send(context.WithoutCancel(ctx), n); err != nil {
						k.failed.Add(1)
						l.mu.Lock()
						l.failures = append(l.failures, time.Now().Format("15:04:05.000 ")+k.name+": "+err.Error())
						l.mu.Unlock()
					}
				})
			}
		})
	}
}

// replace replaces the two containers of each program one by one under load. No request may fail, and each post must
// be published exactly once.
func (s *stack) replace() {
	var media struct {
		Data []struct{ URL string }
	}
	require.NoError(s.t, s.client.send(s.t.Context(), call{
		method: http.MethodGet, url: s.address("api") + "/v1/media", key: s.key,
	}, &media))
	as := s.tenant()
	before := make(map[string][]string)
	l := &load{created: make(map[string]string)}
	l.kinds = s.requests(l, as, media.Data[0].URL)
	ctx, stop := context.WithCancel(s.t.Context())
	defer stop()
	l.start(ctx)
	for _, program := range replaced() {
		before[program] = slices.Concat(s.containers(program), s.containers(program+"-2"))
		require.Len(s.t, before[program], 2, program)
	}
	begin := time.Now()
	output, err := s.try(slices.Concat([]string{
		"env", "COMPOSE=" + strings.Join(s.composeCommand(), " "), "deploy/docker/replace.sh",
	}, replaced())...)
	elapsed := time.Since(begin)
	stop()
	l.workers.Wait()
	require.NoError(s.t, err, output)
	for program, ids := range before {
		for _, id := range slices.Concat(s.containers(program), s.containers(program+"-2")) {
			require.NotContains(s.t, ids, id, program)
		}
	}
	s.settle(l, as, elapsed)
}

// settle waits for the posts of the load and reports the figures.
func (s *stack) settle(l *load, as tenant, elapsed time.Duration) {
	s.t.Helper()
	var sent, failed int64
	for _, k := range l.kinds {
		s.t.Logf("%-28s %5d sent, %d failed", k.name, k.sent.Load(), k.failed.Load())
		sent, failed = sent+k.sent.Load(), failed+k.failed.Load()
	}
	for id := range l.created {
		s.published(s.address("api"), as.keys[0], id)
	}
	lost, doubled, accepted := 0, 0, s.ledger()
	for _, text := range l.created {
		switch n := len(accepted[text]); {
		case n == 0:
			lost++
		case n > 1:
			doubled++
		}
	}
	s.t.Logf("12 containers replaced in %.0f s: %d requests, %d failed; %d posts, %d lost, %d doubled",
		elapsed.Seconds(), sent, failed, len(l.created), lost, doubled)
	require.Greater(s.t, len(l.created), 100, "the load posted too little")
	require.Empty(s.t, l.failures, "%d failed requests", failed)
	require.Zero(s.t, lost)
	require.Zero(s.t, doubled)
}
