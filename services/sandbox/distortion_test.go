package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDistortedResponses checks that the post is on the network although the response is distorted.
func TestDistortedResponses(t *testing.T) {
	t.Parallel()

	for kind, check := range map[string]func(t *testing.T, response reply){
		"error_after_accept": func(t *testing.T, a reply) {
			t.Helper()
			require.Equal(t, http.StatusServiceUnavailable,
				a.status)
		},
		"empty_answer": func(t *testing.T, a reply) { t.Helper(); require.Empty(t, a.body) },
		"malformed_answer": func(t *testing.T, a reply) {
			t.Helper()
			require.True(t, strings.HasPrefix(a.body, `{"data":{`), a.body)
			require.Nil(t, a.json)
		},
		"html_answer": func(t *testing.T, a reply) {
			t.Helper()
			require.Equal(t, "text/html; charset=utf-8", a.header.Get("Content-Type"))
		},
		"huge_answer":    func(t *testing.T, a reply) { t.Helper(); require.Greater(t, len(a.body), 50<<20) },
		"wrong_types":    func(t *testing.T, a reply) { t.Helper(); require.Contains(t, a.body, `"id":[`) },
		"hostile_answer": func(t *testing.T, a reply) { t.Helper(); require.Contains(t, a.body, `Set-Cookie`) },
		"empty_list": func(t *testing.T, a reply) {
			t.Helper()
			require.Contains(t, a.body,
				`"edit_history_tweet_ids":[]`)
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			b := setup(t)
			require.Equal(t, http.StatusCreated, b.inject(t, `{"platform":"x","step":"commit","kind":"`+kind+`"}`).status)
			response := b.tweet(t, "acme", "one")
			if kind != "error_after_accept" {
				require.Equal(t, http.StatusCreated, response.status)
			}
			check(t, response)
			require.Len(t, b.posts(t, ""), 1, "it was done")
			require.Equal(t, http.StatusCreated, b.tweet(t, "acme", "two").status)
		})
	}
}

func TestTruncatedResponse(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.inject(t, `{"platform":"x","step":"commit","kind":"truncated_answer"}`)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.server.URL+"/x/2/tweets",
		strings.NewReader(`{"text":"one"}`))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer sandbox-x-acme")
	request.Header.Set("Content-Type", "application/json")
	response, err := b.server.Client().Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusCreated, response.StatusCode)
	got, err := io.ReadAll(response.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NotEmpty(t, got)
	require.Less(t, int64(len(got)), response.ContentLength)
	require.Len(t, b.posts(t, ""), 1)
}

// TestRefusalWithSuccessStatus checks that nothing is published although the status reports success.
func TestRefusalWithSuccessStatus(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.inject(t, `{"platform":"x","step":"commit","kind":"reject_with_200"}`)
	response := b.tweet(t, "acme", "one")
	require.Equal(t, http.StatusOK, response.status)
	require.NotContains(t, response.body, `"id"`)
	require.Empty(t, b.posts(t, ""))

	b.inject(t, `{"platform":"x","step":"commit","kind":"hostile_answer"}`)
	refused := b.tweet(t, "acme", strings.Repeat("long ", 100))
	require.Equal(t, http.StatusForbidden, refused.status, "a refusal stays what it is")
	require.NotContains(t, refused.body, "Set-Cookie")
}

func TestCallsAreRecorded(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.inject(t, `{"platform":"x","step":"commit","kind":"rate_limit"}`)
	b.tweet(t, "acme", "one")
	b.tweet(t, "acme", "one")
	calls := b.get(t, "/_sandbox/calls", "").body
	require.JSONEq(t, `[
		{"at":"2026-03-01T09:00:00Z","platform":"x","account":"acme","step":"commit","fault":"rate_limit"},
		{"at":"2026-03-01T09:00:00Z","platform":"x","account":"acme","step":"commit","fault":""}]`, calls)
	b.call(t.Context(), t, http.MethodDelete, "/_sandbox/posts", "", "", "")
	require.Equal(t, "[]\n", b.get(t, "/_sandbox/calls", "").body)
}
