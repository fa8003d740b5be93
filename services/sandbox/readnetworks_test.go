package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	pinterestToken = "sandbox-pinterest-acme"
	tiktokToken    = "sandbox-tiktok-acme"
	businessToken  = "sandbox-tiktok-acme@business"
	formType       = "application/x-www-form-urlencoded"
	business       = "/tiktok-business/open_api/v1.3"
)

// raw makes a call with the given headers.
func (b *bundle) raw(t *testing.T, method, path, body string, headers ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, b.server.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	for pair := range slices.Chunk(headers, 2) {
		require.Len(t, pair, 2)
		request.Header.Set(pair[0], pair[1])
	}
	response, err := exchange(request)
	require.NoError(t, err)
	return response
}

func TestPinterestBoards(t *testing.T) {
	t.Parallel()

	b := setup(t)
	page := b.get(t, "/pinterest/v5/boards?page_size=4", pinterestToken)
	require.Equal(t, http.StatusOK, page.status)
	require.Equal(t, "60", page.header.Get("X-RateLimit-Reset"))
	require.Equal(t, "1000000", page.header.Get("X-RateLimit-Limit"))
	require.Equal(t, "999999", page.header.Get("X-RateLimit-Remaining"))
	require.Len(t, page.at(t, "items"), 4)
	b.clock.Advance(20 * time.Second)
	last := b.get(t, "/pinterest/v5/boards?page_size=4&bookmark="+page.text(t, "bookmark"), pinterestToken)
	require.Len(t, last.at(t, "items"), 2)
	require.Nil(t, last.at(t, "bookmark"))
	require.Contains(t, last.body, `"is_ads_only":true`)
	require.Equal(t, "40", last.header.Get("X-RateLimit-Reset"))
	require.Equal(t, "999998", last.header.Get("X-RateLimit-Remaining"))

	require.Len(t, b.get(t, "/pinterest/v5/boards", "sandbox-pinterest-manyboards").at(t, "items"), 25)
	require.Len(t, b.get(t, "/pinterest/v5/boards?page_size=250", "sandbox-pinterest-manyboards").at(t, "items"), 250)
	require.Contains(t, b.get(t, "/pinterest/v5/boards", "sandbox-pinterest-noboards").body, `"items":[]`)
	for privacy, count := range map[string]int{
		"ALL": 6, "PUBLIC": 3, "SECRET": 1, "PROTECTED": 2, "PUBLIC_AND_SECRET": 4,
	} {
		require.Len(t, b.get(t, "/pinterest/v5/boards?privacy="+privacy, pinterestToken).at(t, "items"), count, privacy)
	}
}

func TestPinterestRefuses(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for _, query := range []string{
		"page_size=0", "page_size=251", "page_size=x", "privacy=HIDDEN", "bookmark=!", "bookmark=Ym9hcmRzOi0x",
	} {
		require.Equal(t, http.StatusBadRequest, b.get(t, "/pinterest/v5/boards?"+query, pinterestToken).status, query)
	}
	require.InDelta(t, 2, b.get(t, "/pinterest/v5/boards", "sandbox-x-acme").at(t, "code"), 0)
	require.Equal(t, http.StatusUnauthorized, b.get(t, "/pinterest/v5/boards?access_token="+pinterestToken, "").status)
	require.Equal(t, http.StatusNotFound, b.get(t, "/pinterest/v5/pins", pinterestToken).status)
	require.Equal(t, http.StatusRequestEntityTooLarge,
		b.raw(t, http.MethodGet, "/pinterest/v5/boards", strings.Repeat("a", 1<<20+1)).status)
	b.inject(t, `{"platform":"PINTEREST","account":"acme","step":"status","kind":"rate_limit","delayMs":2500}`)
	limited := b.get(t, "/pinterest/v5/boards", pinterestToken)
	require.Equal(t, http.StatusTooManyRequests, limited.status)
	require.Equal(t, "3", limited.header.Get("X-RateLimit-Reset"))
	b.inject(t, `{"platform":"pinterest","step":"status","kind":"reject"}`)
	require.Equal(t, http.StatusBadRequest, b.get(t, "/pinterest/v5/boards", pinterestToken).status)
	b.inject(t, `{"platform":"pinterest","step":"status","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, b.get(t, "/pinterest/v5/boards", pinterestToken).status)
}

func TestPinterestRotatesTokens(t *testing.T) {
	t.Parallel()

	b := setup(t)
	const basic = "Basic MTQ3ODU5MzpzZWNyZXQ=" // 1478593:secret
	refresh := func(body, authorization string) reply {
		return b.raw(t, http.MethodPost, "/pinterest/v5/oauth/token", body, "Content-Type", formType, "Authorization",
			authorization)
	}
	const good = "grant_type=refresh_token&refresh_token=sandbox-refresh-acme"
	fresh := refresh(good, basic)
	require.Equal(t, pinterestToken+".1", fresh.text(t, "access_token"))
	require.InDelta(t, 2_592_000, fresh.at(t, "expires_in"), 0)
	b.restart(t)
	require.Equal(t, http.StatusUnauthorized, refresh(good, basic).status, "used once")
	require.Equal(t, http.StatusOK, b.get(t, "/pinterest/v5/boards", pinterestToken).status, "the access token lives on")
	require.Equal(t, pinterestToken+".2", refresh(good+".1", basic).text(t, "access_token"))

	for _, authorization := range []string{"", "Basic x", "Basic Og==", "Bearer " + pinterestToken} {
		require.Equal(t, http.StatusUnauthorized, refresh(good+".2", authorization).status, authorization)
	}
	for body, status := range map[string]int{
		"grant_type=password&refresh_token=sandbox-refresh-acme.2": http.StatusBadRequest,
		"grant_type=refresh_token":                                 http.StatusUnauthorized,
		"grant_type=refresh_token&refresh_token=x":                 http.StatusUnauthorized,
		"%zz": http.StatusBadRequest,
	} {
		require.Equal(t, status, refresh(body, basic).status, body)
	}
	asJSON := b.raw(t, http.MethodPost, "/pinterest/v5/oauth/token", `{}`, "Content-Type", "application/json",
		"Authorization", basic)
	require.Equal(t, http.StatusBadRequest, asJSON.status)
	b.inject(t, `{"platform":"pinterest","step":"token","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, refresh(good+".2", basic).status)
	require.Equal(t, http.StatusUnauthorized, refresh(good+".2", basic).status, "a lost answer locks the account out")
}

func TestTikTokCreatorInfo(t *testing.T) {
	t.Parallel()

	b := setup(t)
	const path = "/tiktok/v2/post/publish/creator_info/query/"
	query := func(bearer, contentType string) reply {
		return b.call(t.Context(), t, http.MethodPost, path, bearer, contentType, "{}")
	}
	info := query(tiktokToken, "application/json; charset=UTF-8")
	require.Equal(t, "ok", info.text(t, "error", "code"))
	require.Equal(t, "acme", info.text(t, "data", "creator_username"))
	require.Equal(t, http.StatusOK, b.get(t, strings.TrimPrefix(info.text(t, "data", "creator_avatar_url"), b.server.URL),
		"").status)
	require.Equal(t, true, query("sandbox-tiktok-x-nocomment", "application/json").at(t, "data", "comment_disabled"))
	require.NotContains(t, query("sandbox-tiktok-x-private", "application/json").body, "PUBLIC_TO_EVERYONE")
	banned := query("sandbox-tiktok-x-banned", "application/json")
	require.Equal(t, http.StatusOK, banned.status)
	require.Equal(t, "spam_risk_user_banned_from_posting", banned.text(t, "error", "code"))

	require.Equal(t, "invalid_params", query(tiktokToken, formType).text(t, "error", "code"))
	require.Equal(t, "access_token_invalid", query("sandbox-threads-acme", "application/json").text(t, "error", "code"))
	for _, wrong := range []string{strings.TrimSuffix(path, "/"), path + "more", "/tiktok/v2/user/info/"} {
		require.NotEqual(t, http.StatusOK, b.call(t.Context(), t, http.MethodPost, wrong, tiktokToken, "application/json",
			"{}").status, wrong)
	}
	require.Equal(t, http.StatusNotFound, b.get(t, path, tiktokToken).status)
	b.inject(t, `{"platform":"tiktok","step":"status","kind":"reject"}`)
	require.Equal(t, http.StatusBadRequest, query(tiktokToken, "application/json").status)
	b.inject(t, `{"platform":"tiktok","step":"status","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, query(tiktokToken, "application/json").status)
}

func TestTikTokRotatesTokens(t *testing.T) {
	t.Parallel()

	b := setup(t)
	refresh := func(values ...string) reply {
		return b.form(t, "/tiktok/v2/oauth/token/", append([]string{
			"client_key", "key", "client_secret", "secret", "grant_type", "refresh_token", "refresh_token",
			"sandbox-refresh-acme",
		}, values...)...)
	}
	fresh := refresh()
	require.Equal(t, tiktokToken+".1", fresh.text(t, "access_token"))
	require.Equal(t, "acme", fresh.text(t, "open_id"))
	require.InDelta(t, 7200, fresh.at(t, "expires_in"), 0)
	require.Equal(t, "invalid_grant", refresh().text(t, "error"), "used once")
	require.Equal(t, "invalid_grant", refresh("refresh_token", "x").text(t, "error"))
	require.Equal(t, "invalid_client", refresh("client_secret", "").text(t, "error"))
	require.Equal(t, "unsupported_grant_type", refresh("grant_type", "password").text(t, "error"))
	asJSON := b.call(t.Context(), t, http.MethodPost, "/tiktok/v2/oauth/token/", "", "application/json", "{}")
	require.Equal(t, "invalid_request", asJSON.text(t, "error"))
	for kind, code := range map[string]string{
		"reject": "invalid_grant", "expired_token": "invalid_grant", "unavailable": "server_error",
		"rate_limit": "rate_limit_exceeded",
	} {
		b.inject(t, `{"platform":"tiktok","account":"acme","step":"token","kind":"`+kind+`"}`)
		require.Equal(t, code, refresh("refresh_token", "sandbox-refresh-acme.1").text(t, "error"))
	}
	b.inject(t, `{"platform":"tiktok","step":"token","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, refresh("refresh_token", "sandbox-refresh-acme.1").status)
}

func TestTikTokBusinessSettings(t *testing.T) {
	t.Parallel()

	b := setup(t)
	get := func(path, token string) reply {
		return b.raw(t, http.MethodGet, business+path, "", "Access-Token", token)
	}
	settings := get("/business/video/settings/?business_id=acme", businessToken)
	require.InDelta(t, 0, settings.at(t, "code"), 0)
	require.InDelta(t, 600, settings.at(t, "data", "max_video_post_duration_sec"), 0)
	require.Equal(t, "acme", get("/business/get/?business_id=acme", businessToken).text(t, "data", "display_name"))
	some := get(`/business/get/?business_id=acme&fields=["username"]`, businessToken)
	require.Equal(t, map[string]any{"username": "acme"}, some.at(t, "data"))

	for path, code := range map[string]float64{
		"/business/video/settings/":                              40002,
		"/business/video/settings/?business_id=other":            40001,
		"/business/get/":                                         40002,
		"/business/get/?business_id=acme&fields=username":        40002,
		`/business/get/?business_id=acme&fields=["shoe_size"]`:   40002,
		"/business/video/list/?business_id=acme":                 40002,
		"/business/video/settings/extra/?business_id=acme":       40002,
		`/business/get/?business_id=acme&fields=[7]`:             40002,
		"/business/video/settings/?business_id=acme&fields=none": 0,
	} {
		require.InDelta(t, code, get(path, businessToken).at(t, "code"), 0, path)
	}
	revoked := get("/business/video/settings/?business_id=acme", "Bearer "+businessToken)
	require.Equal(t, http.StatusOK, revoked.status)
	require.InDelta(t, 40105, revoked.at(t, "code"), 0)
	require.InDelta(t, 40105, b.get(t, business+"/business/get/?business_id=acme", businessToken).at(t, "code"), 0,
		"not as a bearer")
	b.inject(t, `{"platform":"tiktok","step":"status","kind":"reject"}`)
	require.InDelta(t, 40002, get("/business/get/?business_id=acme", businessToken).at(t, "code"), 0)
}

func TestTikTokBusinessRotatesTokens(t *testing.T) {
	t.Parallel()

	b := setup(t)
	refresh := func(body string) reply {
		return b.call(t.Context(), t, http.MethodPost, business+"/tt_user/oauth2/refresh_token/", "", "application/json",
			body)
	}
	const good = `{"client_id":"7123","client_secret":"secret","grant_type":"refresh_token","refresh_token":"sandbox-refresh-acme@business"}`
	fresh := refresh(good)
	require.Equal(t, businessToken+".1", fresh.text(t, "data", "access_token"))
	require.InDelta(t, 86_400, fresh.at(t, "data", "expires_in"), 0)
	for body, code := range map[string]float64{
		good: 40103, // used once
		strings.Replace(good, "sandbox-refresh-acme@business", "x", 1): 40103,
		strings.Replace(good, `"7123"`, `""`, 1):                       40101,
		strings.Replace(good, `"refresh_token",`, `"other",`, 1):       40002,
		`[]`: 40002,
	} {
		response := refresh(body)
		require.Equal(t, http.StatusOK, response.status)
		require.InDelta(t, code, response.at(t, "code"), 0, body)
	}
	next := strings.Replace(good, "acme@business", "acme@business.1", 1)
	for kind, code := range map[string]float64{
		"reject": 40103, "expired_token": 40103, "unavailable": 50000, "rate_limit": 40100,
	} {
		b.inject(t, `{"platform":"tiktok","account":"acme","step":"token","kind":"`+kind+`"}`)
		require.InDelta(t, code, refresh(next).at(t, "code"), 0, kind)
	}
	b.inject(t, `{"platform":"tiktok","step":"token","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, refresh(next).status)
	require.InDelta(t, 40103, refresh(next).at(t, "code"), 0, "a lost answer locks the account out")
}
