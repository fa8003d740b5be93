package app_test

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// network is a scripted network whose accounts are connected on its own page.
type network struct {
	code        platform.Code // of the last exchange
	consent     platform.Consent
	unavailable error // of AuthorizeURL
	exchange    error
	granted     string
	accounts    []channel.Candidate
	token       string // of the credentials
	revoked     []string
	revokes     error
	whole       bool // a revocation ends every consent to the application
}

func (*network) Types() []channel.Type { return []channel.Type{channel.FacebookPage} }

func (*network) Refresh(context.Context, platform.Account) (channel.Credentials, error) {
	return channel.Credentials{}, errors.New("not scripted")
}

func (*network) Term(platform.Account) platform.Term { return platform.Term{} }

func (*network) Identify(context.Context, platform.Account) (platform.Identity, error) {
	return platform.Identity{}, errors.New("not scripted")
}

func (*network) Configured(channel.Variant) bool { return true }

func (*network) Scopes(channel.Variant) platform.Scopes {
	return platform.Scopes{Needed: []string{"publish"}, Useful: []string{"figures"}}
}

func (n *network) AuthorizeURL(_ context.Context, c platform.Consent) (platform.Authorization, error) {
	n.consent = c
	return platform.Authorization{URL: "https://network.test/allow?state=" + c.State, Kept: "kept-secret"}, n.unavailable
}

func (n *network) Exchange(_ context.Context, c platform.Code) (channel.Credentials, error) {
	n.code = c
	return channel.Credentials{AccessToken: n.token, Scope: n.granted, Subject: "subject"}, n.exchange
}

func (n *network) Accounts(_ context.Context, held channel.Credentials) ([]channel.Candidate, error) {
	found := make([]channel.Candidate, len(n.accounts))
	for i, one := range n.accounts {
		one.Type, one.Credentials = channel.FacebookPage, held
		one.Credentials.AccessToken += "-" + one.ExternalID
		found[i] = one
	}
	return found, nil
}

func (n *network) Revoke(_ context.Context, a platform.Account) error {
	n.revoked = append(n.revoked, a.Credentials.AccessToken)
	return n.revokes
}

func (n *network) RevokesConsent() bool { return n.whole }

const browser = "session-of-a-browser"

// connecting is a person who connects accounts.
type connecting struct {
	*bundle
	*app.Connections

	net *network
	p   app.Principal
}

func setupConnecting(t *testing.T) *connecting {
	t.Helper()
	b := setup(t)
	n := &network{granted: "publish figures", token: "token-1", accounts: []channel.Candidate{
		{ExternalID: "1", Name: "Acme\x00 News", Username: "acme"},
		{ExternalID: "2", Name: "Acme Shop"},
		{ExternalID: "3", Name: "Acme Archive", Problem: "You may not publish."},
	}}
	links, err := platform.NewRegistry(n)
	require.NoError(t, err)
	use, err := app.NewConnections(app.ConnectionsDeps{
		DB: b.db, Keyring: b.keyring, Links: links, Clock: b.clock, Logger: slog.New(slog.DiscardHandler),
		AppURL: "https://app.test/", Wake: b.wake,
	})
	require.NoError(t, err)
	p := b.tenant(t.Context(), t)
	p.Key.Scopes = append(p.Key.Scopes, credential.ChannelsConnect)
	return &connecting{bundle: b, Connections: use, net: n, p: p}
}

// begin starts an attempt and returns its state.
func (c *connecting) begin(t *testing.T, in app.BeginConnect) (channel.Attempt, string) {
	t.Helper()
	if in.Type == "" {
		in.Type = channel.FacebookPage
	}
	in.Session = browser
	a, page, err := c.Begin(t.Context(), c.p, in)
	require.NoError(t, err)
	require.Equal(t, channel.AttemptOpen, a.Outcome, "%+v", a.Steps)
	parsed, err := url.Parse(page)
	require.NoError(t, err)
	return a, parsed.Query().Get("state")
}

func (c *connecting) finish(t *testing.T, state string) channel.Attempt {
	t.Helper()
	a, err := c.Finish(t.Context(), c.p, browser, app.Returned{State: state, Code: "code-1"})
	require.NoError(t, err)
	return a
}

// connected connects the accounts and returns their channels.
func (c *connecting) connected(t *testing.T, ids ...string) []channel.Channel {
	t.Helper()
	_, state := c.begin(t, app.BeginConnect{})
	created, err := c.Pick(t.Context(), c.p, browser, c.finish(t, state).ID, ids)
	require.NoError(t, err)
	return created
}

// TestAccountFactsAreStored checks that a channel has what the network says about its account, also after a reconnect.
func TestAccountFactsAreStored(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	c.net.accounts[0].Facts.Premium = new(false)
	created := c.connected(t, "1", "2")
	for _, one := range created {
		facts := channel.Facts{}
		if one.ExternalID == "1" {
			facts.Premium = new(false)
		}
		require.Equal(t, facts, one.Facts)
	}
	c.net.accounts[0].Facts.Premium = new(true)
	again := c.connected(t, "1")
	require.Equal(t, channel.Facts{Premium: new(true)}, again[0].Facts)
}

func (c *connecting) held(t *testing.T, id ident.Channel) channel.Credentials {
	t.Helper()
	held, _, err := c.channelStore.Credentials(t.Context(), id)
	require.NoError(t, err)
	return held
}

func TestSeveralAccountsAreConnectedWithOneConsent(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	_, state := c.begin(t, app.BeginConnect{})
	require.Equal(t, "https://app.test/connect/facebook/callback", c.net.consent.Redirect)
	require.GreaterOrEqual(t, len(state), 26)
	owner, err := c.Owner(t.Context(), browser, state)
	require.NoError(t, err)
	require.Equal(t, c.p.WorkspaceID, owner)
	picking := c.finish(t, state)
	require.Equal(t, channel.AttemptPicking, picking.Outcome)
	require.Equal(t, "kept-secret", c.net.code.Kept)
	require.Equal(t, c.net.consent.Redirect, c.net.code.Redirect)
	require.GreaterOrEqual(t, len(c.net.code.Verifier), 43, "RFC 7636 §4.1")
	_, accounts, err := c.Attempt(t.Context(), c.p, browser, picking.ID)
	require.NoError(t, err)
	require.Len(t, accounts, 3)
	require.Equal(t, "Acme  News", accounts[0].Name, "a network's text has no control characters")
	require.Zero(t, accounts[0].Credentials)
	created, err := c.Pick(t.Context(), c.p, browser, picking.ID, []string{"2", "1", "2"})
	require.NoError(t, err)
	require.Len(t, created, 2)
	require.Equal(t, "token-1-1", c.held(t, created[0].ID).AccessToken)
	require.Equal(t, "token-1-2", c.held(t, created[1].ID).AccessToken)
	require.Empty(t, c.held(t, created[0].ID).Subject)
	require.Equal(t, []string{"channel.connected", "channel.connected"}, c.eventTypes(t))
	_, err = c.Pick(t.Context(), c.p, browser, picking.ID, []string{"1"})
	require.True(t, apperr.Is(err, apperr.InvalidState), "%v", err)
	require.Equal(t, []string{"0"}, c.rows.Column(t.Context(), t, `SELECT count(*) FROM connect_attempt WHERE secret IS NOT NULL`))
}

func (c *connecting) eventTypes(t *testing.T) []string {
	t.Helper()
	return c.rows.Column(t.Context(), t, `SELECT type FROM event WHERE type LIKE 'channel.%' ORDER BY id`)
}

// TestSecretsOfAttemptAreEncrypted reads the tables as an attacker with a copy of the database.
func TestSecretsOfAttemptAreEncrypted(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	_, state := c.begin(t, app.BeginConnect{})
	stored := func() string {
		return c.rows.Column(t.Context(), t, `SELECT CAST(ROW(a.*) AS text) || encode(COALESCE(secret, ''), 'escape')
			FROM connect_attempt a`)[0]
	}
	require.NotContains(t, stored(), state)
	require.NotContains(t, stored(), "kept-secret")
	require.NotContains(t, stored(), browser)
	c.finish(t, state)
	require.NotContains(t, stored(), "token-1")
	require.NotContains(t, stored(), "code-1")
}

func TestStateIsValidOnceInItsSession(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	returned := func(state string) app.Returned { return app.Returned{State: state, Code: "code-1"} }
	_, state := c.begin(t, app.BeginConnect{})
	for name, try := range map[string]func() error{
		"another session": func() error {
			_, err := c.Finish(t.Context(), c.p, "session-of-an-attacker", returned(state))
			return err
		},
		"another workspace": func() error {
			other := c.tenant(t.Context(), t)
			other.Key.Scopes = c.p.Key.Scopes
			_, err := c.Finish(t.Context(), other, browser, returned(state))
			return err
		},
		"another state": func() error {
			_, err := c.Finish(t.Context(), c.p, browser, returned("invented"))
			return err
		},
		"another session's owner": func() error {
			_, err := c.Owner(t.Context(), "session-of-an-attacker", state)
			return err
		},
	} {
		require.True(t, apperr.Is(try(), apperr.NotFound), name)
	}
	require.Empty(t, c.net.code.Code, "no code was exchanged")
	c.finish(t, state)
	_, err := c.Finish(t.Context(), c.p, browser, returned(state))
	require.True(t, apperr.Is(err, apperr.NotFound), "a state works once")

	_, late := c.begin(t, app.BeginConnect{})
	c.clock.Advance(channel.StateLife)
	_, err = c.Finish(t.Context(), c.p, browser, returned(late))
	require.True(t, apperr.Is(err, apperr.NotFound), "a state works for ten minutes")
}

func TestFailedAttemptShowsStepsAndResponse(t *testing.T) {
	t.Parallel()
	refused := &platform.Failure{
		Class: platform.ClassUser, Code: platform.CodeConsentRefused, Message: "The network did not accept the code.",
		Cause: errors.New(`refused: status 400, body "{\"error\":\"invalid_grant\"}"`),
	}
	for name, test := range map[string]struct {
		spoil    func(*network)
		returned app.Returned
		outcome  channel.AttemptOutcome
		code     string
		response string
	}{
		"denied": {
			nil,
			app.Returned{Error: "access_denied", Description: "The user\ndenied"},
			channel.AttemptDenied, app.CodeConsentDenied,
			"access_denied: The user denied",
		},
		"an error": {nil, app.Returned{Error: "server_error"}, channel.AttemptFailed, app.CodeNoCode, "server_error:"},
		"no code":  {nil, app.Returned{}, channel.AttemptFailed, app.CodeNoCode, ""},
		"a refused code": {
			func(n *network) { n.exchange = refused },
			app.Returned{Code: "c"},
			channel.AttemptFailed, platform.CodeConsentRefused,
			"invalid_grant",
		},
		"a scope left out": {
			func(n *network) { n.granted = "figures" },
			app.Returned{Code: "c"},
			channel.AttemptFailed, app.CodeScopeMissing,
			"granted: figures",
		},
		"no account": {
			func(n *network) { n.accounts = nil }, app.Returned{Code: "c"}, channel.AttemptFailed, app.CodeNoAccount, "",
		},
		"no usable account": {
			func(n *network) { n.accounts = n.accounts[2:] }, app.Returned{Code: "c"}, channel.AttemptFailed, app.CodeAccountBlocked, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := setupConnecting(t)
			if test.spoil != nil {
				test.spoil(c.net)
			}
			begun, state := c.begin(t, app.BeginConnect{})
			test.returned.State = state
			a, err := c.Finish(t.Context(), c.p, browser, test.returned)
			require.NoError(t, err)
			require.Equal(t, test.outcome, a.Outcome)
			last := a.Steps[len(a.Steps)-1]
			require.False(t, last.OK)
			require.Equal(t, test.code, last.Code)
			require.NotEmpty(t, last.What)
			require.Contains(t, last.Response, test.response)
			stored, accounts, err := c.Attempt(t.Context(), c.p, browser, begun.ID)
			require.NoError(t, err)
			require.Equal(t, a.Steps, stored.Steps)
			require.Empty(t, accounts)
			listed, err := c.Attempts(t.Context(), c.p, 10)
			require.NoError(t, err)
			require.Equal(t, a.Steps, listed[0].Steps)
		})
	}
}

func TestMissingApplicationIsReported(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	c.net.unavailable = &platform.Failure{Class: platform.ClassOperator, Code: platform.CodeAppMissing, Message: "Not configured."}
	a, page, err := c.Begin(t.Context(), c.p, app.BeginConnect{Session: browser, Type: channel.FacebookPage})
	require.NoError(t, err)
	require.Empty(t, page)
	require.Equal(t, channel.AttemptFailed, a.Outcome)
	require.Equal(t, platform.CodeAppMissing, a.Steps[0].Code)
}

func TestUngrantedUsefulScopeIsReported(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	c.net.granted = "publish"
	_, state := c.begin(t, app.BeginConnect{})
	a := c.finish(t, state)
	require.Equal(t, channel.AttemptPicking, a.Outcome)
	require.Contains(t, a.Steps[3].What, "did not grant figures")
}

// TestReconnectingKeepsChannel checks a channel that waits for its person, with a held post.
func TestReconnectingKeepsChannel(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	kept := c.connected(t, "1")[0]
	held := c.heldPost(t, kept)
	_, revision, err := c.channelStore.Credentials(t.Context(), kept.ID)
	require.NoError(t, err)
	require.NoError(t, c.channelStore.NeedsReconnect(t.Context(), kept.ID, revision))
	c.net.token = "token-2"
	_, state := c.begin(t, app.BeginConnect{Channel: kept.ID})
	a := c.finish(t, state)
	require.Equal(t, channel.AttemptConnected, a.Outcome, "%+v", a.Steps)
	after, err := c.channelStore.Get(t.Context(), c.p.WorkspaceID, kept.ID)
	require.NoError(t, err)
	require.Equal(t, channel.TokenHealthy, after.TokenStatus)
	require.True(t, after.IsConnected)
	require.Equal(t, "token-2-1", c.held(t, kept.ID).AccessToken)
	require.Equal(t, []string{"2"}, c.rows.Column(t.Context(), t, `SELECT revision FROM post WHERE id = $1`, held.String()),
		"the post that waits for the channel goes on")
	require.Equal(t, []string{"channel.connected", "channel.access_lost", "channel.connected", "channel.access_restored"}, c.eventTypes(t))
}

// heldPost stores a post that waits for the channel.
func (c *connecting) heldPost(t *testing.T, of channel.Channel) ident.Post {
	t.Helper()
	change, err := post.Create(post.NewPost{
		WorkspaceID: of.WorkspaceID, ChannelID: of.ID, Content: "Hello", ContentType: post.ContentPost,
		ScheduleAt: c.clock.Now().Add(-time.Minute),
	}, c.clock.Now(), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, c.postStore.Insert(t.Context(), []post.Change{change}))
	postgrestest.Exec(t, c.address, `UPDATE post SET waiting_reason = 'channel_reconnect', waiting_until = now()`)
	return change.Post.ID
}

// TestReconnectingRefusesAnotherAccount also covers an id that differs in its case alone.
func TestReconnectingRefusesAnotherAccount(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"9", "aB"} {
		refusesAnotherAccount(t, other)
	}
}

func refusesAnotherAccount(t *testing.T, other string) {
	t.Helper()
	c := setupConnecting(t)
	c.net.accounts = append(c.net.accounts, channel.Candidate{ExternalID: "ab", Name: c.net.accounts[0].Name})
	kept := c.connected(t, "ab")[0]
	c.net.accounts = []channel.Candidate{{ExternalID: other, Name: "Globex"}}
	_, state := c.begin(t, app.BeginConnect{Channel: kept.ID})
	a := c.finish(t, state)
	require.Equal(t, channel.AttemptFailed, a.Outcome)
	last := a.Steps[len(a.Steps)-1]
	require.Equal(t, app.CodeOtherAccount, last.Code)
	require.Contains(t, last.What, "This channel is Acme  News. You signed in as Globex.")
	require.Equal(t, "token-1-ab", c.held(t, kept.ID).AccessToken)
}

// TestConnectingSameAccountTwiceReconnects checks that a second consent does not make a second channel.
func TestConnectingSameAccountTwiceReconnects(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	first := c.connected(t, "1")[0]
	c.net.token = "token-2"
	again := c.connected(t, "1", "2")
	require.Equal(t, first.ID, again[0].ID)
	require.NotEqual(t, first.ID, again[1].ID)
	require.Equal(t, "token-2-1", c.held(t, first.ID).AccessToken)
	require.Len(t, c.eventTypes(t), 2, "a channel that worked is not connected again")
}

func TestAccountOfAnotherWorkspaceMayBeConnected(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	first := c.connected(t, "1")[0]
	other := c.tenant(t.Context(), t)
	other.Key.Scopes = c.p.Key.Scopes
	c.p = other
	require.NotEqual(t, first.ID, c.connected(t, "1")[0].ID)
}

func TestUnofferedAccountIsRefused(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	_, state := c.begin(t, app.BeginConnect{})
	id := c.finish(t, state).ID
	for _, chosen := range [][]string{nil, {"3"}, {"1", "invented"}} {
		_, err := c.Pick(t.Context(), c.p, browser, id, chosen)
		require.True(t, apperr.Is(err, apperr.ValidationFailed), "%v: %v", chosen, err)
	}
	_, err := c.Pick(t.Context(), c.p, "session-of-an-attacker", id, []string{"1"})
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	c.clock.Advance(channel.PickLife)
	_, err = c.Pick(t.Context(), c.p, browser, id, []string{"1"})
	require.True(t, apperr.Is(err, apperr.InvalidState), "%v", err)
	require.Equal(t, []string{"0"}, c.rows.Column(t.Context(), t, `SELECT count(*) FROM channel`))
}

func TestDisconnecting(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	one, two := c.connected(t, "1")[0], c.connected(t, "2")[0]
	waiting := c.heldPost(t, one)
	revoked, err := c.Disconnect(t.Context(), c.p, app.DisconnectChannel{Channel: one.ID, Drafts: true, Revoke: true})
	require.NoError(t, err)
	require.True(t, revoked)
	require.Equal(t, []string{"token-1-1"}, c.net.revoked)
	require.Equal(t, []string{"DRAFT"}, c.rows.Column(t.Context(), t, `SELECT status FROM post WHERE id = $1`, waiting.String()))
	after, err := c.channelStore.Get(t.Context(), c.p.WorkspaceID, one.ID)
	require.NoError(t, err)
	require.False(t, after.IsConnected)
	require.Equal(t, channel.TokenNeedsReconnect, after.TokenStatus, "revoked tokens cannot be used again")
	require.Equal(t, []string{"channel.connected", "channel.connected", "channel.disconnected"}, c.eventTypes(t))

	c.net.revokes = errors.New("the network is down")
	revoked, err = c.Disconnect(t.Context(), c.p, app.DisconnectChannel{Channel: two.ID, Revoke: true})
	require.NoError(t, err, "a network that does not respond does not prevent it")
	require.False(t, revoked)
	for range 2 {
		_, err = c.Disconnect(t.Context(), c.p, app.DisconnectChannel{Channel: two.ID})
		require.NoError(t, err)
	}
	require.Len(t, c.eventTypes(t), 4)
}

// TestTokensOfAnotherChannelAreNotRevoked checks accounts of one consent, and an account of two workspaces.
func TestTokensOfAnotherChannelAreNotRevoked(t *testing.T) {
	t.Parallel()
	t.Run("one consent", func(t *testing.T) {
		t.Parallel()
		c := setupConnecting(t)
		both := c.connected(t, "1", "2")
		for _, one := range both { // one token for both, as at LinkedIn
			require.NoError(t, c.channelStore.Replace(t.Context(), one, channel.Credentials{AccessToken: "shared"}))
		}
		revoked, err := c.Disconnect(t.Context(), c.p, app.DisconnectChannel{Channel: both[0].ID, Revoke: true})
		require.NoError(t, err)
		require.False(t, revoked)
		require.Empty(t, c.net.revoked)
	})
	t.Run("one application", func(t *testing.T) {
		t.Parallel()
		c := setupConnecting(t)
		both := c.connected(t, "1", "2")
		for i, one := range both {
			require.NoError(t, c.channelStore.Replace(t.Context(), one,
				channel.Credentials{AccessToken: "token" + one.ExternalID, ClientID: "application"}), "%d", i)
		}
		c.net.whole = true
		revoked, err := c.Disconnect(t.Context(), c.p, app.DisconnectChannel{Channel: both[0].ID, Revoke: true})
		require.NoError(t, err)
		require.False(t, revoked)
		c.net.whole = false
		revoked, err = c.Disconnect(t.Context(), c.p, app.DisconnectChannel{Channel: both[0].ID, Revoke: true})
		require.NoError(t, err)
		require.True(t, revoked)
	})
	t.Run("two workspaces", func(t *testing.T) {
		t.Parallel()
		c := setupConnecting(t)
		mine, p := c.connected(t, "1")[0], c.p
		c.p = c.tenant(t.Context(), t)
		c.p.Key.Scopes = p.Key.Scopes
		c.connected(t, "1")
		revoked, err := c.Disconnect(t.Context(), p, app.DisconnectChannel{Channel: mine.ID, Revoke: true})
		require.NoError(t, err)
		require.False(t, revoked)
	})
}

func TestAbandonedAttemptsAreDeleted(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	c.clock.Set(time.Now()) // the database's clock decides
	c.begin(t, app.BeginConnect{})
	store := postgres.NewConnects(c.db, c.keyring)
	const month = 30 * 24 * time.Hour
	stored := func() []string {
		_, err := store.Prune(t.Context(), month, 10)
		require.NoError(t, err)
		return c.rows.Column(t.Context(), t, `SELECT outcome || ' ' || (secret IS NULL) FROM connect_attempt`)
	}
	require.Equal(t, []string{"OPEN false"}, stored())
	postgrestest.Exec(t, c.address, `UPDATE connect_attempt SET expires_at = now()`)
	require.Equal(t, []string{"FAILED true"}, stored())
	postgrestest.Exec(t, c.address, `UPDATE connect_attempt SET created_at = now() - interval '31 days'`)
	require.Empty(t, stored())
}

// TestConnectingRequiresPermission checks every use case with a client that has all scopes of an API key.
func TestConnectingRequiresPermission(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	created := c.connected(t, "1")[0]
	p := c.p
	p.Key.Scopes = credential.Scopes()
	for name, try := range map[string]func() error{
		"begin": func() error {
			_, _, err := c.Begin(t.Context(), p, app.BeginConnect{Session: browser, Type: channel.FacebookPage})
			return err
		},
		"enter": func() error {
			_, err := c.Enter(t.Context(), p, app.BeginConnect{Session: browser, Type: channel.TelegramChannel}, nil)
			return err
		},
		"finish": func() error {
			_, err := c.Finish(t.Context(), p, browser, app.Returned{})
			return err
		},
		"attempt": func() error {
			_, _, err := c.Attempt(t.Context(), p, browser, ident.New[ident.Connect]())
			return err
		},
		"attempts": func() error {
			_, err := c.Attempts(t.Context(), p, 1)
			return err
		},
		"pick": func() error {
			_, err := c.Pick(t.Context(), p, browser, ident.New[ident.Connect](), []string{"1"})
			return err
		},
		"disconnect": func() error {
			_, err := c.Disconnect(t.Context(), p, app.DisconnectChannel{Channel: created.ID})
			return err
		},
	} {
		require.True(t, apperr.Is(try(), apperr.InsufficientScope), name)
	}
}

// TestForeignChannelIsNotFound checks that a channel of another workspace can be neither reconnected nor disconnected.
func TestForeignChannelIsNotFound(t *testing.T) {
	t.Parallel()
	c := setupConnecting(t)
	theirs := c.connected(t, "1")[0]
	p := c.tenant(t.Context(), t)
	p.Key.Scopes = c.p.Key.Scopes
	_, _, err := c.Begin(t.Context(), p, app.BeginConnect{Session: browser, Channel: theirs.ID})
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	_, err = c.Disconnect(t.Context(), p, app.DisconnectChannel{Channel: theirs.ID})
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}
