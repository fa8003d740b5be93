package harness_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
)

// TestUndocumentedResponsesFailTheirCalls lists posts of a server whose responses differ from the document.
func TestUndocumentedResponsesFailTheirCalls(t *testing.T) {
	t.Parallel()
	problem := func(typ, instance, title string) string {
		return `{"type": "` + typ + `", "title": "` + title + `", "status": 403, "detail": "The key lacks posts:read.", "instance": "` +
			instance + `", "code": "INSUFFICIENT_SCOPE", "requestId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60"}`
	}
	const page, posts = "https://api.example.com/problems/insufficient-scope", "/v1/posts"
	const object, refusal = "application/json", "application/problem+json"
	for name, test := range map[string]struct {
		status    int
		typ, body string
		failure   string // empty: none
		reported  int    // the status of the failure
	}{
		"the documented one":            {http.StatusOK, object, `{"data": [], "nextCursor": null}`, "", 0},
		"a member is missing":           {http.StatusOK, object, `{"data": []}`, "nextCursor", 0},
		"a member has another type":     {http.StatusOK, object, `{"data": {}, "nextCursor": null}`, "data", 0},
		"another status":                {http.StatusAccepted, object, `{"data": [], "nextCursor": null}`, "status 202", 0},
		"another type of content":       {http.StatusOK, "text/html", "<p>Hello", "text/html", 0},
		"a problem":                     {http.StatusForbidden, refusal, problem(page, posts, "No"), "403", http.StatusForbidden},
		"a problem of another type":     {http.StatusForbidden, refusal, problem(page+"s", posts, "No"), "another type", 0},
		"a problem of another address":  {http.StatusForbidden, refusal, problem(page, "/v1/media", "No"), "another instance", 0},
		"a problem without explanation": {http.StatusForbidden, refusal, problem(page, posts, ""), "not explained", 0},
		"the page of a proxy":           {http.StatusBadGateway, "text/html", "<p>Bad gateway", "502", http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.typ)
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			t.Cleanup(server.Close)
			client := harness.ClientOf(t, server)
			_, err := harness.All(client.Posts.List(t.Context(), fencepost.ListPostsParams{}))
			if test.failure == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.failure)
			require.Equal(t, test.reported, harness.Status(err, http.StatusOK))
		})
	}
}
