package token_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

const day = 24 * time.Hour

// policies returns the rules of three kinds of networks.
func policies() map[string][]token.Policy {
	page := token.Policy{Role: "organization", Access: 60 * day, Refresh: 365 * day, FixedRefresh: true}
	return map[string][]token.Policy{
		"x": {{
			Access: 2 * time.Hour, Refresh: 182 * day, Rotates: true, Revokes: true, RenewalScope: "offline",
			Scopes: []string{"read", "write", "offline"},
		}},
		"threads": {{Access: 60 * day, NoRefresh: true, Youngest: day, Scopes: []string{"basic"}}},
		"linkedin": {
			{Access: 60 * day, Refresh: 365 * day, FixedRefresh: true, Scopes: []string{"profile"}}, page,
		},
		"facebook": {{NoRefresh: true, DataAccess: 90 * day}},
	}
}

// bench holds tokens with a clock, and their file.
type bench struct {
	*token.Tokens

	clock *clocktest.Fake
	path  string
}

func setup(t *testing.T) *bench {
	t.Helper()
	b := &bench{
		clock: clocktest.New(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)), path: filepath.Join(t.TempDir(), "tokens.jsonl"),
	}
	b.open(t)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func (b *bench) open(t *testing.T) {
	t.Helper()
	var err error
	b.Tokens, err = token.Open(token.Config{
		Path: b.path, Policies: policies(), Clock: b.clock, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
}

func (b *bench) restart(t *testing.T) {
	t.Helper()
	require.NoError(t, b.Close())
	b.open(t)
}

// renew renews with a token's text.
func (b *bench) renew(t *testing.T, network, text, app string) (token.Grant, error) {
	t.Helper()
	grant, ok := b.OfRefreshToken(network, text)
	if !ok {
		grant, ok = b.OfAccessToken(network, text)
	}
	require.True(t, ok, text)
	return b.Renew(network, grant, app)
}

func (b *bench) accepts(t *testing.T, network, text string) {
	t.Helper()
	_, err := b.Access(network, text)
	require.NoError(t, err, text)
}

func (b *bench) refuses(t *testing.T, network, text string, want error) {
	t.Helper()
	_, err := b.Access(network, text)
	require.ErrorIs(t, err, want, text)
	require.True(t, token.IsRefusal(err))
}

func TestTokenFormats(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for text, want := range map[string]token.Grant{
		"acme":        {Account: "acme"},
		"acme.7":      {Account: "acme", Generation: 7},
		"1001":        {Account: "1001"},
		"a.b.c":       {Account: "a.b.c"},
		"a.b.2":       {Account: "a.b", Generation: 2},
		"acme-corp.0": {Account: "acme-corp"},
		"@acme":       {Account: "@acme"},
		"a@b":         {Account: "a@b"},
	} {
		grant, err := b.Access("x", "sandbox-x-"+text)
		require.NoError(t, err, text)
		require.Equal(t, want.Account, grant.Account)
		require.Equal(t, want.Generation, grant.Generation)
		require.Empty(t, grant.Role)
	}
	for _, text := range []string{
		"", "x", "sandbox-", "sandbox-x-", "sandbox-threads-acme", "sandbox-x-a b", "sandbox-x-a/b", "Sandbox-x-a",
	} {
		b.refuses(t, "x", text, token.ErrInvalid)
	}
	b.refuses(t, "y", "sandbox-y-acme", token.ErrInvalid)

	page, err := b.Access("linkedin", "sandbox-linkedin-acme@organization.3")
	require.NoError(t, err)
	require.Equal(t, "organization", page.Role)
	require.Equal(t, "acme", page.Account)
	require.Equal(t, "sandbox-linkedin-acme@organization.3", page.Access("linkedin"))
	require.Equal(t, "sandbox-refresh-acme@organization.3", page.Refresh())
	require.True(t, b.HasRefresh("linkedin", page))
	require.False(t, b.HasRefresh("threads", token.Grant{}))
}

func TestRotationRevokesAndPersists(t *testing.T) {
	t.Parallel()

	b := setup(t)
	next, err := b.renew(t, "x", "sandbox-refresh-acme.0", "app")
	require.NoError(t, err)
	require.Equal(t, 1, next.Generation)
	check := func() {
		_, err := b.renew(t, "x", "sandbox-refresh-acme.0", "app")
		require.ErrorIs(t, err, token.ErrInvalid)
		b.refuses(t, "x", "sandbox-x-acme", token.ErrInvalid)
		b.accepts(t, "x", next.Access("x"))
		b.accepts(t, "x", "sandbox-x-other")
	}
	check()
	b.restart(t)
	check()
	_, err = b.renew(t, "linkedin", "sandbox-refresh-acme", "app")
	require.NoError(t, err)
	_, err = b.renew(t, "linkedin", "sandbox-refresh-acme", "app")
	require.NoError(t, err, "LinkedIn's refresh token stays")
	b.accepts(t, "linkedin", "sandbox-linkedin-acme")
}

func TestConcurrentRenewalsSucceedOnce(t *testing.T) {
	t.Parallel()

	b := setup(t)
	var succeeded atomic.Int32
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := b.Renew("x", token.Grant{Account: "acme"}, "app"); err == nil {
				succeeded.Add(1)
			} else if !token.IsRefusal(err) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.Equal(t, int32(1), succeeded.Load())
}

func TestTokensEnd(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.accepts(t, "x", "sandbox-x-acme")
	b.clock.Advance(2*time.Hour - time.Second)
	b.restart(t)
	b.accepts(t, "x", "sandbox-x-acme")
	b.clock.Advance(time.Second)
	b.refuses(t, "x", "sandbox-x-acme", token.ErrExpired)
	fresh, err := b.renew(t, "x", "sandbox-refresh-acme", "app")
	require.NoError(t, err)
	b.accepts(t, "x", fresh.Access("x"))
	require.Equal(t, int64(7200), token.Seconds(fresh.IssuedAt, fresh.ExpiresAt))

	b.clock.Advance(182*day - time.Second)
	second, err := b.renew(t, "x", fresh.Refresh(), "app")
	require.NoError(t, err, "a rotating refresh token gets a new end")
	b.clock.Advance(182 * day)
	_, err = b.renew(t, "x", second.Refresh(), "app")
	require.ErrorIs(t, err, token.ErrExpired)
}

func TestRefreshTokensKeepExpiry(t *testing.T) {
	t.Parallel()

	b := setup(t)
	const refresh = "sandbox-refresh-acme"
	first, err := b.renew(t, "linkedin", refresh, "app")
	require.NoError(t, err)
	b.clock.Advance(300 * day)
	b.restart(t)
	second, err := b.renew(t, "linkedin", refresh, "app")
	require.NoError(t, err)
	require.Equal(t, first.RefreshExpiresAt, second.RefreshExpiresAt)
	require.Equal(t, int64((65*day)/time.Second), token.Seconds(second.IssuedAt, second.RefreshExpiresAt))
	b.clock.Advance(65 * day)
	_, err = b.renew(t, "linkedin", refresh, "app")
	require.ErrorIs(t, err, token.ErrExpired)
}

func TestLongLivedTokens(t *testing.T) {
	t.Parallel()

	b := setup(t)
	fresh, err := b.renew(t, "threads", "sandbox-threads-acme", "")
	require.NoError(t, err, "a token that is seen for the first time is old enough")
	b.accepts(t, "threads", "sandbox-threads-acme")
	text := fresh.Access("threads")
	_, err = b.renew(t, "threads", text, "")
	require.ErrorIs(t, err, token.ErrYoung)
	b.clock.Advance(day)
	_, err = b.renew(t, "threads", text, "")
	require.NoError(t, err)
	b.clock.Advance(59 * day)
	b.refuses(t, "threads", text, token.ErrExpired)
	old, err := b.renew(t, "threads", text, "")
	require.ErrorIs(t, err, token.ErrExpired, "nothing renews it any more")
	require.Equal(t, fresh.ExpiresAt, old.ExpiresAt)
}

func TestDataAccessEnds(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.accepts(t, "facebook", "sandbox-facebook-acme")
	b.clock.Advance(90*day - time.Second)
	b.accepts(t, "facebook", "sandbox-facebook-acme")
	b.clock.Advance(time.Second)
	b.refuses(t, "facebook", "sandbox-facebook-acme", token.ErrData)
}

func TestScopesAndApplications(t *testing.T) {
	t.Parallel()

	b := setup(t)
	_, err := b.Access("x", "sandbox-x-acme", "read", "write")
	require.NoError(t, err)
	some, err := b.Issue("x", token.Consent{Account: "acme", App: "mine", Scopes: []string{"read"}, Age: time.Hour})
	require.NoError(t, err)
	require.Equal(t, b.clock.Now().Add(-time.Hour), some.IssuedAt)
	check := func() {
		_, err := b.Access("x", some.Access("x"), "read")
		require.NoError(t, err)
		_, err = b.Access("x", some.Access("x"), "read", "write")
		require.ErrorIs(t, err, token.ErrScope)
		_, err = b.renew(t, "x", some.Refresh(), "mine")
		require.ErrorIs(t, err, token.ErrScope, "without the scope for it")
	}
	check()
	b.restart(t)
	check()
	b.refuses(t, "x", "sandbox-x-acme", token.ErrInvalid)

	all, err := b.Issue("x", token.Consent{Account: "acme", App: "mine"})
	require.NoError(t, err)
	_, err = b.renew(t, "x", all.Refresh(), "other")
	require.ErrorIs(t, err, token.ErrApp)
	_, err = b.renew(t, "x", all.Refresh(), "mine")
	require.NoError(t, err)

	_, err = b.renew(t, "linkedin", "sandbox-refresh-acme", "first")
	require.NoError(t, err)
	b.restart(t)
	_, err = b.renew(t, "linkedin", "sandbox-refresh-acme", "second")
	require.ErrorIs(t, err, token.ErrApp, "the first application that renews is the one")
	_, err = b.renew(t, "linkedin", "sandbox-refresh-acme@organization", "second")
	require.NoError(t, err, "another role has its own tokens")

	for _, wrong := range []token.Consent{{Account: "a/b"}, {}, {Account: "a", Role: "organization"}} {
		_, err = b.Issue("x", wrong)
		require.ErrorIs(t, err, token.ErrInvalid)
	}
	_, err = b.Issue("x", token.Consent{Account: "a", Scopes: []string{"everything"}})
	require.ErrorIs(t, err, token.ErrScope)
}

func TestExpireUntilRenewed(t *testing.T) {
	t.Parallel()

	b := setup(t)
	grant, err := b.Access("linkedin", "sandbox-linkedin-acme")
	require.NoError(t, err)
	b.Expire("linkedin", grant)
	b.refuses(t, "linkedin", "sandbox-linkedin-acme", token.ErrExpired)
	b.accepts(t, "linkedin", "sandbox-linkedin-acme@organization")
	next, err := b.renew(t, "linkedin", "sandbox-refresh-acme", "app")
	require.NoError(t, err)
	b.accepts(t, "linkedin", next.Access("linkedin"))
	b.refuses(t, "linkedin", "sandbox-linkedin-acme", token.ErrExpired)
	b.Revive()
	b.accepts(t, "linkedin", "sandbox-linkedin-acme")
}

// TestOldFilesAreRead checks that tokens that were stored without times are accepted, from now on with an end.
func TestOldFilesAreRead(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.NoError(t, b.Close())
	require.NoError(t, os.WriteFile(b.path, []byte(`{"network":"x","account":"acme","generation":4}`+"\n"), 0o600))
	b.open(t)
	b.refuses(t, "x", "sandbox-x-acme.3", token.ErrInvalid)
	b.accepts(t, "x", "sandbox-x-acme.4")
	b.clock.Advance(2 * time.Hour)
	b.refuses(t, "x", "sandbox-x-acme.4", token.ErrExpired)
	_, err := b.renew(t, "x", "sandbox-refresh-acme.4", "app")
	require.NoError(t, err)
}

func TestOpenRequiresClock(t *testing.T) {
	t.Parallel()
	_, err := token.Open(token.Config{Path: filepath.Join(t.TempDir(), "t"), Logger: slog.New(slog.DiscardHandler)})
	require.Error(t, err)
}

func TestBot(t *testing.T) {
	t.Parallel()

	name, ok := token.Bot("123456:sandbox-demo")
	require.True(t, ok)
	require.Equal(t, "demo", name)
	for _, text := range []string{"", "1", ":sandbox-demo", "x:sandbox-demo", "1:demo", "1:sandbox-", "1:sandbox-a/b"} {
		_, ok := token.Bot(text)
		require.False(t, ok, text)
	}
}
