package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// named returns the published tools.
func named() []string { return sortedKeys(hints()) }

func TestEveryProtocolRevisionIsSupported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, revision := range revisions() {
		var listed struct {
			Result struct{ Tools []published }
		}
		a := b.ask(t, revision, "tools/list", nil)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.NoError(t, json.Unmarshal([]byte(a.body), &listed))
		require.Len(t, listed.Result.Tools, len(named()), revision)
		r := b.resultOf(t, "get_analytics", b.do(t, callOf(t, revision, b.ours.key, "get_analytics", object{})))
		require.False(t, r.IsError)
		b.good(t, "get_analytics", r)
		require.NotContains(t, a.header, "Mcp-Session-Id")
	}
	for _, revision := range []string{autumn, oldest} {
		a := b.ask(t, revision, "initialize", object{
			"protocolVersion": revision, "capabilities": object{}, "clientInfo": object{"name": "test", "version": "1"},
		})
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.NotContains(t, a.header, "Mcp-Session-Id", "there are no sessions")
		require.Equal(t, revision, textAt(t, decoded(t, a.body), "result", "protocolVersion"))
		require.Equal(t, "1.2.3", textAt(t, decoded(t, a.body), "result", "serverInfo", "version"))
		require.Contains(t, textAt(t, decoded(t, a.body), "result", "instructions"), "list_channels")
		require.Equal(t, object{"tools": object{}}, at(t, decoded(t, a.body), "result", "capabilities"),
			"nothing is offered but tools")
		done := message(t, revision, "notifications/initialized", nil)
		done.key, done.body = b.ours.key, `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		require.Equal(t, http.StatusAccepted, b.do(t, done).status)
		require.Equal(t, http.StatusOK, b.ask(t, revision, "ping", nil).status)
	}
	found := b.ask(t, newest, "server/discover", nil)
	require.Equal(t, http.StatusOK, found.status, found.body)
	require.Equal(t, []any{newest, autumn, oldest}, at(t, decoded(t, found.body), "result", "supportedVersions"))
	require.Contains(t, textAt(t, decoded(t, found.body), "result", "instructions"), "idempotencyKey")
}

// TestClientsOfSDK connects SDK clients of each revision.
func TestClientsOfSDK(t *testing.T) {
	t.Parallel()
	b := setup(t)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{
			Endpoint: b.endpoint, HTTPClient: &http.Client{Transport: bearing{b.ours.key, b.client.Transport}},
		}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	var names []string
	for tool, err := range session.Tools(t.Context(), nil) {
		require.NoError(t, err)
		names = append(names, tool.Name)
	}
	require.ElementsMatch(t, named(), names)
	created, err := session.CallTool(t.Context(), &mcp.CallToolParams{
		Name: "create_post", Arguments: object{"channelIds": []any{b.ours.channel}, "content": "x"},
	})
	require.NoError(t, err)
	require.False(t, created.IsError)
	require.Equal(t, "DRAFT", textAt(t, created.StructuredContent, "posts", 0, "status"))
	_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_tool"})
	require.Error(t, err)
}

// bearing adds a credential to each request.
type bearing struct {
	token string
	next  http.RoundTripper
}

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

func TestUnsupportedProtocolRevisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, revision := range []string{"2027-01-01", "9999-12-31", "2026-07-29"} {
		refused := requireRPCError(t, b.ask(t, revision, "tools/list", nil), http.StatusBadRequest, -32022)
		var got struct {
			Supported []string
			Requested string
		}
		require.NoError(t, json.Unmarshal(refused.Data, &got))
		require.Equal(t, revisions(), got.Supported)
		require.Equal(t, revision, got.Requested)
	}
	for _, revision := range []string{"2025-03-26", "2024-11-05", "1", "2026-07-27", "2025-11-25 "[:9]} {
		a := b.ask(t, revision, "tools/list", nil)
		require.Equal(t, http.StatusBadRequest, a.status, revision)
		for _, spoken := range revisions() {
			require.Contains(t, a.body, spoken)
		}
	}
	a := b.ask(t, autumn, "initialize", object{
		"protocolVersion": "2024-11-05", "capabilities": object{}, "clientInfo": object{"name": "x", "version": "1"},
	})
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, revisions(), textAt(t, decoded(t, a.body), "result", "protocolVersion"), "another one is offered")
}

// TestHeadersMatchBody checks that headers match the body, so that intermediaries can rely on them.
func TestHeadersMatchBody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	for name, change := range map[string]func(h http.Header){
		"no method":       func(h http.Header) { h["Mcp-Method"] = nil },
		"other method":    func(h http.Header) { h.Set("Mcp-Method", "tools/list") },
		"case of method":  func(h http.Header) { h.Set("Mcp-Method", "Tools/Call") },
		"no name":         func(h http.Header) { h["Mcp-Name"] = nil },
		"other name":      func(h http.Header) { h.Set("Mcp-Name", "list_posts") },
		"name with space": func(h http.Header) { h.Set("Mcp-Name", "publish_post x") },
		"no revision":     func(h http.Header) { h["Mcp-Protocol-Version"] = nil },
		"older revision":  func(h http.Header) { h.Set("Mcp-Protocol-Version", autumn) },
	} {
		t.Log(name)
		r := callOf(t, newest, b.ours.key, "publish_post", object{"postId": id})
		change(r.header)
		requireRPCError(t, b.do(t, r), http.StatusBadRequest, -32020)
	}
	require.Equal(t, 1, b.count(t, `post WHERE status = 'DRAFT'`), "none of it was done")
}

func TestUnknownMethods(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, method := range []string{
		"tools/nothing", "resources/list", "prompts/list", "completion/complete", "logging/setLevel",
		"subscriptions/listen", "x",
	} {
		requireRPCError(t, b.ask(t, newest, method, object{}), http.StatusNotFound, -32601)
	}
	for _, revision := range revisions() {
		status := http.StatusOK
		if revision == newest {
			status = http.StatusBadRequest
		}
		for _, tool := range []string{"no_tool", "List_Posts", "create_posts"} {
			requireRPCError(t, b.do(t, callOf(t, revision, b.ours.key, tool, object{})), status, -32602)
		}
	}
}

func TestAllInvalidArgumentsAreReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, revision := range revisions() {
		a := b.do(t, callOf(t, revision, b.ours.key, "create_post", object{
			"channelIds": []any{"x", 5}, "content": 7, "schedule": "soon", "mediaIds": object{}, "a/b": 1,
			"idempotencyKey": "a b",
		}))
		got := b.refusalIn(t, "create_post", a, "VALIDATION_FAILED")
		require.ElementsMatch(t, []string{
			"/channelIds/0", "/channelIds/1", "/content", "/schedule", "/mediaIds", "/a~1b", "/idempotencyKey",
		}, got.pointers())
		for _, fault := range got.Errors {
			require.NotEmpty(t, fault.Message)
		}
	}
	for _, arguments := range []any{[]any{}, "x", 5, true} {
		r := b.do(t, callOf(t, newest, b.ours.key, "create_post", arguments))
		require.Contains(t, []int{http.StatusOK, http.StatusBadRequest}, r.status)
		require.True(t, strings.Contains(r.body, "VALIDATION_FAILED") || strings.Contains(r.body, "-32602"), r.body)
	}
	for _, nothing := range []any{nil, object{}} {
		require.Equal(t, []string{"/channelIds"}, b.refused(t, "create_post", nothing, "VALIDATION_FAILED").pointers())
	}
	r := message(t, newest, "tools/call", object{"name": "list_link_pages"})
	r.key = b.ours.key
	require.False(t, b.resultOf(t, "list_link_pages", b.do(t, r)).IsError, "arguments may be left out")
	require.Zero(t, b.count(t, `post`))
}

func TestInvalidMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one := message(t, autumn, "tools/list", nil).body
	for _, revision := range append(revisions(), "") {
		for name, body := range map[string]string{
			"batch": "[" + one + "," + one + "]", "batch of one": "[" + one + "]", "empty batch": "[]",
			"blank before a batch": " \n[" + one + "]",
			"cut":                  `{"jsonrpc":`, "no JSON": "method=tools/list", "text": `"x"`, "nothing": " ",
			"two":        one + one,
			"no version": `{"id":1,"method":"ping"}`,
			"null":       "null", "empty": "{}",
		} {
			r := message(t, newest, "tools/list", nil)
			r.key, r.body = b.ours.key, body
			r.header = http.Header{"Mcp-Method": {"tools/list"}}
			if revision != "" {
				r.header.Set("Mcp-Protocol-Version", revision)
			}
			a := b.do(t, r)
			require.Equal(t, http.StatusBadRequest, a.status, "%s in %q: %.200s", name, revision, a.body)
			requireBudget(t, a)
		}
	}
}

func TestNegotiation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	send := func(name, value string) toolResponse {
		r := message(t, newest, "tools/list", nil)
		r.key = b.ours.key
		r.header[name] = []string{value}
		return b.do(t, r)
	}
	for _, contentType := range []string{
		"", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/json, text/plain",
	} {
		require.Equal(t, http.StatusUnsupportedMediaType, send("Content-Type", contentType).status, contentType)
	}
	for _, contentType := range []string{"application/json; charset=utf-8", "Application/JSON"} {
		require.Equal(t, http.StatusOK, send("Content-Type", contentType).status, contentType)
	}
	for _, accept := range []string{"application/json", "text/event-stream", "text/html", ""} {
		require.Equal(t, http.StatusBadRequest, send("Accept", accept).status, accept)
	}
	for _, accept := range []string{"*/*", "text/event-stream, application/json", "application/*, text/*"} {
		a := send("Accept", accept)
		require.Equal(t, http.StatusOK, a.status, accept)
		require.Contains(t, a.header.Get("Content-Type"), "application/json")
	}
}

func TestBodySizeIsLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := callOf(t, newest, b.ours.key, "create_post",
		object{"channelIds": []any{b.ours.channel}, "content": strings.Repeat("x", 100_000)})
	room := 1<<20 - len(r.body)
	whole := r
	whole.body += strings.Repeat(" ", room)
	require.False(t, b.resultOf(t, "create_post", b.do(t, whole)).IsError)
	r.body += strings.Repeat(" ", room+1)
	requireProblem(t, b.do(t, r), http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	require.Equal(t, 1, b.count(t, `post`))
}

func TestOnlyPOSTIsAllowed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut, http.MethodPatch, http.MethodHead} {
		a := b.do(t, request{
			method: method, key: b.ours.key, header: http.Header{"Mcp-Session-Id": {"x"}, "Accept": {"text/event-stream"}},
		})
		require.Equal(t, http.StatusMethodNotAllowed, a.status, method)
		require.Equal(t, "POST, OPTIONS", a.header.Get("Allow"))
		requireBudget(t, a)
		require.Equal(t, http.StatusUnauthorized, b.do(t, request{method: method}).status, "not before it is known who asks")
	}
	for path, status := range map[string]int{
		"/": 404, "/mcp/": 404, "/sse": 404, "/MCP": 404, "/.well-known/openid-configuration": 404,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			p := requireProblem(t, b.do(t, request{method: method, path: path, key: b.ours.key}), status, "NOT_FOUND")
			require.Contains(t, p["detail"], toolsURL)
		}
	}
}

func TestSessionsAreIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, revision := range revisions() {
		r := callOf(t, revision, b.ours.key, "list_posts", object{})
		r.header.Set("Mcp-Session-Id", "of-a-former-life")
		r.header.Set("Last-Event-ID", "5")
		a := b.do(t, r)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.NotContains(t, a.header, "Mcp-Session-Id")
	}
}

// TestConnectionsAreKeptAlive checks that the next request is served after any rejected one.
func TestConnectionsAreKeptAlive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conn := b.dial(t)
	defer func() { _ = conn.Close() }()
	body := message(t, oldest, "ping", nil).body
	for range 2 {
		_, err := io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+b.ours.key+
			"\r\nContent-Type: application/json\r\n"+
			"Accept: */*\r\nMcp-Protocol-Version: "+oldest+"\r\nContent-Length: "+encode(t, len(body))+"\r\n\r\n"+body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, readResponse(t, conn).status)
	}
}
