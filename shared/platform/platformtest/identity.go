package platformtest

import (
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

// IdentityHarness configures the tests of a link's Identify.
type IdentityHarness struct {
	Network channel.Network
	// Sandbox is a running sandbox network. Prefix is the path prefix of the network under test.
	Sandbox Sandbox
	Prefix  string
	// Link returns the link for the API at config.BaseURL, with the timeouts that are set.
	Link func(t *testing.T, config connectors.Config) platform.Link
	// Account returns an account of the sandbox network. The name is in lower case.
	Account func(name string) platform.Account
	// Foreign is the id of an account that is not the account of the token.
	Foreign string
	// ByAccess means that the network reports no id. A successful read of the account is then the proof.
	ByAccess bool
	// ByName means that faults concern the account by its username instead of its id.
	ByName bool
}

// RunIdentity checks that a link reports the account of an access token, that it detects a token of another account,
// that every failure has its class and the network's response, and that no failure contains a secret.
func RunIdentity(t *testing.T, h IdentityHarness) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, *identityBench){
		"the account of the token":   testIdentity,
		"a token of another account": testIdentityForeign,
		"an expired token":           testIdentityExpired,
		"a dead token":               testIdentityDead,
		"no token":                   testIdentityNoToken,
		"a refusal":                  testIdentityRefused,
		"a rate limit":               testIdentityLimited,
		"unavailable":                testIdentityUnavailable,
		noResponse:                   testIdentityTimeout,
		"no connection":              testIdentityNoConnection,
		"invalid responses":          testIdentityMangled,
		"a redirect":                 testIdentityRedirect,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := &identityBench{IdentityHarness: h, account: h.Account(letters(name))}
			b.front = newFront(t, h.Sandbox.URL, func(*http.Request) bool { return true })
			b.link = h.Link(t, connectors.Config{
				BaseURL: b.front.server.URL + h.Prefix, Clock: clock.System(), CallTimeout: callTimeout(name),
			})
			test(t, b)
		})
	}
}

// identityBench is one link with one account and a front in front of the sandbox.
type identityBench struct {
	IdentityHarness

	front   *front
	link    platform.Link
	account platform.Account
}

func (b *identityBench) identify(t *testing.T) (platform.Identity, error) {
	t.Helper()
	return b.link.Identify(t.Context(), b.account)
}

func (b *identityBench) inject(t *testing.T, kind string, delay time.Duration) {
	t.Helper()
	account := b.account.ExternalID
	if b.ByName {
		account = b.account.Username
	}
	b.Sandbox.Inject(t, Fault{
		Platform: string(b.Network), Account: account, Step: "status", Kind: kind, DelayMs: delay.Milliseconds(),
	})
}

// requireFailure checks that the call fails with one of the classes and identifies no account.
func (b *identityBench) requireFailure(t *testing.T, classes ...platform.Class) {
	t.Helper()
	_ = b.failure(t, classes...)
}

// failure is requireFailure and returns the failure.
func (b *identityBench) failure(t *testing.T, classes ...platform.Class) *platform.Failure {
	t.Helper()
	found, err := b.identify(t)
	require.Error(t, err)
	require.Zero(t, found)
	return requireSafeFailure(t, err, b.account.Credentials, classes...)
}

func testIdentity(t *testing.T, b *identityBench) {
	t.Helper()
	found, err := b.identify(t)
	require.NoError(t, err)
	require.Equal(t, b.account.ExternalID, found.ID)
}

// testIdentityForeign checks that the network either reports the token's own account or refuses.
func testIdentityForeign(t *testing.T, b *identityBench) {
	t.Helper()
	b.account.ExternalID = b.Foreign
	found, err := b.identify(t)
	if err != nil {
		_ = requireSafeFailure(t, err, b.account.Credentials, platform.ClassReconnect, platform.ClassRejected)
		return
	}
	require.NotEmpty(t, found.ID)
	require.NotEqual(t, b.Foreign, found.ID)
}

func testIdentityExpired(t *testing.T, b *identityBench) {
	t.Helper()
	b.inject(t, "expired_token", 0)
	failure := b.failure(t, platform.ClassRefresh, platform.ClassReconnect)
	require.ErrorContains(t, failure.Cause, "status ")
}

func testIdentityDead(t *testing.T, b *identityBench) {
	t.Helper()
	b.account.Credentials.AccessToken = "99:an-unknown-token"
	failure := b.failure(t, platform.ClassRefresh, platform.ClassReconnect)
	require.ErrorContains(t, failure.Cause, "status ")
	require.NotZero(t, b.front.commits.Load(), "the network was not asked")
}

func testIdentityNoToken(t *testing.T, b *identityBench) {
	t.Helper()
	b.account.Credentials = channel.Credentials{}
	b.requireFailure(t, platform.ClassReconnect)
	require.Zero(t, b.front.commits.Load())
}

func testIdentityRefused(t *testing.T, b *identityBench) {
	t.Helper()
	b.inject(t, "reject", 0)
	failure := b.failure(t, platform.ClassRejected)
	require.NotContains(t, failure.Message, "post", "nothing was published")
	require.ErrorContains(t, failure.Cause, "status ")
}

func testIdentityLimited(t *testing.T, b *identityBench) {
	t.Helper()
	b.inject(t, "rate_limit", 30*time.Second)
	b.requireFailure(t, platform.ClassRateLimited)
}

func testIdentityUnavailable(t *testing.T, b *identityBench) {
	t.Helper()
	b.inject(t, "unavailable", 0)
	b.requireFailure(t, platform.ClassTransient)
}

func testIdentityTimeout(t *testing.T, b *identityBench) {
	t.Helper()
	b.inject(t, "timeout_before", time.Minute)
	failure := b.failure(t, platform.ClassTransient)
	require.ErrorIs(t, failure, context.DeadlineExceeded)
}

func testIdentityNoConnection(t *testing.T, b *identityBench) {
	t.Helper()
	b.front.goAway()
	b.requireFailure(t, platform.ClassTransient)
}

// testIdentityMangled checks that a malformed response is not read as an account or as a refusal of the token.
func testIdentityMangled(t *testing.T, b *identityBench) {
	t.Helper()
	token := b.account.Credentials.AccessToken
	for name, given := range map[string]frontResponse{
		"nothing":   {status: http.StatusOK},
		"null":      {status: http.StatusOK, body: []byte("null")},
		"a list":    {status: http.StatusOK, body: []byte("[]")},
		"half":      {status: http.StatusOK, body: []byte(`{"id":"` + b.account.ExternalID + `",`)},
		"too large": {status: http.StatusOK, body: make([]byte, 2<<20)},
	} {
		b.answering(given)
		t.Log(name)
		b.requireFailure(t, platform.ClassTransient)
	}
	for _, body := range []string{
		`{}`, `{"data":7,"items":7,"elements":7,"result":7,"ok":true,"code":0,"id":7,"user_id":7,"sub":"","username":7}`,
	} {
		b.answering(frontResponse{status: http.StatusOK, body: []byte(body)})
		if !b.ByAccess {
			b.requireFailure(t, platform.ClassTransient)
		}
	}
	for _, status := range []int{200, 400, 403, 500, 502, 503, 520} {
		b.answering(frontResponse{status: status, body: []byte("<html>" + strconv.Itoa(status) + token)})
		b.requireFailure(t, platform.ClassTransient)
	}
}

func (b *identityBench) answering(given frontResponse) {
	b.front.mangle(func(w http.ResponseWriter, _ *http.Request, _ func() frontResponse) { given.write(w) })
}

func testIdentityRedirect(t *testing.T, b *identityBench) {
	t.Helper()
	b.front.mangle(func(w http.ResponseWriter, _ *http.Request, _ func() frontResponse) {
		w.Header().Set("Location", b.front.server.URL+redirected)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	b.requireFailure(t, platform.ClassTransient)
	b.front.requireNoRedirect(t)
}
