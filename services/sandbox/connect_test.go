package main

import (
	"crypto/sha256"
	"encoding/base64"
	"image/png"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/instagram"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	callback = "https://app.example.com/connect/network/callback"
	verifier = "a-verifier-of-forty-three-characters-or-more-1234"
)

// connecting is a channel type that is connected on its network's own page.
type connecting struct {
	typ      channel.Type
	variant  channel.Variant
	accounts []string // external ids that the person ada can connect
	blocked  []string // external ids that are listed with a problem
}

func connectable() []connecting {
	const pages = "ada"
	return []connecting{
		{typ: channel.Twitter, accounts: []string{"ada"}},
		{typ: channel.Threads, accounts: []string{"ada"}},
		{typ: channel.InstagramProfessional, accounts: []string{"ada"}},
		{
			typ: channel.InstagramProfessional, variant: channel.FacebookLogin, accounts: []string{pages, "ada-shop"},
			blocked: []string{"ada-archive"},
		},
		{
			typ: channel.FacebookPage, accounts: []string{pages, "ada-shop", "ada-group"}, blocked: []string{"ada-archive"},
		},
		{typ: channel.LinkedInProfile, accounts: []string{"ada"}},
		{typ: channel.LinkedInPage, accounts: []string{"ada", "ada-labs"}, blocked: []string{"ada-press"}},
		{
			typ:      channel.GoogleBusiness,
			accounts: []string{"accounts/1/locations/ada", "accounts/2/locations/ada-harbor"},
			blocked:  []string{"accounts/1/locations/ada-kiosk"},
		},
		{typ: channel.YouTube, accounts: []string{"ada"}},
		{typ: channel.Pinterest, accounts: []string{"ada"}},
		{typ: channel.TikTokPersonal, accounts: []string{"ada"}},
		{typ: channel.TikTokBusiness, accounts: []string{"ada"}},
		{typ: channel.Mastodon, accounts: []string{"mastodon.sandbox.test/ada"}},
	}
}

// consenting is a person's browser at the sandbox, with the connector under test.
type consenting struct {
	*bundle
	connecting

	links  *platform.Registry
	link   platform.Connecter
	server string // of the account; empty: the usual one
}

func (b *bundle) consenting(t *testing.T, c connecting) *consenting {
	t.Helper()
	environment := connectors.Environment{SandboxURL: b.server.URL}
	environment.LinkedIn.Version = "202602" // at the time of the sandbox
	links, err := connectors.New(environment, b.clock, 0)
	require.NoError(t, err)
	found, ok := links.Link(channel.Channel{Type: c.typ})
	require.True(t, ok)
	link, ok := found.(platform.Connecter)
	require.True(t, ok, "%s", c.typ)
	return &consenting{bundle: b, connecting: c, links: links, link: link}
}

// decision holds the choices of the person on the network's page.
type decision struct {
	account string
	without string // a scope that is left out
	deny    bool
	expired bool
}

// consent sends the person to the network's page and returns what the network sends to the callback.
func (c *consenting) consent(t *testing.T, d decision) (url.Values, platform.Authorization) {
	t.Helper()
	sum := sha256.Sum256([]byte(verifier))
	authorization, err := c.link.AuthorizeURL(t.Context(), platform.Consent{
		State: "state-1", Redirect: callback, Challenge: base64.RawURLEncoding.EncodeToString(sum[:]), Variant: c.variant,
		Server: c.server,
	})
	require.NoError(t, err)
	page := c.call(t.Context(), t, http.MethodGet, strings.TrimPrefix(authorization.URL, c.bundle.server.URL), "", "", "")
	require.Equal(t, http.StatusOK, page.status, page.body)
	require.Contains(t, page.body, "as whom?")
	requested, err := url.Parse(authorization.URL)
	require.NoError(t, err)
	scopes := c.link.Scopes(c.variant).All()
	for _, scope := range strings.Fields(requested.Query().Get("scope")) { // a server may be asked for more
		if !slices.Contains(scopes, scope) && !strings.Contains(scope, ",") {
			scopes = append(scopes, scope)
		}
	}
	scopes = slices.DeleteFunc(scopes, func(s string) bool { return s == d.without })
	for _, scope := range scopes {
		require.Contains(t, page.body, `value="`+scope+`"`)
	}
	form := url.Values{"account": {"acme"}, "other": {d.account}, "decision": {"allow"}, "scope": scopes}
	if d.deny {
		form.Set("decision", "deny")
	}
	if d.expired {
		form.Set("expired", "on")
	}
	response := c.call(t.Context(), t, http.MethodPost, strings.TrimPrefix(authorization.URL, c.bundle.server.URL), "",
		"application/x-www-form-urlencoded", form.Encode())
	require.Equal(t, http.StatusFound, response.status, response.body)
	to, err := url.Parse(response.header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, callback, to.Scheme+"://"+to.Host+to.Path)
	require.Equal(t, "state-1", to.Query().Get("state"))
	return to.Query(), authorization
}

func (c *consenting) code(t *testing.T, d decision) platform.Code {
	t.Helper()
	given, authorization := c.consent(t, d)
	return platform.Code{
		Code: given.Get("code"), Redirect: callback, Verifier: verifier, Variant: c.variant, Kept: authorization.Kept,
		Server: c.server,
	}
}

// everyType runs fn for every channel type that is connected on its network's own page.
func everyType(t *testing.T, fn func(t *testing.T, c *consenting)) {
	t.Helper()
	for _, one := range connectable() {
		t.Run(strings.TrimSuffix(string(one.typ)+"_"+string(one.variant), "_"), func(t *testing.T) {
			t.Parallel()
			fn(t, setup(t).consenting(t, one))
		})
	}
}

// TestAccountsAreConnected walks every network's page with the connector, and checks that the tokens of every account work.
func TestAccountsAreConnected(t *testing.T) {
	t.Parallel()
	everyType(t, func(t *testing.T, c *consenting) {
		t.Helper()
		credentials, err := c.link.Exchange(t.Context(), c.code(t, decision{account: "ada"}))
		require.NoError(t, err)
		needed, useful := c.link.Scopes(c.variant).Missing(credentials.Scope)
		require.Empty(t, append(needed, useful...))
		found, err := c.link.Accounts(t.Context(), credentials)
		require.NoError(t, err)
		var accounts, blocked []string
		for _, candidate := range found {
			require.Equal(t, c.typ, candidate.Type)
			require.NotEmpty(t, candidate.Name+candidate.Username)
			if candidate.Problem != "" {
				blocked = append(blocked, candidate.ExternalID)
				continue
			}
			accounts = append(accounts, candidate.ExternalID)
			identity, err := c.link.Identify(t.Context(), platform.Account{
				Type: c.typ, ExternalID: candidate.ExternalID, Username: candidate.Username, Credentials: candidate.Credentials,
			})
			require.NoError(t, err)
			require.Equal(t, candidate.ExternalID, identity.ID)
			c.requirePicture(t, candidate)
		}
		require.Equal(t, c.accounts, accounts)
		require.Equal(t, c.blocked, blocked)
	})
}

// requirePicture checks that the stored credentials of an account list it again, with the address of a picture.
func (c *consenting) requirePicture(t *testing.T, of channel.Candidate) {
	t.Helper()
	if of.Type == channel.LinkedInPage || of.Type == channel.GoogleBusiness { // their APIs give no address
		require.Empty(t, of.AvatarURL)
		return
	}
	stored := of.Credentials
	if stored.UserToken != "" {
		stored.AccessToken = stored.UserToken
	}
	found, err := c.link.Accounts(t.Context(), stored)
	require.NoError(t, err)
	at := slices.IndexFunc(found, func(one channel.Candidate) bool { return one.ExternalID == of.ExternalID })
	require.GreaterOrEqual(t, at, 0)
	require.Equal(t, of.AvatarURL, found[at].AvatarURL)
	c.requireDrawn(t, of.AvatarURL)
}

func (b *bundle) requireDrawn(t *testing.T, address string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	response, err := b.server.Client().Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	_, err = png.Decode(response.Body)
	require.NoError(t, err, address)
}

// TestPageOfBusinessIsListed checks the Page that /me/accounts leaves out.
func TestPageOfBusinessIsListed(t *testing.T) {
	t.Parallel()
	c := setup(t).consenting(t, connecting{typ: channel.FacebookPage})
	for without, want := range map[string]string{"": "ada Holding", "business_management": ""} {
		credentials, err := c.link.Exchange(t.Context(), c.code(t, decision{account: "ada", without: without}))
		require.NoError(t, err)
		found, err := c.link.Accounts(t.Context(), credentials)
		require.NoError(t, err)
		last := found[len(found)-1]
		require.Equal(t, want, last.Owner)
		require.Equal(t, want != "", last.ExternalID == "ada-group")
	}
}

// TestEmployeeConnectsPages checks that a refused list of a business leaves only its own Pages out.
func TestEmployeeConnectsPages(t *testing.T) {
	t.Parallel()
	for _, c := range connectable() {
		if c.typ != channel.FacebookPage && c.variant != channel.FacebookLogin {
			continue
		}
		c := setup(t).consenting(t, c)
		credentials, err := c.link.Exchange(t.Context(), c.code(t, decision{account: "employee-1"}))
		require.NoError(t, err)
		found, err := c.link.Accounts(t.Context(), credentials)
		require.NoError(t, err)
		require.Len(t, found, 3)
		require.Equal(t, "employee-1", found[0].ExternalID)
		require.Equal(t, credentials.AccessToken, found[0].Credentials.UserToken)
	}
}

func TestDeniedConsent(t *testing.T) {
	t.Parallel()
	everyType(t, func(t *testing.T, c *consenting) {
		t.Helper()
		given, _ := c.consent(t, decision{account: "ada", deny: true})
		require.Empty(t, given.Get("code"))
		require.NotEmpty(t, given.Get("error"))
	})
}

// TestPartialScopesAreReported checks that networks that report the granted scopes report less.
func TestPartialScopesAreReported(t *testing.T) {
	t.Parallel()
	everyType(t, func(t *testing.T, c *consenting) {
		t.Helper()
		scopes := c.link.Scopes(c.variant).Needed
		left := scopes[len(scopes)-1]
		credentials, err := c.link.Exchange(t.Context(), c.code(t, decision{account: "ada", without: left}))
		require.NoError(t, err)
		needed, _ := c.link.Scopes(c.variant).Missing(credentials.Scope)
		if len(scopes) == 1 { // nothing was granted, which is reported as nothing
			return
		}
		require.Equal(t, []string{left}, needed)
	})
}

// TestInvalidCodesAreRefused checks the codes that no network accepts.
func TestInvalidCodesAreRefused(t *testing.T) {
	t.Parallel()
	everyType(t, func(t *testing.T, c *consenting) {
		t.Helper()
		used := c.code(t, decision{account: "ada"})
		_, err := c.link.Exchange(t.Context(), used)
		require.NoError(t, err)
		other := c.code(t, decision{account: "ada"})
		other.Redirect = "https://evil.example.com/callback"
		for name, code := range map[string]platform.Code{
			"used": used, "expired": c.code(t, decision{account: "ada", expired: true}), "other redirect": other,
			"invented": {Code: "invented", Redirect: callback, Verifier: verifier, Variant: c.variant, Kept: used.Kept},
		} {
			_, err := c.link.Exchange(t.Context(), code)
			failure := platform.FailureOf(err)
			require.Equal(t, platform.ClassUser, failure.Class, "%s: %v", name, err)
			require.Equal(t, platform.CodeConsentRefused, failure.Code, name)
			require.Error(t, failure.Cause, "the network's response is kept")
			require.NotContains(t, err.Error(), code.Code, name)
		}
	})
}

// TestVerifierIsChecked checks the networks that take a code challenge.
func TestVerifierIsChecked(t *testing.T) {
	t.Parallel()
	for _, typ := range []channel.Type{channel.Twitter, channel.YouTube, channel.GoogleBusiness, channel.Mastodon} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			c := setup(t).consenting(t, connecting{typ: typ})
			code := c.code(t, decision{account: "ada"})
			code.Verifier = "another-verifier-of-forty-three-characters-12345"
			_, err := c.link.Exchange(t.Context(), code)
			require.Equal(t, platform.CodeConsentRefused, platform.FailureOf(err).Code)
		})
	}
}

// TestMastodonBefore43 checks a server that refuses the scope profile and does not describe its authorization, and that
// attempts to connect share an application.
func TestMastodonBefore43(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, scope := range map[string]string{"/mastodon": "profile", "/mastodon-4.2": "read%3Aaccounts"} {
		environment := connectors.Environment{}
		environment.Mastodon.APIURL, environment.LinkedIn.Version = b.server.URL+path, "202602"
		links, err := connectors.New(environment, b.clock, 0)
		require.NoError(t, err)
		found, _ := links.Link(channel.Channel{Type: channel.Mastodon})
		link, ok := found.(platform.Connecter)
		require.True(t, ok)
		c := &consenting{bundle: b, connecting: connecting{typ: channel.Mastodon}, links: links, link: link}
		code := c.code(t, decision{account: "ada"})
		_, again := c.consent(t, decision{account: "ada"})
		require.Equal(t, code.Kept, again.Kept, "the same application")
		require.Contains(t, again.URL, "scope="+scope+"%20read")
		credentials, err := link.Exchange(t.Context(), code)
		require.NoError(t, err)
		require.NotEmpty(t, credentials.ClientSecret)
		accounts, err := link.Accounts(t.Context(), credentials)
		require.NoError(t, err)
		require.Len(t, accounts, 1)
	}
}

// TestCodeOfXExpiresAfterThirtySeconds checks the shortest life of a code.
func TestCodeOfXExpiresAfterThirtySeconds(t *testing.T) {
	t.Parallel()
	c := setup(t).consenting(t, connecting{typ: channel.Twitter})
	code := c.code(t, decision{account: "ada"})
	c.clock.Advance(31 * time.Second)
	_, err := c.link.Exchange(t.Context(), code)
	require.Equal(t, platform.CodeConsentRefused, platform.FailureOf(err).Code)
}

// TestRevokedAccountHasNoAccess checks every network that can revoke tokens.
func TestRevokedAccountHasNoAccess(t *testing.T) {
	t.Parallel()
	everyType(t, func(t *testing.T, c *consenting) {
		t.Helper()
		revoker, can := c.link.(platform.Revoker)
		if !can {
			return
		}
		credentials, err := c.link.Exchange(t.Context(), c.code(t, decision{account: "ada"}))
		require.NoError(t, err)
		found, err := c.link.Accounts(t.Context(), credentials)
		require.NoError(t, err)
		account := platform.Account{Type: c.typ, ExternalID: found[0].ExternalID, Credentials: found[0].Credentials}
		require.NoError(t, revoker.Revoke(t.Context(), account))
		_, err = c.link.Identify(t.Context(), account)
		require.Error(t, err)
		// a later consent works again
		credentials, err = c.link.Exchange(t.Context(), c.code(t, decision{account: "ada"}))
		require.NoError(t, err)
		_, err = c.link.Accounts(t.Context(), credentials)
		require.NoError(t, err)
	})
}

func TestEnteredAccounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		typ    channel.Type
		values map[string]string
		id     string
		code   string // of the failure
	}{
		"a channel": {
			channel.TelegramChannel, map[string]string{"token": "100200300:sandbox-ada", "chat": "https://t.me/ada"}, "@ada", "",
		},
		"no right to post": {
			channel.TelegramChannel, map[string]string{"token": "100200300:sandbox-ada", "chat": "@reader1"}, "", "CHAT_INVALID",
		},
		"not a token":     {channel.TelegramChannel, map[string]string{"token": "ada", "chat": "@ada"}, "", "BOT_TOKEN_INVALID"},
		"not a channel":   {channel.TelegramChannel, map[string]string{"token": "1:sandbox-a", "chat": "a b"}, "", "CHAT_INVALID"},
		"a revoked token": {channel.TelegramChannel, map[string]string{"token": "1:revoked", "chat": "@ada"}, "", "BOT_TOKEN_INVALID"},
		"a handle": {
			channel.Bluesky, map[string]string{"handle": "@ada.sandbox.test", "password": "abcd-efgh-ijkl-mnop"}, "did:plc:ada", "",
		},
		"the account's password": {
			channel.Bluesky, map[string]string{"handle": "ada.sandbox.test", "password": "hunter2"}, "", "APP_PASSWORD_REFUSED",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			links, err := connectors.New(connectors.Environment{SandboxURL: b.server.URL}, b.clock, 0)
			require.NoError(t, err)
			found, _ := links.Link(channel.Channel{Type: test.typ})
			link, ok := found.(platform.Enterer)
			require.True(t, ok)
			require.NotEmpty(t, link.Fields())
			candidates, err := link.Enter(t.Context(), test.values)
			if test.code != "" {
				require.Equal(t, test.code, platform.FailureOf(err).Code, "%v", err)
				require.NotContains(t, err.Error(), "hunter2")
				return
			}
			require.NoError(t, err)
			require.Len(t, candidates, 1)
			require.Equal(t, test.id, candidates[0].ExternalID)
			require.Empty(t, candidates[0].Problem)
			identity, err := link.Identify(t.Context(), platform.Account{
				Type: test.typ, ExternalID: test.id, Credentials: candidates[0].Credentials,
			})
			require.NoError(t, err)
			require.Equal(t, test.id, identity.ID)
			if reader, can := found.(platform.PictureReader); can {
				address, err := reader.Picture(t.Context(), platform.Account{
					Type: test.typ, ExternalID: test.id, Credentials: candidates[0].Credentials,
				})
				require.NoError(t, err)
				require.Equal(t, candidates[0].AvatarURL, address)
				b.requireDrawn(t, address)
			}
		})
	}
}

// TestInvalidConsentIsNotRedirected checks that the page does not send a person to an address of an invalid request.
func TestInvalidConsentIsNotRedirected(t *testing.T) {
	t.Parallel()
	c := setup(t).consenting(t, connecting{typ: channel.Twitter})
	authorization, err := c.link.AuthorizeURL(t.Context(), platform.Consent{State: "s", Redirect: callback, Challenge: "c"})
	require.NoError(t, err)
	valid, err := url.Parse(authorization.URL)
	require.NoError(t, err)
	for name, value := range map[string]string{
		"client_id": "", "redirect_uri": "javascript:alert(1)", "response_type": "token", "state": "", "code_challenge": "",
		"code_challenge_method": "plain", "scope": "tweet.read admin",
	} {
		query := valid.Query()
		query.Set(name, value)
		response := c.call(t.Context(), t, http.MethodGet, valid.Path+"?"+query.Encode(), "", "", "")
		require.Equal(t, http.StatusBadRequest, response.status, name)
	}
}

// TestLinkedInConsentForMixedScopesFails checks that a consent for members and pages fails as a whole.
func TestLinkedInConsentForMixedScopesFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	query := url.Values{
		"client_id": {"app"}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"s"},
		"scope": {"openid w_organization_social"},
	}
	response := b.call(t.Context(), t, http.MethodGet, "/linkedin/oauth/v2/authorization?"+query.Encode(), "", "", "")
	require.Equal(t, http.StatusBadRequest, response.status)
	require.Contains(t, response.body, "unauthorized_scope_error")
}

// TestContainerHiddenFromPage publishes through a Page whose token reads no containers: that of the person reads
// them, and without it the publish call decides.
func TestContainerHiddenFromPage(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{true, false} {
		c := setup(t).consenting(t, connecting{typ: channel.InstagramProfessional, variant: channel.FacebookLogin})
		credentials, err := c.link.Exchange(t.Context(), c.code(t, decision{account: "hiding-1"}))
		require.NoError(t, err)
		found, err := c.link.Accounts(t.Context(), credentials)
		require.NoError(t, err)
		account := platform.Account{
			Type: c.typ, ExternalID: found[1].ExternalID, Username: found[1].Username, Credentials: found[1].Credentials,
		}
		if !kept { // a channel that was connected before the person's token was kept
			account.Credentials.UserToken = ""
		}
		connector, ok := c.links.For(channel.Channel{Type: c.typ})
		require.True(t, ok)
		video := platformtest.Video(5000)
		content := platform.Content{
			PostID: ident.New[ident.Post](), ContentType: post.ContentReel, Text: "Hello", Media: []media.Asset{video.Asset},
			Files: platformtest.Files(t, video),
		}
		handle, refused := platform.Handle(""), 0
		for range 10 {
			prepared, err := connector.Prepare(t.Context(), account, content, handle)
			require.NoError(t, err)
			if handle = prepared.Handle; !prepared.Ready {
				continue
			}
			publication, err := connector.Commit(t.Context(), account, content, handle)
			if err == nil {
				require.NotEmpty(t, publication.ExternalID)
				break
			}
			require.Equal(t, instagram.CodeNotReady, platformtest.Failure(t, err).Code)
			refused++
		}
		require.Len(t, c.posts(t, ""), 1)
		require.Equal(t, kept, refused == 0)
	}
}
