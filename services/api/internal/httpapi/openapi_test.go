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

	"socialpub.internal/services/api/internal/httpapi"
	"socialpub.internal/shared/credential"
)

// TestCommittedDocument keeps docs/openapi.yaml what the code says.
func TestCommittedDocument(t *testing.T) {
	t.Parallel()
	made, err := httpapi.OpenAPI()
	require.NoError(t, err)
	committed, err := os.ReadFile("../../../../docs/openapi.yaml")
	require.NoError(t, err)
	require.True(t, bytes.Equal(made, committed), "docs/openapi.yaml is old: run `make generate`")
}

func TestEveryOperationIsWellDescribed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc, operations := b.document(t)
	require.Equal(t, "3.1.0", doc.OpenAPI)
	sentence := regexp.MustCompile(`(?s)^[A-Z].*\.$`)
	for _, op := range operations {
		require.Regexp(t, `^[a-z]+(-[a-z]+)+$`, op.OperationID)
		require.NotEmpty(t, op.Summary, op.OperationID)
		require.Regexp(t, sentence, op.Description, op.OperationID)
		require.Len(t, op.Tags, 1, op.OperationID)
		for _, p := range op.Parameters {
			if p.Ref != "" {
				require.Contains(t, []string{"#/components/parameters/Idempotency-Key", "#/components/parameters/If-Match"}, p.Ref)
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
		requireAnswers(t, op)
	}
	for name, s := range doc.Components.Schemas {
		for member, property := range s.Properties {
			require.NotEmpty(t, property.Description, name+"."+member)
		}
	}
}

// requireSecurity compares the three places that tell the scopes.
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

func requireAnswers(t *testing.T, op documented) {
	t.Helper()
	want := []string{"401", "406", "422", "429", "500", "503"}
	keyed := slices.ContainsFunc(op.Parameters, func(p parameter) bool { return p.Ref == "#/components/parameters/Idempotency-Key" })
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
		want = append(want, "400", "413")
	}
	if op.RequestBody != nil {
		want = append(want, "415")
		require.NotEmpty(t, op.RequestBody.Content["application/json"].Examples, op.OperationID)
	}
	for _, status := range want {
		require.Contains(t, op.Responses, status, op.OperationID)
	}
	good := 0
	for status, response := range op.Responses {
		require.NotEmpty(t, response.Description, op.OperationID)
		require.Contains(t, response.Headers, "X-Request-Id", op.OperationID)
		code, err := strconv.Atoi(status)
		require.NoError(t, err)
		if code == http.StatusNotModified {
			require.Contains(t, op.Responses["200"].Headers, "ETag", op.OperationID)
			continue
		}
		if code < http.StatusBadRequest {
			good++
			require.NotEqual(t, http.StatusText(code), response.Description, op.OperationID)
			require.Equal(t, keyed, response.Headers["Idempotent-Replayed"] != nil, op.OperationID)
			continue
		}
		require.Contains(t, response.Content, "application/problem+json", op.OperationID+" "+status)
		require.JSONEq(t, `{"$ref":"#/components/schemas/Problem"}`, string(response.Content["application/problem+json"].Schema))
		examples := response.Content["application/problem+json"].Examples
		require.NotEmpty(t, examples)
		retry := code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable || examples["IDEMPOTENCY_IN_PROGRESS"] != nil
		require.Equal(t, retry, response.Headers["Retry-After"] != nil, op.OperationID+" "+status)
		require.Equal(t, code == http.StatusUnauthorized || code == http.StatusForbidden, response.Headers["WWW-Authenticate"] != nil, op.OperationID+" "+status)
	}
	require.Equal(t, 1, good, "one good answer: "+op.OperationID)
}

// TestNothingElseIsServed compares the routes with the document and the pages for people.
func TestNothingElseIsServed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, operations := b.document(t)
	var want []string
	for _, op := range operations {
		want = append(want, op.method+" "+strings.ReplaceAll(strings.ReplaceAll(op.path, "{", ":"), "}", ""))
	}
	want = append(want, "GET /", "GET /docs", "GET /problems/:code",
		// The authorization server, whose own document is its metadata.
		"GET /.well-known/oauth-authorization-server", "OPTIONS /.well-known/oauth-authorization-server", "GET /oauth/authorize",
		"POST /oauth/token", "OPTIONS /oauth/token", "POST /oauth/revoke", "OPTIONS /oauth/revoke",
		"POST /oauth/introspect", "OPTIONS /oauth/introspect", "POST /oauth/register", "OPTIONS /oauth/register")
	var got []string
	for _, route := range b.server.Fiber().GetRoutes(true) {
		entry := route.Method + " " + route.Path
		switch {
		case strings.HasPrefix(route.Path, "/docs/assets/"):
		case route.Method == http.MethodHead:
			require.Contains(t, want, http.MethodGet+" "+route.Path)
		default:
			got = append(got, entry)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	require.Equal(t, want, slices.Compact(got))
}

// TestExamplesAreAccepted sends every example of a body.
func TestExamplesAreAccepted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.told = b.importer(t, b.imported)
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
					example.Value[member] = "2091" + at[4:]
				}
			}
			for member, ago := range map[string]time.Duration{"since": time.Hour, "until": time.Minute} {
				if _, ok := example.Value[member]; ok {
					example.Value[member] = time.Now().Add(-ago).Format(time.RFC3339)
				}
			}
			named, mine, _ := b.subjects(t, op)
			if op.OperationID == "approve-post" || op.OperationID == "reject-post" {
				require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+mine+"/request-approval", "").status)
			}
			done := b.do(t, request{
				method: op.method, path: strings.ReplaceAll(named.path, "{id}", mine), key: b.ours.key, contentType: "application/json",
				body: encode(t, example.Value),
			})
			require.Less(t, done.status, 300, op.OperationID+" "+name+" "+done.body)
		}
	}
}

// TestExamplesOfAnswers compares the examples with their schemas: no member too many, none missing.
func TestExamplesOfAnswers(t *testing.T) {
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
			members := map[string]json.RawMessage{}
			items := []json.RawMessage{content.Example}
			if s.Items.Ref != "" {
				s.Ref = s.Items.Ref
				require.NoError(t, json.Unmarshal(content.Example, &items))
			}
			for _, item := range items { // together they have every member
				require.NoError(t, json.Unmarshal(item, &members), op.OperationID+" "+status)
			}
			want := slices.Sorted(maps.Keys(doc.schema(s.Ref).Properties))
			require.Equal(t, want, slices.Sorted(maps.Keys(members)), op.OperationID)
		}
	}
}
