package e2e_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform/connectors"
)

const browserSession = "session-of-the-browser"

// visitor is a person who connects accounts, in process, at the sandbox network's pages.
type visitor struct {
	*harness.System
	*app.Connections

	t *testing.T
	p app.Principal
}

func newVisitor(t *testing.T, s *harness.System) *visitor {
	t.Helper()
	links, err := connectors.New(connectors.Environment{SandboxURL: s.Sandbox.URL()}, clock.System(), 0)
	require.NoError(t, err)
	use, err := app.NewConnections(app.ConnectionsDeps{
		DB: s.DB, Keyring: harness.Keyring(t), Links: links, Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
		AppURL: "https://app.test",
	})
	require.NoError(t, err)
	return &visitor{System: s, Connections: use, t: t, p: app.Principal{
		WorkspaceID: s.Workspace, Key: credential.Key{Scopes: []credential.Scope{credential.ChannelsConnect}},
	}}
}

// allow does what a person does on the network's page, and comes back.
func (v *visitor) allow(in app.BeginConnect, account string) channel.Attempt {
	v.t.Helper()
	in.Session = browserSession
	a, page, err := v.Begin(v.t.Context(), v.p, in)
	require.NoError(v.t, err)
	require.Equal(v.t, channel.AttemptOpen, a.Outcome, "%+v", a.Steps)
	at, err := url.Parse(page)
	require.NoError(v.t, err)
	scopes := strings.FieldsFunc(at.Query().Get("scope"), func(r rune) bool { return r == ' ' || r == ',' })
	form := url.Values{"other": {account}, "decision": {"allow"}, "scope": scopes}
	request, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, page, strings.NewReader(form.Encode()))
	require.NoError(v.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.Do(request)
	require.NoError(v.t, err)
	require.NoError(v.t, response.Body.Close())
	require.Equal(v.t, http.StatusFound, response.StatusCode)
	back, err := url.Parse(response.Header.Get("Location"))
	require.NoError(v.t, err)
	a, err = v.Finish(v.t.Context(), v.p, browserSession, app.Returned{
		State: back.Query().Get("state"), Code: back.Query().Get("code"), Error: back.Query().Get("error"),
	})
	require.NoError(v.t, err)
	return a
}

// connect connects the accounts with these ids.
func (v *visitor) connect(typ channel.Type, account string, ids ...string) []channel.Channel {
	v.t.Helper()
	return v.connectWith(app.BeginConnect{Type: typ}, account, ids...)
}

func (v *visitor) connectWith(in app.BeginConnect, account string, ids ...string) []channel.Channel {
	v.t.Helper()
	a := v.allow(in, account)
	require.Equal(v.t, channel.AttemptPicking, a.Outcome, "%s: %+v", in.Type, a.Steps)
	created, err := v.Pick(v.t.Context(), v.p, browserSession, a.ID, ids)
	require.NoError(v.t, err)
	return created
}

func (v *visitor) enter(typ channel.Type, values map[string]string) channel.Channel {
	v.t.Helper()
	a, err := v.Enter(v.t.Context(), v.p, app.BeginConnect{Session: browserSession, Type: typ}, values)
	require.NoError(v.t, err)
	require.Equal(v.t, channel.AttemptPicking, a.Outcome, "%+v", a.Steps)
	_, accounts, err := v.Attempt(v.t.Context(), v.p, browserSession, a.ID)
	require.NoError(v.t, err)
	created, err := v.Pick(v.t.Context(), v.p, browserSession, a.ID, []string{accounts[0].ExternalID})
	require.NoError(v.t, err)
	return created[0]
}

// publish creates a text post for the channel through the API.
func (v *visitor) publish(c channel.Channel, text string) string {
	v.t.Helper()
	created, err := v.API.Posts.Create(v.t.Context(), fencepost.CreatePostsRequest{
		ChannelIDs: []string{c.ID.String()}, Content: text, Schedule: harness.At(time.Now().Add(time.Second)),
	})
	require.NoError(v.t, err)
	return created[0].ID
}

// TestConnectedAccountsPublish connects accounts of every network that publishes text, several with one consent, and
// publishes to each.
func TestConnectedAccountsPublish(t *testing.T) {
	t.Parallel()
	s := running(t)
	v := newVisitor(t, s)
	var all []channel.Channel
	all = append(all, v.connect(channel.Twitter, "ada", "ada")...)
	all = append(all, v.connect(channel.Threads, "ada", "ada")...)
	all = append(all, v.connect(channel.FacebookPage, "ada", "ada-shop", "ada-group")...)
	all = append(all, v.connect(channel.LinkedInProfile, "ada", "ada")...)
	all = append(all, v.connect(channel.LinkedInPage, "ada", "ada", "ada-labs")...)
	all = append(all, v.connect(channel.GoogleBusiness, "ada", "accounts/1/locations/ada", "accounts/2/locations/ada-harbor")...)
	all = append(all, v.connect(channel.Mastodon, "ada", "mastodon.sandbox.test/ada")...)
	all = append(all, v.connectWith(app.BeginConnect{Type: channel.Mastodon, Server: "@ada@fosstodon.org"}, "ada",
		"fosstodon.org/ada")...)
	all = append(all,
		v.enter(channel.Bluesky, map[string]string{"handle": "ada.sandbox.test", "password": "abcd-efgh-ijkl-mnop"}),
		v.enter(channel.TelegramChannel, map[string]string{"token": "77:sandbox-ada", "chat": "@ada"}))
	posts := make(map[string]string)
	for _, c := range all {
		text := "Hello from " + string(c.Type) + " " + c.ExternalID
		posts[v.publish(c, text)] = text
	}
	for id, text := range posts {
		published := settled(t, s, id, soon)
		require.Equal(t, fencepost.PostStatusPublished, published.Status, "%s: %+v", text, published.Error)
		require.Equal(t, 1, s.Sandbox.Count(text), text)
	}
	for _, typ := range []channel.Type{channel.YouTube, channel.Pinterest, channel.TikTokPersonal, channel.InstagramProfessional} {
		require.Len(t, v.connect(typ, "ada", "ada"), 1, typ) // their posts need files
	}
}

// TestHeldPostsArePublishedAfterReconnect revokes a channel's tokens at the network with three posts due.
func TestHeldPostsArePublishedAfterReconnect(t *testing.T) {
	t.Parallel()
	s := running(t)
	v := newVisitor(t, s)
	c := v.connect(channel.Twitter, "eve", "eve")[0]
	for _, step := range []string{"commit", "token"} {
		kind := map[string]string{"commit": "expired_token", "token": "reject"}[step]
		s.Sandbox.Inject(harness.Fault{Platform: "x", Account: "eve", Step: step, Kind: kind, Times: -1})
	}
	var ids []string
	for _, text := range []string{"first of eve", "second of eve", "third of eve"} {
		ids = append(ids, v.publish(c, text))
	}
	for _, id := range ids {
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			waits := s.Get(id).Waiting
			require.NotNil(c, waits)
			require.Equal(c, fencepost.WaitingReasonChannelReconnect, waits.Reason)
		}, soon, 100*time.Millisecond)
	}
	s.Sandbox.Heal()
	other := v.allow(app.BeginConnect{Channel: c.ID}, "mallory")
	require.Equal(t, app.CodeOtherAccount, other.Steps[len(other.Steps)-1].Code)
	back := v.allow(app.BeginConnect{Channel: c.ID}, "eve")
	require.Equal(t, channel.AttemptConnected, back.Outcome, "%+v", back.Steps)
	for _, id := range ids {
		require.Equal(t, fencepost.PostStatusPublished, settled(t, s, id, soon).Status)
	}
	for _, text := range []string{"first of eve", "second of eve", "third of eve"} {
		require.Equal(t, 1, s.Sandbox.Count(text))
	}
}
