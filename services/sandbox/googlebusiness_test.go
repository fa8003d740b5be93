package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	googleToken = "sandbox-googlebusiness-acme"
	googlePosts = "/googlebusiness/v4/accounts/7/locations/acme/localPosts"
)

func (b *bundle) localPost(t *testing.T, path, body string) reply {
	t.Helper()
	return b.call(t.Context(), t, http.MethodPost, path, googleToken, "application/json", body)
}

func (b *bundle) summary(t *testing.T, text string) reply {
	t.Helper()
	body, err := json.Marshal(map[string]string{"languageCode": "en", "summary": text, "topicType": "STANDARD"})
	require.NoError(t, err)
	return b.localPost(t, googlePosts, string(body))
}

func TestGoogleBusinessPosts(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.Equal(t, "{}\n", b.get(t, googlePosts, googleToken).body)
	created := b.summary(t, " Hello\n")
	id := b.newest(t, "?platform=GOOGLE_BUSINESS&account=accounts/7/locations/acme")
	require.Equal(t, "accounts/7/locations/acme/localPosts/"+id, created.text(t, "name"))
	require.Equal(t, "PROCESSING", created.text(t, "state"))
	require.Equal(t, b.server.URL+"/p/googlebusiness/"+id, created.text(t, "searchUrl"))
	require.Equal(t, http.StatusOK, b.get(t, "/p/googlebusiness/"+id, "").status)

	b.clock.Advance(2 * time.Second)
	read := b.get(t, googlePosts+"/"+id, googleToken)
	require.Equal(t, "LIVE", read.text(t, "state"))
	require.Equal(t, "Hello", read.text(t, "summary"))
	require.Equal(t, "2026-03-01T09:00:00.000Z", read.text(t, "createTime"))
	require.Len(t, b.get(t, googlePosts, googleToken).at(t, "localPosts"), 1)

	plain := strings.Replace(googlePosts, "accounts/7", "accounts/-", 1)
	for _, response := range []reply{
		b.get(t, plain, googleToken), b.localPost(t, plain, `{"summary":"to any account","topicType":"STANDARD"}`),
	} {
		require.Equal(t, http.StatusNotFound, response.status)
		require.Equal(t, "text/html; charset=UTF-8", response.header.Get("Content-Type"))
		require.Contains(t, response.body, "Error 404 (Not Found)!!1")
	}
	require.Len(t, b.posts(t, ""), 1)

	require.Equal(t, "PERMISSION_DENIED", b.get(t, googlePosts, "sandbox-googlebusiness-other").text(t, "error", "status"))
	require.Equal(t, "{}\n", b.call(t.Context(), t, http.MethodDelete, googlePosts+"/"+id, googleToken, "", "").body)
	require.Equal(t, "NOT_FOUND", b.call(t.Context(), t, http.MethodDelete, googlePosts+"/"+id, googleToken, "",
		"").text(t, "error", "status"))
	require.Equal(t, "NOT_FOUND", b.get(t, googlePosts+"/"+id, googleToken).text(t, "error", "status"))
}

func TestGoogleBusinessRefuses(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for _, body := range []string{
		``, `{`, `{}`, `{"summary":" ","topicType":"STANDARD"}`, `{"summary":"t"}`, `{"summary":"t","topicType":"EVENT"}`,
		`{"summary":"t","topicType":"STANDARD","text":"t"}`, `{"summary":"t","topicType":"STANDARD","scheduledTime":"2026-03-01T09:00:00Z"}`,
		`{"summary":"t","topicType":"OFFER"}`, `{"summary":"t","topicType":"STANDARD","event":{"title":"E"}}`,
		`{"summary":"t","topicType":"EVENT","event":{"title":"E","schedule":{"startDate":{"year":2026,"month":3,"day":1}}}}`,
		`{"summary":"t","topicType":"STANDARD","offer":{"couponCode":"A"}}`,
		`{"summary":"t","topicType":"STANDARD","callToAction":{"actionType":"CALL","url":"https://example.com"}}`,
		`{"summary":"t","topicType":"STANDARD","callToAction":{"actionType":"BOOK"}}`,
		`{"summary":"t","topicType":"STANDARD","media":[{"mediaFormat":"PHOTO"}]}`,
		`{"summary":"t","topicType":"STANDARD","media":[{"mediaFormat":"PHOTO","sourceUrl":"https://a.example"},` +
			`{"mediaFormat":"PHOTO","sourceUrl":"https://a.example"}]}`,
		`{"summary":"` + strings.Repeat("a", 1501) + `","topicType":"STANDARD"}`,
	} {
		require.Equal(t, "INVALID_ARGUMENT", b.localPost(t, googlePosts, body).text(t, "error", "status"), body)
	}
	require.Contains(t, b.summary(t, strings.Repeat("a", 1501)).body, "Must be at most 1500 characters")
	video := b.localPost(t, googlePosts, `{"summary":"t","topicType":"STANDARD","media":[{"mediaFormat":"VIDEO",`+
		`"sourceUrl":"https://a.example"}]}`)
	require.Equal(t, http.StatusInternalServerError, video.status)
	unreachable := b.localPost(t, googlePosts, `{"summary":"t","topicType":"STANDARD","media":[{"mediaFormat":"PHOTO",`+
		`"sourceUrl":"`+b.server.URL+`/media/none"}]}`)
	require.Equal(t, "REJECTED", unreachable.text(t, "state"))
	moderated := b.summary(t, "Call +49 30 1234567 now")
	require.Equal(t, "REJECTED", moderated.text(t, "state"))
	require.Equal(t, http.StatusUnauthorized, b.get(t, googlePosts, "sandbox-x-acme").status)
	require.Equal(t, http.StatusNotFound, b.get(t, "/googlebusiness/v1/places", googleToken).status)
	for _, query := range []string{"?pageSize=0", "?pageSize=101", "?pageSize=x", "?pageToken=x"} {
		require.Equal(t, http.StatusBadRequest, b.get(t, googlePosts+query, googleToken).status, query)
	}
	require.Empty(t, b.posts(t, ""))
	b.inject(t, `{"platform":"googlebusiness","account":"accounts/7/locations/acme","kind":"rate_limit","delayMs":2500}`)
	require.Contains(t, b.summary(t, "t").body, `"retryDelay":"3s"`)
}

func TestGoogleBusinessPages(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for i := range 5 {
		require.Equal(t, http.StatusOK, b.summary(t, strings.Repeat("x", i+1)).status)
	}
	first := b.get(t, googlePosts+"?pageSize=3", googleToken)
	require.Len(t, first.at(t, "localPosts"), 3)
	last := b.get(t, googlePosts+"?pageSize=3&pageToken="+first.text(t, "nextPageToken"), googleToken)
	require.Len(t, last.at(t, "localPosts"), 2)
	require.Nil(t, last.at(t, "nextPageToken"))
}

func TestGoogleBusinessRefreshes(t *testing.T) {
	t.Parallel()

	b := setup(t)
	refresh := func(token string, more ...string) reply {
		pairs := append([]string{
			"grant_type", "refresh_token", "client_id", "c", "client_secret", "s", "refresh_token", token,
		}, more...)
		return b.form(t, "/googlebusiness/token", pairs...)
	}
	fresh := refresh("sandbox-refresh-acme")
	require.Equal(t, googleToken+".1", fresh.text(t, "access_token"))
	require.Nil(t, fresh.at(t, "refresh_token"), "the old one stays")
	require.Equal(t, http.StatusOK, b.get(t, googlePosts, googleToken).status, "older tokens go on working")
	b.inject(t, `{"platform":"googlebusiness","account":"accounts/7/locations/acme","kind":"expired_token"}`)
	require.Equal(t, http.StatusUnauthorized, b.get(t, googlePosts, fresh.text(t, "access_token")).status)
	require.Equal(t, http.StatusUnauthorized, b.get(t, googlePosts, googleToken).status)
	fresh = refresh("sandbox-refresh-acme")
	require.Equal(t, http.StatusOK, b.get(t, googlePosts, fresh.text(t, "access_token")).status)

	require.Equal(t, "invalid_grant", refresh("unknown").text(t, "error"))
	require.Equal(t, "invalid_request", refresh("sandbox-refresh-acme", "client_secret", "").text(t, "error"))
	require.Equal(t, "unsupported_grant_type", refresh("sandbox-refresh-acme", "grant_type", "password").text(t, "error"))
	for kind, code := range map[string]string{
		"reject": "invalid_grant", "expired_token": "invalid_grant", "rate_limit": "rate_limit_exceeded",
		"unavailable": "internal_failure",
	} {
		b.inject(t, `{"platform":"googlebusiness","account":"acme","step":"token","kind":"`+kind+`"}`)
		require.Equal(t, code, refresh("sandbox-refresh-acme").text(t, "error"), kind)
	}
}
