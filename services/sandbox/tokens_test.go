package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const day = 24 * time.Hour

// consent issues tokens of an account with some scopes through the control API.
func (b *bundle) consent(t *testing.T, body string) reply {
	t.Helper()
	issued := b.control(t, "/tokens", body)
	require.Equal(t, http.StatusCreated, issued.status, issued.body)
	return issued
}

// moveClock moves the networks' time to an offset from the process's clock.
func (b *bundle) moveClock(t *testing.T, offset time.Duration) {
	t.Helper()
	moved := b.control(t, "/clock", `{"offsetSeconds":`+strconv.Itoa(int(offset/time.Second))+`}`)
	require.Equal(t, http.StatusOK, moved.status, moved.body)
}

func TestClockMovesNetworksTime(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.JSONEq(t, `{"now":"2026-03-01T09:00:00.000Z","offsetSeconds":0}`, b.get(t, "/_sandbox/clock", "").body)
	require.Equal(t, http.StatusCreated, b.tweet(t, "acme", "before").status)
	b.moveClock(t, 61*day)
	require.Equal(t, "2026-05-01T09:00:00.000Z", b.get(t, "/_sandbox/clock", "").text(t, "now"))
	require.Equal(t, http.StatusUnauthorized, b.tweet(t, "acme", "after").status)
	b.moveClock(t, 0)
	require.Equal(t, http.StatusCreated, b.tweet(t, "acme", "back again").status)
	b.moveClock(t, day)
	b.restart(t)
	require.InDelta(t, 0, b.get(t, "/_sandbox/clock", "").at(t, "offsetSeconds"), 0)

	for body, status := range map[string]int{
		`{`: http.StatusBadRequest, `{"offset":1}`: http.StatusBadRequest, `{}`: http.StatusUnprocessableEntity,
		`{"offsetSeconds":10000000000}`: http.StatusUnprocessableEntity,
	} {
		require.Equal(t, status, b.control(t, "/clock", body).status, body)
	}
}

func TestTokensOfControlAPI(t *testing.T) {
	t.Parallel()

	b := setup(t)
	issued := b.consent(t, `{"platform":"TWITTER","account":"acme","app":"mine","scopes":["tweet.read","users.read"],
		"ageSeconds":60}`)
	require.JSONEq(t, `{"accessToken":"sandbox-x-acme.1","refreshToken":"sandbox-refresh-acme.1","app":"mine","role":"",
		"scopes":["tweet.read","users.read"],"issuedAt":"2026-03-01T08:59:00.000Z","expiresAt":"2026-03-01T10:59:00.000Z",
		"refreshExpiresAt":"2026-08-30T08:59:00.000Z","dataAccessExpiresAt":null}`, issued.body)
	page := b.consent(t, `{"platform":"facebook","account":"acme"}`)
	require.Nil(t, page.at(t, "refreshToken"))
	require.Nil(t, page.at(t, "expiresAt"))
	require.Equal(t, "2026-05-30T09:00:00.000Z", page.text(t, "dataAccessExpiresAt"))

	for body, want := range map[string]string{
		`{"platform":"orkut","account":"a"}`:                            "/platform",
		`{"account":"a"}`:                                               "/platform",
		`{"platform":"x","account":"a/b"}`:                              "/account",
		`{"platform":"x","account":"a","role":"organization"}`:          "/account",
		`{"platform":"x","account":"a","scopes":["everything"]}`:        "/scopes",
		`{"platform":"x","account":"a","ageSeconds":-1}`:                "/ageSeconds",
		`{"platform":"telegram","account":"a"}`:                         "/account",
		`{"platform":"linkedin","account":"a","scopes":["tweet.read"]}`: "/scopes",
	} {
		response := b.control(t, "/tokens", body)
		require.Equal(t, http.StatusUnprocessableEntity, response.status, body)
		require.Contains(t, response.body, `"pointer":"`+want+`"`, body)
	}
	require.Equal(t, http.StatusBadRequest, b.control(t, "/tokens", `{"acount":"a"}`).status)
}

// TestMetaTokensLiveSixtyDays checks the rule that ends channels without a renewal: a long-lived token is renewed
// only while it is valid, and not in its first day.
func TestMetaTokensLiveSixtyDays(t *testing.T) {
	t.Parallel()

	for network, test := range map[string]struct{ me, refresh string }{
		"threads":   {"/threads/v1.0/me", "/threads/refresh_access_token?grant_type=th_refresh_token&access_token="},
		"instagram": {"/instagram/v26.0/me", "/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token="},
	} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()

			b := setup(t)
			token := b.consent(t, `{"platform":"`+network+`","account":"acme"}`).text(t, "accessToken")
			young := b.get(t, test.refresh+token, "")
			require.Equal(t, http.StatusBadRequest, young.status)
			require.InDelta(t, 190, young.at(t, "error", "code"), 0)

			b.moveClock(t, day)
			fresh := b.get(t, test.refresh+token, "")
			require.InDelta(t, 5_184_000, fresh.at(t, "expires_in"), 0)
			b.moveClock(t, 60*day)
			expired := b.get(t, test.me, token)
			require.Equal(t, http.StatusBadRequest, expired.status)
			require.InDelta(t, 463, expired.at(t, "error", "error_subcode"), 0)
			require.Equal(t, "Error validating access token: Session has expired on Thursday, 30-Apr-26 02:00:00 PDT. "+
				"The current time is Thursday, 30-Apr-26 02:00:00 PDT.", expired.text(t, "error", "message"))
			require.Equal(t, http.StatusBadRequest, b.get(t, test.refresh+token, "").status, "too late")
			require.Equal(t, http.StatusOK, b.get(t, test.me, fresh.text(t, "access_token")).status)
		})
	}
}

func TestFacebookDataAccess(t *testing.T) {
	t.Parallel()

	b := setup(t)
	token := b.consent(t, `{"platform":"facebook","account":"acme","app":"1234","scopes":["pages_read_engagement"]}`).text(t,
		"accessToken")
	debug := func(token string) reply {
		return b.get(t, "/facebook/v26.0/debug_token?input_token="+token+"&access_token=1234%7Csecret", "")
	}
	require.Equal(t, map[string]any{
		"app_id": "1234", "type": "PAGE", "application": "Sandbox", "data_access_expires_at": 1780131600.0, "expires_at": 0.0,
		"is_valid": true, "issued_at": 1772355600.0, "profile_id": "acme", "user_id": "acme",
		"scopes":          []any{"pages_read_engagement"},
		"granular_scopes": []any{map[string]any{"scope": "pages_read_engagement", "target_ids": []any{"acme"}}},
	}, debug(token).at(t, "data"))
	require.Equal(t, false, debug("x").at(t, "data", "is_valid"))
	require.InDelta(t, 100, b.get(t, "/facebook/debug_token?access_token=a", "").at(t, "error", "code"), 0)

	b.moveClock(t, 90*day)
	require.InDelta(t, 190, b.get(t, "/facebook/v26.0/me", token).at(t, "error", "code"), 0)
	require.Equal(t, true, debug(token).at(t, "data", "is_valid"), "the token itself has no end")
}

// TestScopesAreRequired calls every network with a token that lacks the call's scope.
func TestScopesAreRequired(t *testing.T) {
	t.Parallel()

	b := setup(t)
	issue := func(platform, role, scopes string) string {
		raw, err := json.Marshal(map[string]any{
			"platform": platform, "account": "acme", "role": role, "scopes": strings.Fields(scopes),
		})
		require.NoError(t, err)
		return b.consent(t, string(raw)).text(t, "accessToken")
	}
	form := func(path, token string) reply { return b.form(t, path, "access_token", token, "message", "t") }
	restli := func(path, token string) reply {
		return b.linkedin(t, http.MethodGet, path, "", "Authorization", "Bearer "+token, "X-Restli-Method", "FINDER")
	}
	for name, test := range map[string]struct {
		response reply
		status   int
		body     string
	}{
		"X": {
			b.call(t.Context(), t, http.MethodPost, "/x/2/tweets", issue("x", "", "tweet.read users.read"), "application/json",
				`{"text":"t"}`), 403,
			`{"detail":"Forbidden","status":403,"title":"Forbidden","type":"about:blank"}`,
		},
		"a Page's posts": {
			b.get(t, "/facebook/v26.0/acme/published_posts", issue("facebook", "", "pages_manage_posts")), 400,
			`"code":100,"fbtrace_id":"sandbox","is_transient":false,"message":"(#100) Object does not exist, cannot be loaded due to missing permission`,
		},
		"publishing to a Page": {
			form("/facebook/v26.0/acme/feed", issue("facebook", "", "pages_read_engagement")), 400, `"code":200`,
		},
		"a Page's figures": {
			b.get(t, "/facebook/v26.0/acme/insights", issue("facebook", "", "pages_read_engagement")), 400, `"code":10,`,
		},
		"Threads":   {form("/threads/v1.0/acme/threads", issue("threads", "", "threads_basic")), 400, `"code":10,`},
		"Instagram": {form("/instagram/v26.0/acme/media", issue("instagram", "", "instagram_business_basic")), 400, `"code":10,`},
		"a LinkedIn member": {
			b.linkedin(t, http.MethodGet, "/v2/userinfo", "", "Authorization", "Bearer "+issue("linkedin", "", "w_member_social")),
			403, `"code":"ACCESS_DENIED","message":"Not enough permissions to access: userinfo.GET","serviceErrorCode":100`,
		},
		"a LinkedIn member's pages": {
			restli("/rest/organizationAcls?q=roleAssignee", memberToken), 403,
			`Not enough permissions to access: organizationAcls.FINDER-roleAssignee`,
		},
		"a LinkedIn page's posts": {
			b.linkedin(t, http.MethodPost, "/rest/posts", linkedinBody(linkedinFirm, "t", "PUBLIC"), "Authorization",
				"Bearer "+issue("linkedin", "organization", "r_organization_social")), 403, `"code":"ACCESS_DENIED"`,
		},
		"Pinterest": {
			b.get(t, "/pinterest/v5/boards", issue("pinterest", "", "pins:read")), 401, `"code":3`,
		},
		"TikTok": {
			b.get(t, "/tiktok/v2/user/info/?fields=open_id", issue("tiktok", "", "video.publish")), 401,
			`"code":"scope_not_authorized"`,
		},
		"TikTok's business product": {
			b.raw(t, http.MethodGet, business+"/business/get/?business_id=acme", "", "Access-Token",
				issue("tiktok", "business", "video.publish")), 200, `"code":40001`,
		},
		"Google": {b.get(t, googlePosts, issue("googlebusiness", "", "")), 403, `ACCESS_TOKEN_SCOPE_INSUFFICIENT`},
		"YouTube": {
			b.get(t, "/youtube/channels?part=id&mine=true", issue("youtube", "", "")), 403, `"reason":"insufficientPermissions"`,
		},
	} {
		require.Equal(t, test.status, test.response.status, "%s: %s", name, test.response.body)
		require.Contains(t, test.response.body, test.body, name)
	}
	require.Empty(t, b.posts(t, ""))
}

// TestTokensAreBoundToProduct checks that tokens do not work with another role.
func TestTokensAreBoundToProduct(t *testing.T) {
	t.Parallel()

	b := setup(t)
	settings := b.raw(t, http.MethodGet, business+"/business/video/settings/?business_id=acme", "", "Access-Token", tiktokToken)
	require.InDelta(t, 40105, settings.at(t, "code"), 0)
	require.Equal(t, http.StatusUnauthorized,
		b.get(t, "/tiktok/v2/user/info/?fields=open_id", businessToken).status)
	wrong := b.form(t, "/tiktok/v2/oauth/token/", "client_key", "k", "client_secret", "s", "grant_type", "refresh_token",
		"refresh_token", "sandbox-refresh-acme@business")
	require.Equal(t, "invalid_grant", wrong.text(t, "error"))
}

// TestRefreshTokensAreBoundToApplication checks the answers to another application than the one of the consent.
func TestRefreshTokensAreBoundToApplication(t *testing.T) {
	t.Parallel()

	b := setup(t)
	issue := func(platform, role string) string {
		return b.consent(t, `{"platform":"`+platform+`","account":"acme","app":"mine","role":"`+role+`"}`).text(t,
			"refreshToken")
	}
	const form = "grant_type=refresh_token&refresh_token="
	const mine, other = "Basic bWluZTpz", "Basic b3RoZXI6cw==" // mine:s, other:s
	for network, test := range map[string]struct {
		ask    func(token string, mine bool) reply
		status int
		error  string
	}{
		"x": {func(token string, own bool) reply {
			return b.raw(t, http.MethodPost, "/x/2/oauth2/token", form+token, "Content-Type", formType, "Authorization",
				map[bool]string{true: mine, false: other}[own])
		}, 400, "invalid_request"},
		"pinterest": {func(token string, own bool) reply {
			return b.raw(t, http.MethodPost, "/pinterest/v5/oauth/token", form+token, "Content-Type", formType, "Authorization",
				map[bool]string{true: mine, false: other}[own])
		}, 401, "Authentication failed."},
		"linkedin": {func(token string, own bool) reply {
			return b.form(t, "/linkedin/oauth/v2/accessToken", "grant_type", "refresh_token", "refresh_token", token,
				"client_id", map[bool]string{true: "mine", false: "other"}[own], "client_secret", "s")
		}, 400, "invalid_grant"},
		"tiktok": {func(token string, own bool) reply {
			return b.form(t, "/tiktok/v2/oauth/token/", "grant_type", "refresh_token", "refresh_token", token,
				"client_key", map[bool]string{true: "mine", false: "other"}[own], "client_secret", "s")
		}, 400, "invalid_grant"},
		"googlebusiness": {func(token string, own bool) reply {
			return b.form(t, "/googlebusiness/token", "grant_type", "refresh_token", "refresh_token", token,
				"client_id", map[bool]string{true: "mine", false: "other"}[own], "client_secret", "s")
		}, 401, "unauthorized_client"},
		"youtube": {func(token string, own bool) reply {
			return b.form(t, "/youtube/token", "grant_type", "refresh_token", "refresh_token", token,
				"client_id", map[bool]string{true: "mine", false: "other"}[own], "client_secret", "s")
		}, 401, "unauthorized_client"},
	} {
		token := issue(network, "")
		refused := test.ask(token, false)
		require.Equal(t, test.status, refused.status, "%s: %s", network, refused.body)
		require.Contains(t, refused.body, test.error, network)
		require.Equal(t, http.StatusOK, test.ask(token, true).status, network)
	}
	anonymous := b.form(t, "/x/2/oauth2/token", "grant_type", "refresh_token", "refresh_token", issue("x", ""))
	require.Equal(t, http.StatusUnauthorized, anonymous.status)
	require.Equal(t, "unauthorized_client", anonymous.text(t, "error"))
	require.Equal(t, "Missing valid authorization header", anonymous.text(t, "error_description"))
}
