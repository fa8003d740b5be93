package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnchangedPostIsNotSentAgain covers 304 Not Modified for posts (RFC 9110, section 13.1.2).
func TestUnchangedPostIsNotSentAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/posts/" + b.draft(t, b.ours)
	read := func(tag string) response {
		t.Helper()
		return b.do(t, request{
			method: http.MethodGet, path: path, key: b.ours.key, header: map[string]string{"If-None-Match": tag},
		})
	}
	tag := b.get(t, path).header.Get("ETag")
	for _, known := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		same := read(known)
		require.Equal(t, http.StatusNotModified, same.status, known)
		require.Empty(t, same.body)
		require.Empty(t, same.header.Get("Content-Type"))
		require.Equal(t, tag, same.header.Get("ETag"))
	}
	for _, other := range []string{`"other"`, "x", tag + "x"} {
		require.Equal(t, http.StatusOK, read(other).status, other)
	}
	require.Equal(t, http.StatusOK, b.do(t, request{
		method: http.MethodPatch, path: path, key: b.ours.key, contentType: "application/json", body: `{"content":"new"}`,
		header: map[string]string{"If-None-Match": tag},
	}).status, "only reads")
	changed := read(tag)
	require.Equal(t, http.StatusOK, changed.status)
	require.NotEqual(t, tag, changed.header.Get("ETag"))
	b.do(t, request{method: http.MethodDelete, path: path, key: b.ours.key})
	requireProblem(t, read(tag), http.StatusNotFound, "NOT_FOUND")
}

// TestPresentTagOfRefusedChange repeats a refused change with the ETag of the refusal.
func TestPresentTagOfRefusedChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/posts/" + b.draft(t, b.ours)
	refused := b.matching(t, http.MethodPatch, path, `{"content":"x"}`, `"0-0"`)
	p := requireProblem(t, refused, http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	tag := refused.header.Get("ETag")
	require.Contains(t, p["detail"], tag)
	require.Equal(t, http.StatusOK, b.matching(t, http.MethodPatch, path, `{"content":"x"}`, tag).status)
}

// TestNewResourcesHaveTags changes new resources with the ETag of their creation.
func TestNewResourcesHaveTags(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.post(t, "/v1/webhooks", `{"url":"https://hooks.example.com/a","events":["*"]}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	path := created.header.Get("Location")
	rotated := b.matching(t, http.MethodPost, path+"/rotate-secret", "{}", created.header.Get("ETag"))
	require.Equal(t, http.StatusOK, rotated.status, rotated.body)
	require.NotEqual(t, created.header.Get("ETag"), rotated.header.Get("ETag"))
	changed := b.matching(t, http.MethodPatch, path, `{"isActive":false}`, rotated.header.Get("ETag"))
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	requireProblem(t, b.matching(t, http.MethodDelete, path, "", rotated.header.Get("ETag")),
		http.StatusPreconditionFailed, "PRECONDITION_FAILED")
}
