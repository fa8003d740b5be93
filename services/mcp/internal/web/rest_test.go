package web_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/proctest"
)

// The API is a separate program. Tests of shared behavior build and start it.

var api struct {
	sync.Once

	dir string
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if api.dir != "" {
		_ = os.RemoveAll(api.dir)
	}
	os.Exit(code)
}

// apiProgram returns the path of the API's executable, built once.
func apiProgram(t testing.TB) string {
	t.Helper()
	api.Do(func() {
		if api.dir, api.err = os.MkdirTemp("", "mcp-rest-"); api.err != nil { //nolint:usetesting // outlives the test that builds first
			return
		}
		var out bytes.Buffer
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "go", "build", "-ldflags=-s -w", "-o", api.dir+"/",
			"fencepost.internal/services/api")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build: with cgo, every package would be compiled again
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			api.err = fmt.Errorf("build: %w\n%s", err, out.String())
		}
	})
	require.NoError(t, api.err)
	return filepath.Join(api.dir, "api")
}

// rest is the API on the same database.
type rest struct {
	*bundle

	address string
}

func (b *bundle) rest(t testing.TB, env ...string) rest {
	t.Helper()
	program := apiProgram(t)
	r := rest{bundle: b, address: freeAddress(t)}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append([]string{
		"DATABASE_URL=" + b.database, "TEMPORAL_ADDRESS=127.0.0.1:1", "ENCRYPTION_KEYS=" + encryptionKey(),
		"BASE_URL=" + baseURL, "MCP_URL=" + toolsURL,
		"PAGES_URL=" + pagesURL, "API_ADDR=" + r.address, "ALLOWED_HOSTS=" + r.address, "OPS_ADDR=" + freeAddress(t),
		"S3_ENDPOINT=http://127.0.0.1:9", "S3_ACCESS_KEY=x", "S3_SECRET_KEY=x",
	}, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(out.String())
		}
	})
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", r.address)
		require.NoError(c, err)
		_ = conn.Close()
	}, 30*time.Second, 50*time.Millisecond)
	return r
}

func freeAddress(t testing.TB) string {
	t.Helper()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	return address
}

// send sends a request to the API; the pairs are headers.
func (r rest) send(t testing.TB, method, path, key, body string, pairs ...string) toolResponse {
	t.Helper()
	other := *r.bundle
	other.endpoint = "http://" + r.address + "/mcp"
	header := http.Header{"Accept": {"application/json"}}
	if body == "" {
		header["Content-Type"] = nil
	}
	for i := range len(pairs) / 2 {
		header.Set(pairs[2*i], pairs[2*i+1])
	}
	return other.do(t, request{method: method, path: path, key: key, body: body, header: header})
}

// TestRateLimitIsSharedWithAPI spends the requests of a minute at both. A slow machine gets a token back meanwhile, or
// its database does not answer in time, so that each limits separately; then the next key shows it.
func TestRateLimitIsSharedWithAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	api := b.rest(t, "REQUESTS_PER_MINUTE=6")
	strict := b.twin(t, b.limitedTo(t, 6))
	for range 10 {
		key := b.key(t, b.ours.id, "posts:write")
		var byTools toolResponse
		var byAPI toolResponse
		for range 4 {
			byTools = strict.do(t, callOf(t, newest, key, "list_posts", object{}))
			byAPI = api.send(t, http.MethodGet, "/v1/posts", key, "")
		}
		if byAPI.status == http.StatusTooManyRequests && byTools.status == http.StatusTooManyRequests {
			requireProblem(t, byTools, http.StatusTooManyRequests, "RATE_LIMITED")
			return
		}
	}
	require.Fail(t, "the API and the tools limit separately")
}

func TestTokenAudience(t *testing.T) {
	t.Parallel()
	b := setup(t)
	api := b.rest(t)
	ofTools, ofAPI := b.token(t, toolsURL, "posts:write"), b.token(t, baseURL, "posts:write")
	require.Equal(t, http.StatusOK, b.do(t, callOf(t, newest, ofTools.Access, "list_posts", object{})).status)
	require.Equal(t, http.StatusOK, api.send(t, http.MethodGet, "/v1/posts", ofAPI.Access, "").status)
	b.requireUnauthenticated(t, b.do(t, callOf(t, newest, ofAPI.Access, "list_posts", object{})), true)
	refused := api.send(t, http.MethodGet, "/v1/posts", ofTools.Access, "")
	require.Equal(t, http.StatusUnauthorized, refused.status, refused.body)
	require.Contains(t, refused.header.Get("WWW-Authenticate"), `error="invalid_token"`)
	b.requireUnauthenticated(t, b.do(t, callOf(t, newest, ofTools.Refresh, "list_posts", object{})), true)
}

// TestIdempotencyKeysAreSharedWithAPI checks that the API and the tool server do not repeat each other's requests.
func TestIdempotencyKeysAreSharedWithAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	api := b.rest(t)
	body := object{"channelIds": []any{b.ours.channel}, "content": "é", "title": "T"}
	with := func(o object, key string) object {
		out := object{"idempotencyKey": key}
		for name, value := range o {
			out[name] = value
		}
		return out
	}
	first := api.send(t, http.MethodPost, "/v1/posts", b.ours.key, encode(t, body), "Idempotency-Key", "a")
	require.Equal(t, http.StatusCreated, first.status, first.body)
	again := b.did(t, "create_post", with(body, "a"))
	require.Equal(t, true, again["replayed"])
	require.JSONEq(t, first.body, encode(t, again["posts"]))
	b.refused(t, "create_post", with(object{"channelIds": body["channelIds"], "content": "e"}, "a"),
		"IDEMPOTENCY_KEY_REUSED")

	created := b.did(t, "create_post", with(body, "b"))
	require.Equal(t, false, created["replayed"])
	replay := api.send(t, http.MethodPost, "/v1/posts", b.ours.key, encode(t, body), "Idempotency-Key", "b")
	require.Equal(t, http.StatusCreated, replay.status, replay.body)
	require.Equal(t, "true", replay.header.Get("Idempotent-Replayed"))
	require.JSONEq(t, encode(t, created["posts"]), replay.body)
	reused := api.send(t, http.MethodPost, "/v1/posts", b.ours.key, `{"channelIds":["`+b.ours.channel.String()+`"]}`,
		"Idempotency-Key", "b")
	require.Contains(t, reused.body, "IDEMPOTENCY_KEY_REUSED")
	require.Equal(t, 2, b.count(t, `post`))
	b.blocksByBoth(t, api, with)
}

func (b *bundle) blocksByBoth(t *testing.T, api rest, with func(o object, key string) object) {
	t.Helper()
	page := b.page(t, b.ours)
	path := "/v1/link-pages/" + page + "/blocks"
	block := object{"type": "TEXT", "settings": object{"text": "A"}}
	first := api.send(t, http.MethodPost, path, b.ours.key, encode(t, block), "Idempotency-Key", "c")
	require.Equal(t, http.StatusCreated, first.status, first.body)
	ofPage := with(block, "c")
	ofPage["pageId"] = page
	again := b.did(t, "add_link_block", ofPage)
	require.Equal(t, true, again["replayed"])
	require.JSONEq(t, first.body, encode(t, again["block"]))
	ofPage["idempotencyKey"] = "d"
	created := b.did(t, "add_link_block", ofPage)
	replay := api.send(t, http.MethodPost, path, b.ours.key, encode(t, block), "Idempotency-Key", "d")
	require.Equal(t, "true", replay.header.Get("Idempotent-Replayed"))
	require.True(t, strings.HasSuffix(replay.header.Get("Location"), textAt(t, created, "block", "id")))
	require.JSONEq(t, encode(t, created["block"]), replay.body)
	blocks, ok := at(t, b.did(t, "get_link_page", object{"pageId": page}), "page", "blocks").([]any)
	require.True(t, ok)
	require.Len(t, blocks, 2)
}

func TestCursorsAreSharedWithAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	api := b.rest(t)
	for range 5 {
		b.draft(t, b.ours)
	}
	all := postIDs(t, b.did(t, "list_posts", object{}))
	page := b.did(t, "list_posts", object{"limit": 2})
	next := decoded(t, api.send(t, http.MethodGet, "/v1/posts?limit=2&cursor="+textAt(t, page, "nextCursor"), b.ours.key,
		"").body)
	last := b.did(t, "list_posts", object{"limit": 2, "cursor": textAt(t, next, "nextCursor")})
	require.Nil(t, last["nextCursor"])
	require.Equal(t, all, append(append(postIDs(t, page), postIDs(t, next)...), postIDs(t, last)...))
}

func postIDs(t testing.TB, page object) []string {
	t.Helper()
	posts, ok := page["data"].([]any)
	require.True(t, ok)
	ids := make([]string, len(posts))
	for i := range posts {
		ids[i] = textAt(t, posts, i, "id")
	}
	return ids
}
