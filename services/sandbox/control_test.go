package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPostsOfControlAPI(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.Equal(t, "[]\n", b.get(t, "/_sandbox/posts", "").body)
	b.tweet(t, "acme", "one")
	b.clock.Advance(1500 * time.Millisecond)
	b.form(t, "/telegram/bot1:sandbox-b/sendMessage", "chat_id", "@acme", "text", "two <b>")
	b.tweet(t, "initech", "three")

	posts := b.posts(t, "?platform=telegram&account=%40acme")
	require.Len(t, posts, 1)
	id := b.newest(t, "?platform=telegram")
	require.Equal(t, map[string]any{
		"id": id, "platform": "telegram", "account": "@acme", "text": "two <b>", "title": nil, "media": []any{},
		"createdAt": "2026-03-01T09:00:01.500Z", "url": b.server.URL + "/p/telegram/" + id,
	}, posts[0])
	require.Len(t, b.posts(t, "?platform=x"), 2)
	require.Len(t, b.posts(t, "?platform=TWITTER"), 2, "a channel's type names its network")
	require.Equal(t, "three", b.posts(t, "?limit=1")[0]["text"], "newest first")
	require.Empty(t, b.posts(t, "?account=unknown"))
	for _, query := range []string{"?platform=myspace", "?limit=0", "?limit=x", "?platform=MYSPACE"} {
		response := b.get(t, "/_sandbox/posts"+query, "")
		require.Equal(t, http.StatusUnprocessableEntity, response.status)
		require.Equal(t, "application/problem+json", response.header.Get("Content-Type"))
	}
}

func TestDeletePosts(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.tweet(t, "acme", "one")
	created := b.form(t, "/threads/v1.0/me/threads", "access_token", "sandbox-threads-acme", "media_type", "TEXT", "text",
		"t").text(t, "id")
	require.Equal(t, http.StatusNoContent, b.call(t.Context(), t, http.MethodDelete, "/_sandbox/posts", "", "", "").status)
	require.Empty(t, b.posts(t, ""))
	require.Equal(t, http.StatusBadRequest, b.get(t, "/threads/v1.0/"+created+"?access_token=sandbox-threads-acme",
		"").status)
	for _, name := range []string{"posts.jsonl", "threads-containers/records.jsonl"} {
		info, err := os.Stat(filepath.Join(b.folder, name))
		require.NoError(t, err)
		require.Zero(t, info.Size())
	}
	require.Equal(t, http.StatusCreated, b.tweet(t, "acme", "one").status, "the text is free again")
	b.restart(t)
	require.Len(t, b.posts(t, ""), 1)
}

func TestFaultsOfControlAPI(t *testing.T) {
	t.Parallel()

	b := setup(t)
	response := b.inject(t, `{"platform":"x","account":"acme","step":"commit","kind":"reject","times":2,"delayMs":5}`)
	require.Equal(t, http.StatusCreated, response.status)
	require.Equal(t, map[string]any{
		"id": "1", "platform": "x", "account": "acme", "step": "commit", "kind": "reject", "times": 2.0, "remaining": 2.0,
		"delayMs": 5.0,
	}, response.json)
	require.Contains(t, b.get(t, "/_sandbox/faults", "").body, `"remaining":2`)
	b.tweet(t, "acme", "one")
	require.Contains(t, b.get(t, "/_sandbox/faults", "").body, `"remaining":1`)
	require.Equal(t, http.StatusNoContent, b.call(t.Context(), t, http.MethodDelete, "/_sandbox/faults", "", "",
		"").status)
	require.Equal(t, "[]\n", b.get(t, "/_sandbox/faults", "").body)
	require.Equal(t, http.StatusCreated, b.tweet(t, "acme", "one").status)
	require.Equal(t, http.StatusNotFound, b.get(t, "/_sandbox/other", "").status)
}

func TestInvalidFaultsAreRefused(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for body, test := range map[string]struct {
		status   int
		pointers []string
	}{
		`{`:                                    {http.StatusBadRequest, nil},
		`[]`:                                   {http.StatusBadRequest, nil},
		`{"kind":"reject","tymes":1}`:          {http.StatusBadRequest, nil},
		`{"kind":"reject","times":"1"}`:        {http.StatusBadRequest, nil},
		`{}`:                                   {http.StatusUnprocessableEntity, []string{"/kind"}},
		`{"kind":"explode"}`:                   {http.StatusUnprocessableEntity, []string{"/kind"}},
		`{"kind":"reject","platform":"orkut"}`: {http.StatusUnprocessableEntity, []string{"/platform"}},
		`{"kind":"","step":"dance","times":-2,"delayMs":-1,"platform":"y"}`: {
			http.StatusUnprocessableEntity, []string{"/platform", "/step", "/kind", "/times", "/delayMs"},
		},
		`{"kind":"slow","delayMs":3600001}`: {http.StatusUnprocessableEntity, []string{"/delayMs"}},
	} {
		response := b.inject(t, body)
		require.Equal(t, test.status, response.status, body)
		require.Equal(t, "application/problem+json", response.header.Get("Content-Type"))
		require.NotEmpty(t, response.text(t, "detail"))
		var problem struct {
			Errors []struct{ Pointer string }
		}
		require.NoError(t, json.Unmarshal([]byte(response.body), &problem))
		var pointers []string
		for _, each := range problem.Errors {
			pointers = append(pointers, each.Pointer)
		}
		require.Equal(t, test.pointers, pointers, body)
	}
	require.Equal(t, "[]\n", b.get(t, "/_sandbox/faults", "").body)
}

func TestFaultEffects(t *testing.T) {
	t.Parallel()

	for kind, test := range map[string]struct {
		status, posts int
	}{
		"reject":               {http.StatusForbidden, 0},
		"rate_limit":           {http.StatusTooManyRequests, 0},
		"unavailable":          {http.StatusServiceUnavailable, 0},
		"expired_token":        {http.StatusUnauthorized, 0},
		"timeout_before":       {0, 0},
		"timeout_after_accept": {0, 1},
		"slow":                 {http.StatusCreated, 1},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			b := setup(t)
			b.inject(t, `{"platform":"x","account":"acme","step":"commit","kind":"`+kind+`","delayMs":20}`)
			require.Equal(t, http.StatusCreated, b.tweet(t, "other", "not met").status)
			require.Equal(t, test.status, b.tweet(t, "acme", "met").status)
			require.Len(t, b.posts(t, "?account=acme"), test.posts)
			if kind == "rate_limit" || kind == "reject" || kind == "unavailable" {
				require.Equal(t, http.StatusCreated, b.tweet(t, "acme", "met").status, "once only")
			}
		})
	}
}

// TestHeldCallsEnd checks that a held call ends with its client and does not block the process from stopping.
func TestHeldCallsEnd(t *testing.T) {
	t.Parallel()

	for name, end := range map[string]func(b *bundle, cancel context.CancelFunc){
		"with the client":  func(_ *bundle, cancel context.CancelFunc) { cancel() },
		"with the process": func(b *bundle, _ context.CancelFunc) { b.sandbox.Release() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t)
			b.inject(t, `{"platform":"x","step":"commit","kind":"timeout_after_accept","delayMs":600000}`)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := b.later(ctx, "acme", "held")
			require.EventuallyWithT(t, func(c *assert.CollectT) { require.Equal(c, 1, b.sandbox.Ledger.Count()) }, 5*time.Second,
				5*time.Millisecond)
			end(b, cancel)
			require.Zero(t, (<-done).status)
			b.server.Close() // blocks while a call is held
		})
	}
}
