package platformtest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// both reads the account and a post. For a network that reports nothing about posts it reads only the account.
func (b *insightsBench) both(t *testing.T, id string) []error {
	t.Helper()
	_, err := b.days(t, 6)
	errs := []error{err}
	if b.reportsPosts() {
		_, err = b.posts(t, id)
		errs = append(errs, err)
	}
	return errs
}

// testInsightsExpiredToken checks that the same figures can be read after one refresh.
func testInsightsExpiredToken(t *testing.T, b *insightsBench) {
	t.Helper()
	id := b.Publish(t, b.account)
	b.inject(t, "expired_token", 1, 0)
	if !b.Refreshes {
		_, err := b.days(t, 6)
		if !b.Renews {
			b.requireFailure(t, err, platform.ClassReconnect)
			return
		}
		b.requireFailure(t, err, platform.ClassRefresh, platform.ClassReconnect)
		_, err = b.link.Refresh(t.Context(), b.account)
		b.requireFailure(t, err, platform.ClassReconnect)
		return
	}
	for range 2 {
		for _, err := range b.both(t, id) {
			b.requireFailure(t, err, platform.ClassRefresh)
		}
	}
	fresh, err := b.link.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	b.account.Credentials = fresh
	for _, err := range b.both(t, id) {
		require.NoError(t, err)
	}
}

func testInsightsDeadToken(t *testing.T, b *insightsBench) {
	t.Helper()
	id := b.Publish(t, b.account)
	b.account.Credentials.AccessToken, b.account.Credentials.RefreshToken = "99:an-unknown-token", "another-unknown-token"
	for _, err := range b.both(t, id) {
		b.requireFailure(t, err, platform.ClassRefresh, platform.ClassReconnect)
	}
	b.account.Credentials = channel.Credentials{}
	for _, err := range b.both(t, id) {
		b.requireFailure(t, err, platform.ClassReconnect)
	}
}

func testInsightsRateLimit(t *testing.T, b *insightsBench) {
	t.Helper()
	const wait = 30 * time.Second
	id := b.Publish(t, b.account)
	b.inject(t, "rate_limit", 2, wait)
	for _, err := range b.both(t, id) {
		failure := requireSafeFailure(t, err, b.account.Credentials, platform.ClassRateLimited)
		require.NotContains(t, failure.Message, "publish")
		require.WithinDuration(t, b.Clock.Now().Add(wait), failure.Until, 3*time.Second)
	}
}

func testInsightsUnavailable(t *testing.T, b *insightsBench) {
	t.Helper()
	id := b.Publish(t, b.account)
	b.inject(t, "unavailable", 1, 0)
	_, err := b.days(t, 6)
	b.requireFailure(t, err, platform.ClassTransient)
	for _, err := range b.both(t, id) {
		require.NoError(t, err)
	}
	b.inject(t, "unavailable", 1, 0)
	if b.reportsPosts() {
		_, err = b.posts(t, id)
		b.requireFailure(t, err, platform.ClassTransient)
	}
}

func testInsightsSlow(t *testing.T, b *insightsBench) {
	t.Helper()
	b.inject(t, "slow", 1, 50*time.Millisecond)
	_, err := b.days(t, 0)
	require.NoError(t, err)
}

func testInsightsTimeout(t *testing.T, b *insightsBench) {
	t.Helper()
	b.inject(t, "timeout_before", 1, time.Minute)
	_, err := b.days(t, 0)
	b.requireFailure(t, err, platform.ClassTransient)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func testInsightsRefused(t *testing.T, b *insightsBench) {
	t.Helper()
	b.front.goAway()
	for _, err := range b.both(t, b.Unknown) {
		b.requireFailure(t, err, platform.ClassTransient)
	}
}

// testInsightsDistorted checks that responses with unexpected contents are not read as figures.
func testInsightsDistorted(t *testing.T, b *insightsBench) {
	t.Helper()
	id := b.Publish(t, b.account)
	for _, kind := range []string{"error_after_accept", "empty_answer", "malformed_answer", "html_answer", "huge_answer"} {
		b.inject(t, kind, 1, 0)
		_, err := b.days(t, 2)
		require.Error(t, err, kind)
		b.requireFailure(t, err, platform.ClassTransient)
	}
	// The transport may retry a request whose response was truncated.
	for _, kind := range []string{"truncated_answer", "wrong_types", "hostile_answer", "empty_list"} {
		b.inject(t, kind, 1, 0)
		days, err := b.days(t, 2)
		if err != nil {
			b.requireFailure(t, err, platform.ClassTransient)
		}
		requireDays(t, days, b.today.Add(-2), b.today)
		b.inject(t, kind, 1, 0)
		found, err := b.posts(t, id)
		if err != nil {
			b.requireFailure(t, err, platform.ClassTransient)
		}
		for reported := range found {
			require.Equal(t, id, reported)
		}
		b.Sandbox.DeleteFaults(t)
	}
}

// testInsightsMangled checks that a malformed response is not read as figures or as a refusal of the token. No request
// reaches the sandbox.
func testInsightsMangled(t *testing.T, b *insightsBench) {
	t.Helper()
	responses := map[string]frontResponse{
		"nothing":    {status: http.StatusOK},
		"no members": {status: http.StatusOK, body: []byte("{}")},
		"null":       {status: http.StatusOK, body: []byte("null")},
		"a list":     {status: http.StatusOK, body: []byte("[]")},
		"other types": {
			status: http.StatusOK,
			body:   []byte(`{"items":7,"data":7,"error":7,"code":"0","result":[],"ok":1,"all":[],"elements":{}}`),
		},
		"half":      {status: http.StatusOK, body: []byte(`{"items":[{"id":"1"},`)},
		"too large": {status: http.StatusOK, body: make([]byte, 2<<20)},
	}
	for name, given := range responses {
		b.answering(given)
		_, err := b.days(t, 2)
		require.Error(t, err, name)
		b.requireFailure(t, err, platform.ClassTransient)
		found, err := b.posts(t, b.Unknown)
		require.Empty(t, found, name)
		if err != nil {
			b.requireFailure(t, err, platform.ClassTransient)
		}
	}
	for _, status := range []int{200, 400, 403, 500, 502, 503, 520} {
		b.answering(frontResponse{status: status, body: []byte("<html>" + b.account.Credentials.AccessToken)})
		for _, err := range b.both(t, b.Unknown) {
			require.Error(t, err, "%d", status)
			b.requireFailure(t, err, platform.ClassTransient)
		}
	}
}

func (b *insightsBench) answering(given frontResponse) {
	b.front.mangle(func(w http.ResponseWriter, _ *http.Request, _ func() frontResponse) { given.write(w) })
}

func testInsightsRedirect(t *testing.T, b *insightsBench) {
	t.Helper()
	b.front.mangle(func(w http.ResponseWriter, r *http.Request, _ func() frontResponse) {
		if r.URL.Path != redirected {
			w.Header().Set("Location", b.front.server.URL+redirected)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	})
	for _, err := range b.both(t, b.Unknown) {
		b.requireFailure(t, err, platform.ClassTransient)
	}
	b.front.requireNoRedirect(t)
}
