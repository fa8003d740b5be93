package main

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimitsOfNetworks(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for i := range 105 {
		require.Equal(t, http.StatusCreated, b.tweet(t, "acme", strconv.Itoa(i)).status, "no limit by default")
	}
	require.Equal(t, http.StatusOK, b.control(t, "/limits", `{"strict":true}`).status)
	require.Equal(t, true, b.get(t, "/_sandbox/limits", "").at(t, "strict"))
	for i := range 100 {
		created := b.tweet(t, "acme", "strict "+strconv.Itoa(i))
		require.Equal(t, http.StatusCreated, created.status)
		require.Equal(t, "100", created.header.Get("X-Rate-Limit-Limit"))
		require.Equal(t, strconv.Itoa(99-i), created.header.Get("X-Rate-Limit-Remaining"))
	}
	b.clock.Advance(5 * time.Minute)
	for range 2 {
		limited := b.tweet(t, "acme", "too many")
		require.Equal(t, http.StatusTooManyRequests, limited.status)
		require.Equal(t, "100", limited.header.Get("X-Rate-Limit-Limit"))
		require.Equal(t, "0", limited.header.Get("X-Rate-Limit-Remaining"))
		require.Equal(t, strconv.FormatInt(b.clock.Now().Add(10*time.Minute).Unix(), 10),
			limited.header.Get("X-Rate-Limit-Reset"))
	}
	require.Contains(t, b.get(t, "/_sandbox/calls", "").body, `"fault":"rate_limit"`)
	require.Equal(t, http.StatusCreated, b.tweet(t, "other", "another account").status)
	require.Equal(t, http.StatusOK, b.get(t, "/x/2/users/me", acme).status, "another call")
	b.clock.Advance(10 * time.Minute)
	require.Equal(t, http.StatusCreated, b.tweet(t, "acme", "in the next window").status)

	const bot = "/telegram/bot42:sandbox-demo/"
	send := func() reply { return b.form(t, bot+"sendMessage", "chat_id", "@acme", "text", "hello") }
	for range 20 {
		require.Equal(t, http.StatusOK, send().status)
	}
	b.clock.Advance(20 * time.Second)
	require.InDelta(t, 40, send().at(t, "parameters", "retry_after"), 0)

	for range 250 {
		require.Equal(t, http.StatusOK, b.container(t, "text", "hello", "auto_publish_text", "true").status)
	}
	full := b.container(t, "text", "hello", "auto_publish_text", "true")
	require.InDelta(t, 2207042, full.at(t, "error", "error_subcode"), 0)
	b.clock.Advance(24*time.Hour + time.Second)
	require.Equal(t, http.StatusOK, b.container(t, "text", "hello", "auto_publish_text", "true").status)

	require.Equal(t, http.StatusOK, b.control(t, "/limits", `{"strict":false}`).status)
	for range 25 {
		require.Equal(t, http.StatusOK, send().status)
	}
	for body, status := range map[string]int{
		`{`: http.StatusBadRequest, `{"strict":"yes"}`: http.StatusBadRequest, `{}`: http.StatusUnprocessableEntity,
	} {
		require.Equal(t, status, b.control(t, "/limits", body).status, body)
	}
}

// TestBackwardClockStartsNewWindow checks that a limit does not last longer than its window.
func TestBackwardClockStartsNewWindow(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.control(t, "/limits", `{"strict":true}`)
	b.moveClock(t, time.Hour)
	for range 76 {
		b.get(t, "/x/2/users/me", acme)
	}
	require.Equal(t, http.StatusTooManyRequests, b.get(t, "/x/2/users/me", acme).status)
	b.moveClock(t, 0)
	require.Equal(t, http.StatusOK, b.get(t, "/x/2/users/me", acme).status)
}
