package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	linkedinMember = "urn:li:person:acme"
	linkedinFirm   = "urn:li:organization:acme"

	memberToken = "sandbox-linkedin-acme"
	pageToken   = "sandbox-linkedin-acme@organization"
)

// asMember replaces the organization's token by that of the member.
func asMember() []string { return []string{"Authorization", "Bearer " + memberToken} }

// linkedin calls LinkedIn's API, as the organization. The header pairs replace the default headers; an empty value omits the header.
func (b *bundle) linkedin(t *testing.T, method, path, body string, header ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, b.server.URL+"/linkedin"+path, strings.NewReader(body))
	require.NoError(t, err)
	pairs := append([]string{
		"Authorization", "Bearer " + pageToken, "LinkedIn-Version", "202602", "X-Restli-Protocol-Version", "2.0.0",
		"Content-Type", "application/json",
	}, header...)
	for i := 0; i < len(pairs); i += 2 {
		if request.Header.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			request.Header.Del(pairs[i])
		}
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	received, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	r := reply{status: response.StatusCode, header: response.Header, body: string(received)}
	_ = json.Unmarshal(received, &r.json)
	return r
}

func linkedinBody(author, commentary, visibility string) string {
	return fmt.Sprintf(`{"author":%q,"commentary":%q,"visibility":%q,"distribution":{"feedDistribution":"MAIN_FEED",
		"targetEntities":[],"thirdPartyDistributionChannels":[]},"lifecycleState":"PUBLISHED","isReshareDisabledByAuthor":false}`,
		author, commentary, visibility)
}

func (b *bundle) share(t *testing.T, author, commentary string, header ...string) reply {
	t.Helper()
	return b.linkedin(t, http.MethodPost, "/rest/posts", linkedinBody(author, commentary, "PUBLIC"), header...)
}

func (b *bundle) shares(t *testing.T, author, more string) reply {
	t.Helper()
	query := url.Values{"q": {"author"}, "author": {author}}
	return b.linkedin(t, http.MethodGet, "/rest/posts?"+query.Encode()+more, "", "X-RestLi-Method", "FINDER")
}

func TestLinkedInPosts(t *testing.T) {
	t.Parallel()

	b := setup(t)
	created := b.share(t, linkedinFirm, `Hello \(all\), {hashtag|\#|go\_go} #too @[Acme](urn:li:organization:1)`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	require.Empty(t, created.body)
	urn := created.header.Get("X-Restli-Id")
	require.Regexp(t, `^urn:li:share:7\d{18}$`, urn)
	require.Equal(t, "Hello (all), #go_go #too Acme", b.posts(t, "?platform=linkedin")[0]["text"])
	require.Equal(t, "PUBLIC", b.posts(t, "?platform=LINKEDIN_PROFILE")[0]["visibility"])
	require.Equal(t, "/p/linkedin/"+urn, b.get(t, "/linkedin/feed/update/"+urn+"/", "").header.Get("Location"))
	require.Contains(t, b.get(t, "/p/linkedin/"+urn, "").body, "Visible to")

	list := b.shares(t, linkedinFirm, "&sortBy=CREATED&count=10&start=0")
	require.Equal(t, http.StatusOK, list.status)
	require.Contains(t, list.body, `"createdAt":1772355600000`)
	require.Contains(t, list.body, `"commentary":"Hello \\(all\\), {hashtag|\\#|go}\\_go {hashtag|\\#|too} Acme"`)
	require.Empty(t, b.shares(t, linkedinFirm, "&start=1").at(t, "elements"))
	require.Equal(t, urn, b.linkedin(t, http.MethodGet, "/rest/posts/"+url.PathEscape(urn), "").text(t, "id"))
	require.Equal(t, "acme", b.linkedin(t, http.MethodGet, "/v2/userinfo", "", append(asMember(),
		"LinkedIn-Version", "")...).text(t, "sub"))

	outsider := []string{"Authorization", "Bearer sandbox-linkedin-other@organization"}
	require.Equal(t, http.StatusForbidden, b.linkedin(t, http.MethodDelete, "/rest/posts/"+urn, "", outsider...).status)
	for range 2 {
		require.Equal(t, http.StatusNoContent, b.linkedin(t, http.MethodDelete, "/rest/posts/"+urn, "").status)
	}
	require.Equal(t, http.StatusNotFound, b.linkedin(t, http.MethodGet, "/rest/posts/"+urn, "").status)
	b.restart(t)
	require.Greater(t, b.share(t, linkedinFirm, "again").header.Get("X-Restli-Id"), urn)
	require.Equal(t, http.StatusNotFound, b.linkedin(t, http.MethodGet, "/rest/me", "").status)
}

func TestLinkedInProfilePostsCannotBeRead(t *testing.T) {
	t.Parallel()

	b := setup(t)
	response := b.linkedin(t, http.MethodPost, "/rest/posts", linkedinBody(linkedinMember, "same", "CONNECTIONS"),
		asMember()...)
	urn := response.header.Get("X-Restli-Id")
	require.Equal(t, "CONNECTIONS", b.posts(t, "")[0]["visibility"])
	require.Equal(t, http.StatusForbidden, b.shares(t, linkedinMember, "").status)
	require.Equal(t, http.StatusForbidden, b.linkedin(t, http.MethodGet, "/rest/posts/"+urn, "", asMember()...).status)
	require.Empty(t, b.shares(t, linkedinFirm, "").at(t, "elements"))

	repeated := b.share(t, linkedinMember, "same", asMember()...)
	require.Equal(t, http.StatusUnprocessableEntity, repeated.status)
	require.Contains(t, repeated.text(t, "message"), "Content is a duplicate of "+urn)
	require.Contains(t, repeated.body, `"code":"DUPLICATE_POST"`)
	require.Len(t, b.posts(t, ""), 1)
	for range 2 {
		require.Equal(t, http.StatusCreated, b.share(t, linkedinFirm, "pages may repeat").status)
	}
	require.Equal(t, http.StatusNoContent, b.linkedin(t, http.MethodDelete, "/rest/posts/"+urn, "",
		asMember()...).status)
	require.NotContains(t, b.share(t, linkedinMember, "same", asMember()...).text(t, "message"), "urn:li:",
		"remembered, but there is none to name")
	b.clock.Advance(24 * time.Hour)
	require.Equal(t, http.StatusCreated, b.share(t, linkedinMember, "same", asMember()...).status)
}

func TestLinkedInRefuses(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for name, test := range map[string]struct {
		body   string
		header []string
		status int
		code   string
	}{
		"no token": {
			linkedinBody(linkedinFirm, "t", "PUBLIC"), []string{"Authorization", ""}, 401, "EMPTY_ACCESS_TOKEN",
		},
		"another token": {
			linkedinBody(linkedinFirm, "t", "PUBLIC"),
			[]string{"Authorization", "Bearer sandbox-x-acme"},
			401,
			"INVALID_ACCESS_TOKEN",
		},
		"no version": {
			linkedinBody(linkedinFirm, "t", "PUBLIC"), []string{"LinkedIn-Version", ""}, 400, "VERSION_MISSING",
		},
		"no such version": {
			linkedinBody(linkedinFirm, "t", "PUBLIC"), []string{"LinkedIn-Version", "2026-09"}, 400, "INVALID_VERSION",
		},
		"future version": {
			linkedinBody(linkedinFirm, "t", "PUBLIC"), []string{"LinkedIn-Version", "202604"}, 426, "NONEXISTENT_VERSION",
		},
		"a member's post":       {linkedinBody(linkedinMember, "t", "PUBLIC"), nil, 403, "ACCESS_DENIED"},
		"the page, as a member": {linkedinBody(linkedinFirm, "t", "PUBLIC"), asMember(), 403, "ACCESS_DENIED"},
		"dead version": {
			linkedinBody(linkedinFirm, "t", "PUBLIC"), []string{"LinkedIn-Version", "202502"}, 426, "NONEXISTENT_VERSION",
		},
		"no protocol": {
			linkedinBody(linkedinFirm, "t", "PUBLIC"),
			[]string{"X-Restli-Protocol-Version", ""},
			400,
			"INVALID_PROTOCOL_VERSION",
		},
		"not JSON": {
			linkedinBody(linkedinFirm, "t", "PUBLIC"), []string{"Content-Type", "text/plain"}, 400, "INVALID_INPUT",
		},
		"another's page":    {linkedinBody("urn:li:organization:other", "t", "PUBLIC"), nil, 403, "ACCESS_DENIED"},
		"no URN":            {linkedinBody("acme", "t", "PUBLIC"), nil, 403, "ACCESS_DENIED"},
		"no visibility":     {linkedinBody(linkedinMember, "t", ""), nil, 400, "INVALID_INPUT"},
		"a page in private": {linkedinBody(linkedinFirm, "t", "CONNECTIONS"), nil, 400, "INVALID_INPUT"},
		"no text":           {linkedinBody(linkedinFirm, " ", "PUBLIC"), nil, 400, "INVALID_INPUT"},
		"nothing left":      {linkedinBody(linkedinFirm, "(gone)", "PUBLIC"), nil, 400, "INVALID_INPUT"},
		"a draft": {
			strings.Replace(linkedinBody(linkedinFirm, "t", "PUBLIC"), "PUBLISHED", "DRAFT", 1), nil, 400, "INVALID_INPUT",
		},
		"no feed": {
			strings.Replace(linkedinBody(linkedinFirm, "t", "PUBLIC"), "MAIN_FEED", "NONE", 1), nil, 400, "INVALID_INPUT",
		},
		"media": {
			strings.Replace(linkedinBody(linkedinFirm, "t", "PUBLIC"), `{`, `{"content":{"media":{}},`, 1), nil, 400,
			"INVALID_INPUT",
		},
		"half a body": {`{"author":`, nil, 400, "INVALID_INPUT"},
	} {
		response := b.linkedin(t, http.MethodPost, "/rest/posts", test.body, test.header...)
		require.Equal(t, test.status, response.status, name)
		require.Equal(t, test.code, response.text(t, "code"), name)
		require.InDelta(t, test.status, response.at(t, "status"), 0, name)
	}
	require.Contains(t, b.share(t, linkedinFirm, strings.Repeat("a", 3001)).body, "FIELD_LENGTH_TOO_LONG")
	require.Empty(t, b.posts(t, ""))
	require.Equal(t, http.StatusCreated, b.share(t, linkedinFirm, strings.Repeat(`\(`, 3000)).status,
		"what people see counts")

	require.Equal(t, http.StatusBadRequest, b.linkedin(t, http.MethodGet, "/rest/posts?q=author&author=x", "").status,
		"no FINDER")
	for _, query := range []string{"&count=0", "&count=101", "&count=x", "&start=-1", "&sortBy=NAME"} {
		require.Equal(t, http.StatusBadRequest, b.shares(t, linkedinFirm, query).status, query)
	}
}

// TestLinkedInCutsTexts checks that an unescaped reserved character ends the text silently, as on LinkedIn.
func TestLinkedInCutsTexts(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for commentary, want := range map[string]string{
		`up (to) here`:           "up ",
		`snake_case`:             "snake",
		`a # b`:                  "a ",
		`back\slash`:             "back",
		`mail me@example.com`:    "mail me",
		`{hashtag|\#|}x`:         "",
		`y {hashtag|\#|a b} z`:   "y #a b z",
		`all \\ \_ \~ \* fine`:   `all \ _ ~ * fine`,
		`#1 and #तकनीक.`:         "#1 and #तकनीक.",
		`@[A](urn:li:company:1)`: "",
	} {
		response := b.share(t, linkedinFirm, commentary)
		if want == "" {
			require.Equal(t, http.StatusBadRequest, response.status, commentary)
			continue
		}
		require.Equal(t, http.StatusCreated, response.status, commentary)
		require.Equal(t, want, b.posts(t, "?limit=1")[0]["text"])
		b.clock.Advance(time.Second)
	}
}

func TestLinkedInTokens(t *testing.T) {
	t.Parallel()

	b := setup(t)
	refresh := func(values ...string) reply {
		return b.form(t, "/linkedin/oauth/v2/accessToken", append([]string{
			"grant_type", "refresh_token", "client_id", "c", "client_secret", "s", "refresh_token", "sandbox-refresh-acme",
		}, values...)...)
	}
	first := refresh()
	require.Equal(t, "sandbox-linkedin-acme.1", first.text(t, "access_token"))
	require.Equal(t, "sandbox-refresh-acme", first.text(t, "refresh_token"))
	require.InDelta(t, 5184000, first.at(t, "expires_in"), 0)
	b.restart(t)
	require.Equal(t, "sandbox-linkedin-acme.2", refresh().text(t, "access_token"), "the refresh token goes on working")
	require.Equal(t, "invalid_grant", refresh("refresh_token", "x").text(t, "error"))
	require.Equal(t, "invalid_request", refresh("grant_type", "password").text(t, "error"))
	require.Equal(t, "invalid_client", refresh("client_secret", "").text(t, "error"))
	b.inject(t, `{"platform":"linkedin","account":"acme","step":"token","kind":"reject"}`)
	require.Equal(t, "invalid_grant", refresh().text(t, "error"))

	b.inject(t, `{"platform":"linkedin","account":"acme","step":"commit","kind":"expired_token"}`)
	require.Equal(t, http.StatusUnauthorized, b.share(t, linkedinMember, "t", asMember()...).status)
	require.Equal(t, http.StatusUnauthorized, b.share(t, linkedinMember, "t", asMember()...).status, "until it is refreshed")
	require.Equal(t, http.StatusCreated, b.share(t, linkedinMember, "t", "Authorization",
		"Bearer "+refresh().text(t, "access_token")).status)
	b.inject(t, `{"platform":"linkedin","kind":"rate_limit","delayMs":2500}`)
	require.Equal(t, "3", b.share(t, linkedinMember, "u", "Authorization",
		"Bearer sandbox-linkedin-acme.3").header.Get("Retry-After"))
	require.Equal(t, http.StatusRequestEntityTooLarge, b.share(t, linkedinFirm, strings.Repeat("a", 1<<20+1)).status)
}
