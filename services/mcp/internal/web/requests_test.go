package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
)

// The revisions of the protocol.
const (
	newest = "2026-07-28"
	autumn = "2025-11-25"
	oldest = "2025-06-18"
)

func revisions() []string { return []string{newest, autumn, oldest} }

// request is a request of a test. Zero fields are omitted.
type request struct {
	method string // default: POST
	path   string // default: the endpoint's path
	key    string
	body   string
	header http.Header
}

// toolResponse is a complete response.
type toolResponse struct {
	status int
	header http.Header
	body   string
}

func (b *bundle) do(t testing.TB, r request) toolResponse {
	t.Helper()
	var body io.Reader = http.NoBody
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	if r.method == "" {
		r.method = http.MethodPost
	}
	if r.path == "" {
		r.path = "/mcp"
	}
	req, err := http.NewRequestWithContext(t.Context(), r.method, "http://"+b.host()+r.path, body)
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.%d.%d", rand.IntN(256), rand.IntN(256))) //nolint:gosec // any address will do
	for name, values := range r.header {
		req.Header.Del(name)
		for _, value := range values {
			req.Header.Add(name, value)
		}
	}
	res, err := b.client.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return toolResponse{status: res.StatusCode, header: res.Header, body: string(raw)}
}

// object is a JSON object.
type object = map[string]any

// message returns a protocol request in the form of a revision.
func message(t testing.TB, revision, method string, params object) request {
	t.Helper()
	header := http.Header{"Mcp-Protocol-Version": {revision}}
	sent := object{}
	maps.Copy(sent, params)
	if revision >= newest {
		header.Set("Mcp-Method", method)
		if name, ok := params["name"].(string); ok {
			header.Set("Mcp-Name", name)
		}
		sent["_meta"] = object{
			"io.modelcontextprotocol/protocolVersion": revision, "io.modelcontextprotocol/clientCapabilities": object{},
			"io.modelcontextprotocol/clientInfo": object{"name": "test", "version": "1"},
		}
	}
	return request{body: encode(t, object{"jsonrpc": "2.0", "id": 1, "method": method, "params": sent}), header: header}
}

// ask sends a message with our key.
func (b *bundle) ask(t testing.TB, revision, method string, params object) toolResponse {
	t.Helper()
	r := message(t, revision, method, params)
	r.key = b.ours.key
	return b.do(t, r)
}

// callOf returns the message of a tool call.
func callOf(t testing.TB, revision, key, tool string, arguments any) request {
	t.Helper()
	r := message(t, revision, "tools/call", object{"name": tool, "arguments": arguments})
	r.key = key
	return r
}

// published is a tool in the result of tools/list.
type published struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  map[string]any  `json:"annotations"`
}

func (b *bundle) catalogue(t testing.TB) []published {
	t.Helper()
	a := b.ask(t, newest, "tools/list", nil)
	require.Equal(t, http.StatusOK, a.status, a.body)
	var response struct {
		Result struct{ Tools []published }
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &response))
	return response.Result.Tools
}

func (p published) resolvedOutput(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	return resolvedSchema(t, p.OutputSchema)
}

// resolved holds resolved schemas by their text. All servers have the same schemas.
var resolved sync.Map

func resolvedSchema(t testing.TB, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	if known, ok := resolved.Load(string(raw)); ok {
		if known, ok := known.(*jsonschema.Resolved); ok {
			return known
		}
	}
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(raw, &s))
	out, err := s.Resolve(nil)
	require.NoError(t, err)
	resolved.Store(string(raw), out)
	return out
}

func encode(t testing.TB, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return string(raw)
}

func decoded(t testing.TB, text string) object {
	t.Helper()
	var out object
	require.NoError(t, json.Unmarshal([]byte(text), &out), text)
	return out
}

// at returns the value at a path in a response.
func at(t testing.TB, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			members, ok := value.(object)
			require.True(t, ok, "%v of %v", step, value)
			value, ok = members[step]
			require.True(t, ok, "%v of %v", step, members)
		case int:
			items, ok := value.([]any)
			require.True(t, ok, "%v of %v", step, value)
			require.Greater(t, len(items), step)
			value = items[step]
		}
	}
	return value
}

func textAt(t testing.TB, value any, path ...any) string {
	t.Helper()
	text, ok := at(t, value, path...).(string)
	require.True(t, ok, "%v of %v", path, value)
	return text
}

// draft creates a draft and returns its id.
func (b *bundle) draft(t testing.TB, of tenant) string {
	t.Helper()
	return textAt(t, b.call(t, of.key, "create_post", object{"channelIds": []any{of.channel}, "content": "Hello"}),
		"posts", 0, "id")
}

// inState creates a post in a state.
func (b *bundle) inState(t testing.TB, of tenant, status post.Status) string {
	t.Helper()
	id := b.draft(t, of)
	switch status { // states that no tool can reach are written directly to the database
	case post.Draft:
	case post.Scheduled:
		b.call(t, of.key, "schedule_post", object{"postId": id, "scheduledAt": tomorrow()})
	case post.PendingApproval:
		b.call(t, of.key, "request_approval", object{"postId": id})
	case post.Published:
		b.exec(t,
			`UPDATE post SET status = 'PUBLISHED', published_at = now(), post_url = 'https://t.me/news/1' WHERE id = $1`, id)
	case post.Failed:
		b.exec(t,
			`UPDATE post SET status = 'FAILED', error_code = 'REFUSED', error_message = 'No.', error_retryable = true WHERE id = $1`, id)
	case post.Archived:
		b.exec(t, `UPDATE post SET status = 'ARCHIVED', archived_from = 'DRAFT' WHERE id = $1`, id)
	}
	return id
}

// atOnce runs n requests concurrently.
func atOnce[T any](n int, send func(i int) T) []T {
	responses := make([]T, n)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			<-start
			responses[i] = send(i)
		})
	}
	close(start)
	group.Wait()
	return responses
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
