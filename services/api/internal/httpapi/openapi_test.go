package httpapi_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/shared/domain/credential"
)

// TestCommittedDocument checks that docs/openapi.yaml matches the code.
func TestCommittedDocument(t *testing.T) {
	t.Parallel()
	created, err := httpapi.OpenAPI()
	require.NoError(t, err)
	committed, err := os.ReadFile("../../../../docs/openapi.yaml")
	require.NoError(t, err)
	require.True(t, bytes.Equal(created, committed), "docs/openapi.yaml is old: run `make generate`")
}

func TestEveryOperationIsWellDescribed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc, operations := b.document(t)
	require.Equal(t, "3.0.3", doc.OpenAPI)
	sentence := regexp.MustCompile(`(?s)^[A-Z].*\.$`)
	for _, op := range operations {
		require.Regexp(t, `^[a-z]+(-[a-z]+)+$`, op.OperationID)
		require.Regexp(t, `^/v1(/([a-z]+(-[a-z]+)*|\{[a-zA-Z]+\}|openapi\.json))+$`, op.path)
		require.NotEmpty(t, op.Summary, op.OperationID)
		require.Regexp(t, sentence, op.Description, op.OperationID)
		require.Len(t, op.Tags, 1, op.OperationID)
		for _, p := range op.Parameters {
			if p.Ref != "" {
				require.Contains(t, []string{
					"#/components/parameters/Idempotency-Key", "#/components/parameters/If-Match",
					"#/components/parameters/If-None-Match",
				}, p.Ref)
				continue
			}
			require.Regexp(t, sentence, p.Description, op.OperationID+" "+p.Name)
		}
		if op.Public {
			require.NotNil(t, op.Security, op.OperationID+" says that it needs nothing")
			require.Empty(t, op.Security, op.OperationID)
			continue
		}
		requireSecurity(t, op)
		requireResponses(t, op)
	}
	for name, s := range doc.Components.Schemas {
		for member, property := range s.Properties {
			require.NotEmpty(t, property.Description, name+"."+member)
		}
	}
}

// requireSecurity compares the three places that document the scopes.
func requireSecurity(t *testing.T, op documented) {
	t.Helper()
	require.NotEmpty(t, op.Security, op.OperationID)
	var scopes []string
	for _, requirement := range op.Security {
		require.Contains(t, requirement, "bearer", op.OperationID)
		scopes = append(scopes, requirement["bearer"]...)
	}
	require.ElementsMatch(t, op.Scopes, scopes, op.OperationID)
	for _, scope := range scopes {
		require.True(t, credential.Scope(scope).Known(), scope)
		require.Contains(t, op.Description, "`"+scope+"`")
	}
}

func requireResponses(t *testing.T, op documented) {
	t.Helper()
	want := []string{"401", "422", "429", "default"}
	keyed := slices.ContainsFunc(op.Parameters,
		func(p parameter) bool { return p.Ref == "#/components/parameters/Idempotency-Key" })
	if len(op.Scopes) > 0 {
		want = append(want, "403")
	}
	if strings.Contains(op.path, "{id}") {
		want = append(want, "404")
	}
	if slices.ContainsFunc(op.Parameters, func(p parameter) bool { return p.Ref == "#/components/parameters/If-Match" }) {
		want = append(want, "400", "412")
	}
	if op.method == http.MethodPost || op.method == http.MethodPatch || op.method == http.MethodPut {
		want = append(want, "400")
	}
	if op.RequestBody != nil {
		require.NotEmpty(t, op.RequestBody.Content["application/json"].Examples, op.OperationID)
	}
	for _, status := range want {
		require.Contains(t, op.Responses, status, op.OperationID)
	}
	good := 0
	for status, response := range op.Responses {
		require.NotEmpty(t, response.Description, op.OperationID)
		if status == "default" {
			requireDefault(t, response)
			continue
		}
		code, err := strconv.Atoi(status)
		require.NoError(t, err)
		if code == http.StatusNotModified {
			require.Contains(t, op.Responses["200"].Headers, "ETag", op.OperationID)
			continue
		}
		if code < http.StatusBadRequest {
			for _, name := range []string{"X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"} {
				require.Contains(t, response.Headers, name, op.OperationID)
			}
			good++
			require.NotEqual(t, http.StatusText(code), response.Description, op.OperationID)
			require.Equal(t, keyed, response.Headers["Idempotent-Replayed"] != nil, op.OperationID)
			continue
		}
		require.Contains(t, response.Content, "application/problem+json", op.OperationID+" "+status)
		require.JSONEq(t, `{"$ref":"#/components/schemas/Problem"}`,
			string(response.Content["application/problem+json"].Schema))
		examples := response.Content["application/problem+json"].Examples
		require.NotEmpty(t, examples)
		retry := code == http.StatusTooManyRequests || hasKey(examples, "IDEMPOTENCY_IN_PROGRESS")
		require.Equal(t, retry, response.Headers["Retry-After"] != nil, op.OperationID+" "+status)
		require.Equal(t, code == http.StatusUnauthorized || code == http.StatusForbidden,
			response.Headers["WWW-Authenticate"] != nil, op.OperationID+" "+status)
	}
	require.Equal(t, 1, good, "one good answer: "+op.OperationID)
}

// requireDefault checks the response for the statuses that an operation does not list.
func requireDefault(t *testing.T, response responseObject) {
	t.Helper()
	content := response.Content["application/problem+json"]
	require.JSONEq(t, `{"$ref":"#/components/schemas/Problem"}`, string(content.Schema))
	require.ElementsMatch(t, []string{
		"INTERNAL", "MISDIRECTED_REQUEST", "NOT_ACCEPTABLE", "PAYLOAD_TOO_LARGE", "UNAVAILABLE", "UNSUPPORTED_MEDIA_TYPE",
	}, keys(content.Examples))
	require.Contains(t, response.Headers, "Retry-After")
}

// TestOnlyDocumentedRoutesAreServed compares the routes with the document and the HTML pages.
func TestOnlyDocumentedRoutesAreServed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, operations := b.document(t)
	var want []string
	for _, op := range operations {
		want = append(want, op.method+" "+strings.ReplaceAll(strings.ReplaceAll(op.path, "{", ":"), "}", ""))
	}
	want = append(want, "GET /", "GET /docs", "GET /docs/", "GET /docs/*", "GET /docs/search", "GET /problems", "GET /problems.md",
		"GET /problems/", "GET /problems/:code", "GET /openapi.json", "GET /llms.txt",
		// The authorization server is described by its own metadata.
		"GET /.well-known/oauth-authorization-server", "OPTIONS /.well-known/oauth-authorization-server",
		"GET /oauth/authorize",
		"POST /oauth/token", "OPTIONS /oauth/token", "POST /oauth/revoke", "OPTIONS /oauth/revoke",
		"POST /oauth/introspect", "OPTIONS /oauth/introspect", "POST /oauth/register", "OPTIONS /oauth/register",
		"POST /oauth/device_authorization", "OPTIONS /oauth/device_authorization")
	var got []string
	for _, route := range b.server.Fiber().GetRoutes(true) {
		entry := route.Method + " " + route.Path
		if route.Method == http.MethodHead {
			require.Contains(t, want, http.MethodGet+" "+route.Path)
			continue
		}
		got = append(got, entry)
	}
	slices.Sort(got)
	slices.Sort(want)
	require.Equal(t, want, slices.Compact(got))
}

// TestExamplesAreAccepted sends every example body.
func TestExamplesAreAccepted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.poked = b.importer(t, b.imported)
	_, operations := b.document(t)
	for _, op := range operations {
		if op.RequestBody == nil {
			continue
		}
		for name, example := range op.RequestBody.Content["application/json"].Examples {
			fill(example.Value, b.ours.channelFor(op), b.ours.media)
			b.ours.fillIdeas(example.Value)
			for _, member := range []string{"schedule", "scheduledAt"} {
				if at, ok := example.Value[member].(string); ok && strings.HasPrefix(at, "2026") {
					example.Value[member] = year + at[4:]
				}
			}
			for member, ago := range map[string]time.Duration{"since": time.Hour, "until": time.Minute} {
				if _, ok := example.Value[member]; ok {
					example.Value[member] = time.Now().Add(-ago).Format(time.RFC3339)
				}
			}
			named, mine, _ := b.subjects(t, op)
			mine = b.prepared(t, op.OperationID, mine)
			done := b.do(t, request{
				method: op.method, path: strings.ReplaceAll(named.path, "{id}", mine), key: b.ours.key,
				contentType: "application/json",
				body:        encode(t, example.Value),
			})
			require.Less(t, done.status, 300, op.OperationID+" "+name+" "+done.body)
		}
	}
}

// TestResponseExamplesMatchSchemas compares the examples with their schemas: no missing and no additional properties.
func TestResponseExamplesMatchSchemas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc, operations := b.document(t)
	for _, op := range operations {
		for status, response := range op.Responses {
			content, ok := response.Content["application/json"]
			if !ok || op.Public {
				continue
			}
			var s struct {
				Ref   string `json:"$ref"`
				Items struct {
					Ref string `json:"$ref"`
				} `json:"items"`
			}
			require.NoError(t, json.Unmarshal(content.Schema, &s))
			examples := []json.RawMessage{content.Example}
			if op.RequestBody != nil {
				examples = nil
				require.ElementsMatch(t, keys(op.RequestBody.Content["application/json"].Examples), keys(content.Examples),
					op.OperationID)
				for _, example := range content.Examples {
					examples = append(examples, example.Value)
				}
			}
			members := map[string]json.RawMessage{}
			for _, example := range examples { // together they have every property
				items := []json.RawMessage{example}
				if s.Items.Ref != "" {
					require.NoError(t, json.Unmarshal(example, &items))
				}
				for _, item := range items {
					require.NoError(t, json.Unmarshal(item, &members), op.OperationID+" "+status)
				}
			}
			if s.Items.Ref != "" {
				s.Ref = s.Items.Ref
			}
			want := slices.Sorted(maps.Keys(doc.schema(s.Ref).Properties))
			if op.OperationID == "get-event" { // events of live workspaces have no mode
				want = slices.DeleteFunc(want, func(member string) bool { return member == "mode" })
			}
			require.Equal(t, want, slices.Sorted(maps.Keys(members)), op.OperationID)
		}
	}
}

func hasKey[V any](of map[string]V, key string) bool {
	_, has := of[key]
	return has
}

// TestResponseExamplesMatchRequestExamples compares the example of each response with the example of its request: shared properties
// have the same value, and a post has the requested state.
func TestResponseExamplesMatchRequestExamples(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, operations := b.document(t)
	pairs := 0
	for _, op := range operations {
		for status, response := range op.Responses {
			content := response.Content["application/json"]
			if op.RequestBody == nil || len(content.Examples) == 0 {
				continue
			}
			for name, example := range op.RequestBody.Content["application/json"].Examples {
				var result any
				require.NoError(t, json.Unmarshal(content.Examples[name].Value, &result))
				if list, ok := result.([]any); ok {
					result = list[0]
				}
				requireRepeated(t, op.OperationID+" "+status+" "+name, example.Value, result)
				pairs++
			}
		}
	}
	require.Greater(t, pairs, 40)
}

func requireRepeated(t *testing.T, place string, request map[string]any, response any) {
	t.Helper()
	got, ok := response.(map[string]any)
	require.True(t, ok, place)
	for member, sent := range request {
		received, has := got[member]
		switch inside, isObject := sent.(map[string]any); {
		case !has, place == "import-media 201 picture" && member == "url", strings.HasPrefix(place,
			"create-posts-in-bulk"), member == "accentColor" && sent == nil:
		case isObject:
			requireRepeated(t, place+" "+member, inside, received)
		default:
			if text, isText := sent.(string); isText {
				if at, err := time.Parse(time.RFC3339, text); err == nil {
					sent = at.UTC().Format("2006-01-02T15:04:05.000Z")
				}
			}
			require.Equal(t, sent, received, place+" "+member)
		}
	}
	if strings.HasPrefix(place, "create-posts 201") {
		schedule, requested := request["schedule"]
		require.Equal(t, map[bool]string{false: "DRAFT", true: "SCHEDULED"}[requested && schedule != "draft"], got["status"],
			place)
		require.Equal(t, requested && schedule != "draft", got["scheduledAt"] != nil, place)
	}
}
