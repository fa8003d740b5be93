package platformtest

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// LinkHarness configures the tests of a link that reads from its network.
type LinkHarness struct {
	Network channel.Network
	// Sandbox is a running sandbox network. Prefix is the path prefix of the network under test.
	Sandbox Sandbox
	Prefix  string
	// Link returns the link for the API at config.BaseURL, with the timeouts that are set.
	Link func(t *testing.T, config connectors.Config) platform.Link
	// Account returns an account of the sandbox network. The name is in lower case and unique.
	Account func(name string) platform.Account
	// Read makes the read call that the link exists for.
	Read func(ctx context.Context, link platform.Link, account platform.Account) error
}

// noResponse is the test in which the network does not respond.
const noResponse = "no response"

// callTimeout returns the call timeout of a test. Only a test of the timeout waits for it; the others need one that a
// busy machine keeps.
func callTimeout(test string) time.Duration {
	switch test {
	case noResponse, lostBefore, lostAfter:
		return commitTimeout
	default:
		return 30 * time.Second
	}
}

// RunLink checks the guarantees of a link that reads: tokens are refreshed, their expiry is distinguished from every
// other failure, malformed responses are not read as data, and no failure contains a secret.
func RunLink(t *testing.T, h LinkHarness) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, *linkBench){
		"declares itself":            testLinkDeclaration,
		"reads":                      func(t *testing.T, b *linkBench) { t.Helper(); require.NoError(t, b.read(t)) },
		"an expired token":           testLinkExpiredToken,
		"a refresh token used twice": testLinkUsedToken,
		"a dead token":               testLinkDeadToken,
		"a rate limit":               testLinkRateLimit,
		"unavailable":                testLinkUnavailable,
		noResponse:                   testLinkTimeout,
		"no connection":              testLinkRefused,
		"invalid responses":          testLinkMangledResponses,
		"a redirect":                 testLinkRedirect,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			test(t, newLinkBench(t, h, name))
		})
	}
}

// linkBench is one link with one account and a front in front of the sandbox.
type linkBench struct {
	LinkHarness

	front   *front
	link    platform.Link
	account platform.Account
}

func newLinkBench(t *testing.T, h LinkHarness, name string) *linkBench {
	t.Helper()
	b := &linkBench{LinkHarness: h, account: h.Account(letters(name))}
	b.front = newFront(t, h.Sandbox.URL, func(*http.Request) bool { return true })
	b.link = h.Link(t, connectors.Config{
		BaseURL: b.front.server.URL + h.Prefix, Clock: clock.System(), CallTimeout: callTimeout(name),
	})
	return b
}

func (b *linkBench) read(t *testing.T) error {
	t.Helper()
	return b.Read(t.Context(), b.link, b.account)
}

func (b *linkBench) refresh(t *testing.T) (channel.Credentials, error) {
	t.Helper()
	return b.link.Refresh(t.Context(), b.account)
}

func (b *linkBench) inject(t *testing.T, step, kind string, delay time.Duration) {
	t.Helper()
	b.Sandbox.Inject(t, Fault{
		Platform: string(b.Network), Account: b.account.ExternalID, Step: step, Kind: kind, DelayMs: delay.Milliseconds(),
	})
}

func (b *linkBench) requireFailure(t *testing.T, err error, class platform.Class) {
	t.Helper()
	_ = requireSafeFailure(t, err, b.account.Credentials, class)
}

func testLinkDeclaration(t *testing.T, b *linkBench) {
	t.Helper()
	require.NotEmpty(t, b.link.Types())
	require.Contains(t, b.link.Types(), b.account.Type)
	for _, kind := range b.link.Types() {
		require.Equal(t, b.Network, kind.Network())
	}
}

// testLinkExpiredToken checks that the same data can be read after one refresh.
func testLinkExpiredToken(t *testing.T, b *linkBench) {
	t.Helper()
	b.inject(t, "status", "expired_token", 0)
	b.requireFailure(t, b.read(t), platform.ClassRefresh)
	b.requireFailure(t, b.read(t), platform.ClassRefresh)

	fresh, err := b.refresh(t)
	require.NoError(t, err)
	require.NotEqual(t, b.account.Credentials.AccessToken, fresh.AccessToken)
	require.NotEmpty(t, fresh.RefreshToken)
	require.True(t, fresh.ExpiresAt.After(time.Now()))
	b.account.Credentials = fresh
	require.NoError(t, b.read(t))
}

// testLinkUsedToken checks that a second refresh with the same token is refused, and that the credentials from the
// first refresh keep working.
func testLinkUsedToken(t *testing.T, b *linkBench) {
	t.Helper()
	fresh, err := b.refresh(t)
	require.NoError(t, err)
	_, err = b.refresh(t)
	b.requireFailure(t, err, platform.ClassReconnect)
	b.account.Credentials = fresh
	require.NoError(t, b.read(t))
	_, err = b.refresh(t)
	require.NoError(t, err)
}

// testLinkDeadToken checks that a token that cannot be refreshed ends in ClassReconnect.
func testLinkDeadToken(t *testing.T, b *linkBench) {
	t.Helper()
	b.account.Credentials.AccessToken, b.account.Credentials.RefreshToken = "an-unknown-token", "another-unknown-token"
	b.requireFailure(t, b.read(t), platform.ClassRefresh)
	_, err := b.refresh(t)
	b.requireFailure(t, err, platform.ClassReconnect)

	b.account.Credentials = channel.Credentials{}
	b.requireFailure(t, b.read(t), platform.ClassReconnect)
	_, err = b.refresh(t)
	b.requireFailure(t, err, platform.ClassReconnect)
}

func testLinkRateLimit(t *testing.T, b *linkBench) {
	t.Helper()
	const wait = 30 * time.Second
	b.inject(t, "status", "rate_limit", wait)
	b.inject(t, "token", "rate_limit", wait)
	_, onRefresh := b.refresh(t)
	for _, err := range []error{b.read(t), onRefresh} {
		failure := requireSafeFailure(t, err, b.account.Credentials, platform.ClassRateLimited)
		require.WithinDuration(t, time.Now().Add(wait), failure.Until, 3*time.Second)
	}
}

func testLinkUnavailable(t *testing.T, b *linkBench) {
	t.Helper()
	b.inject(t, "status", "unavailable", 0)
	b.inject(t, "token", "unavailable", 0)
	b.requireFailure(t, b.read(t), platform.ClassTransient)
	_, err := b.refresh(t)
	b.requireFailure(t, err, platform.ClassTransient)
	require.NoError(t, b.read(t))
}

func testLinkTimeout(t *testing.T, b *linkBench) {
	t.Helper()
	b.inject(t, "status", "timeout_before", time.Minute)
	err := b.read(t)
	b.requireFailure(t, err, platform.ClassTransient)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func testLinkRefused(t *testing.T, b *linkBench) {
	t.Helper()
	b.front.goAway()
	b.requireFailure(t, b.read(t), platform.ClassTransient)
	_, err := b.refresh(t)
	b.requireFailure(t, err, platform.ClassTransient)
}

// testLinkMangledResponses checks that a malformed response is not read as data or as a refusal of the token. No request
// reaches the sandbox.
func testLinkMangledResponses(t *testing.T, b *linkBench) {
	t.Helper()
	responses := map[string]frontResponse{
		"nothing":     {status: http.StatusOK},
		"no members":  {status: http.StatusOK, body: []byte("{}")},
		"null":        {status: http.StatusOK, body: []byte("null")},
		"a list":      {status: http.StatusOK, body: []byte("[]")},
		"other types": {status: http.StatusOK, body: []byte(`{"items":7,"data":7,"error":7,"code":"0","access_token":[]}`)},
		"half":        {status: http.StatusOK, body: []byte(`{"items":[{"id":"1"},`)},
		"too large":   {status: http.StatusOK, body: make([]byte, 2<<20)},
	}
	for _, status := range []int{200, 400, 403, 500, 502, 503, 520} {
		responses["a page with "+strconv.Itoa(status)] = frontResponse{status: status, body: []byte("<html>" + echo)}
	}
	secrets := b.account.Credentials
	for name, given := range responses {
		b.answering(given, secrets.AccessToken)
		err := b.read(t)
		require.Error(t, err, name)
		b.requireFailure(t, err, platform.ClassTransient)

		b.answering(given, secrets.RefreshToken)
		_, err = b.refresh(t)
		require.Error(t, err, name)
		b.requireFailure(t, err, platform.ClassTransient)
	}
}

// echo in a response body is replaced by the secret that the request carried.
const echo = "ECHO"

func (b *linkBench) answering(given frontResponse, secret string) {
	given.body = bytes.ReplaceAll(given.body, []byte(echo), []byte(secret))
	b.front.mangle(func(w http.ResponseWriter, _ *http.Request, _ func() frontResponse) { given.write(w) })
}

func testLinkRedirect(t *testing.T, b *linkBench) {
	t.Helper()
	b.front.mangle(func(w http.ResponseWriter, r *http.Request, _ func() frontResponse) {
		if r.URL.Path != redirected {
			w.Header().Set("Location", b.front.server.URL+redirected)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	})
	b.requireFailure(t, b.read(t), platform.ClassTransient)
	_, err := b.refresh(t)
	b.requireFailure(t, err, platform.ClassTransient)
	b.front.requireNoRedirect(t)
}
