package facebook_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/facebook"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/platformtest"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

const (
	publishCall = "POST /v26.0/42/feed"
	postCall    = "GET /v26.0/42_180"
)

type bundle struct {
	script    *platformtest.Script
	connector *facebook.Connector
	account   platform.Account
	content   platform.Content
}

func setup(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	script := platformtest.NewScript(t, responses)
	connector, err := facebook.New(facebook.Config{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())}, PermalinkURL: "https://www.facebook.com/",
	})
	require.NoError(t, err)
	return &bundle{
		script: script, connector: connector,
		account: platform.Account{
			Type: channel.FacebookPage, ExternalID: "42", Username: "acme",
			Credentials: channel.Credentials{AccessToken: "token/1"},
		},
		content: platform.Content{ContentType: post.ContentPost, Text: "Hello & welcome"},
	}
}

func ok(body string) platformtest.Response { return platformtest.Response{Body: body} }

func graph(status, code, subcode int, message string) platformtest.Response {
	return platformtest.Response{Status: status, Body: fmt.Sprintf(
		`{"error":{"message":%q,"type":"OAuthException","code":%d,"error_subcode":%d,"fbtrace_id":"x"}}`, message, code,
		subcode)}
}

func TestNewRequiresClock(t *testing.T) {
	t.Parallel()

	_, err := facebook.New(facebook.Config{})
	require.Error(t, err)
}

func TestDeclaration(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	require.Equal(t, []channel.Type{channel.FacebookPage}, b.connector.Types(), "groups have no API")
	require.Equal(t, platform.ReconcileMatch, b.connector.Strength())
	preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.Equal(t, platform.Preparation{Ready: true}, preparation)
	require.Empty(t, b.script.Requests())
}

func TestCommit(t *testing.T) {
	t.Parallel()

	const built, own = "https://www.facebook.com/42_180", "https://www.facebook.com/acme/posts/pfbid02"
	for name, test := range map[string]struct {
		post platformtest.Response
		url  string
	}{
		"with permalink":    {ok(`{"id":"42_180","permalink_url":"` + own + `"}`), own},
		"permalink fails":   {platformtest.Response{Status: 500}, built},
		"of another post":   {ok(`{"id":"42_181","permalink_url":"` + own + `"}`), built},
		"a script":          {ok(`{"id":"42_180","permalink_url":"javascript:alert(1)"}`), built},
		"answer is no JSON": {ok(`<html>`), built},
		"no permalink":      {ok(`{"id":"42_180"}`), built},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{publishCall: {ok(`{"id":"42_180"}`)}, postCall: {test.post}})
			publication, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			require.Equal(t, platform.Publication{ExternalID: "42_180", URL: test.url}, publication)

			requests := b.script.Requests()
			require.Len(t, requests, 2)
			require.Equal(t, "Hello & welcome", requests[0].Form(t).Get("message"))
			require.Equal(t, "token/1", requests[0].Form(t).Get("access_token"))
			require.Empty(t, requests[0].Query, "the token stays out of the address")
			require.Equal(t, "permalink_url", requests[1].Query.Get("fields"))
			require.Empty(t, requests[1].Query.Get("access_token"))
			require.Equal(t, "Bearer token/1", requests[1].Header.Get("Authorization"))
		})
	}
}

func TestCommitWithAnotherVersion(t *testing.T) {
	t.Parallel()

	script := platformtest.NewScript(t, map[string][]platformtest.Response{"POST /v27.0/42/feed": {ok(`{"id":"42_180"}`)}})
	connector, err := facebook.New(facebook.Config{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())}, Version: "v27.0",
	})
	require.NoError(t, err)
	publication, err := connector.Commit(t.Context(), setup(t, nil).account, platform.Content{Text: "Hello"}, "")
	require.NoError(t, err)
	require.Equal(t, script.URL+"/42_180", publication.URL, "the sandbox's address of the post")
}

func TestCommitWithInvalidInputSendsNothing(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	withMedia := b.content
	withMedia.Media = []media.Asset{{}}
	_, err := b.connector.Commit(t.Context(), b.account, withMedia, "")
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class, "prepare first")
	require.Equal(t, platform.CodeMediaNotUploaded, platformtest.Failure(t, err).Code)

	b.account.ExternalID = ".."
	_, err = b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, httpcall.CodeRequestInvalid, platformtest.Failure(t, err).Code)
	b.account.ExternalID = ""
	_, err = b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}

func TestErrors(t *testing.T) {
	t.Parallel()

	usage := platformtest.Response{
		Status: 400, Body: `{"error":{"code":80001,"is_transient":true}}`,
		Header: map[string]string{
			"X-Business-Use-Case-Usage": `{"1":[{"type":"pages","estimated_time_to_regain_access":7}]}`,
		},
	}
	transient := ok(`{"error":{"code":368,"error_subcode":1390008,"is_transient":true}}`)
	transient.Status = 400
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
		until    time.Duration
	}{
		"expired token": {
			graph(401, 190, 463, "Session has expired"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0,
		},
		"session": {
			graph(400, 102, 0, "Session key invalid"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0,
		},
		"app removed":    {graph(400, 190, 458, "not authorized"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"role lost":      {graph(400, 190, 492, "role"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"permission":     {graph(403, 10, 0, "permission"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"scope":          {graph(403, 200, 0, "scope"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"no such Page":   {graph(400, 100, 33, "does not exist"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"app limit":      {graph(403, 4, 0, "limit"), platform.ClassRateLimited, post.ErrorRateLimited, time.Hour},
		"Page limit":     {graph(400, 32, 0, "limit"), platform.ClassRateLimited, post.ErrorRateLimited, time.Hour},
		"use case limit": {usage, platform.ClassRateLimited, post.ErrorRateLimited, 7 * time.Minute},
		"too fast": {
			graph(400, 368, 1390008, "too fast"), platform.ClassRateLimited, post.ErrorRateLimited, time.Hour,
		},
		"too fast, passing": {transient, platform.ClassRateLimited, post.ErrorRateLimited, time.Hour},
		"action limit": {
			graph(400, 341, 0, "limit reached"), platform.ClassRateLimited, post.ErrorRateLimited, time.Hour,
		},
		"429": {
			platformtest.Response{Status: 429, Header: map[string]string{"Retry-After": "60"}},
			platform.ClassRateLimited,
			post.ErrorRateLimited, time.Minute,
		},
		"duplicate": {
			graph(400, 506, 0, "Duplicate status message"), platform.ClassUnknown, facebook.CodeDuplicate, 0,
		},
		"blocked":         {graph(400, 368, 0, "blocked"), platform.ClassUser, facebook.CodeAccount, 0},
		"limited account": {graph(400, 368, 1404112, "limited"), platform.ClassUser, facebook.CodeAccount, 0},
		"authorization":   {graph(400, 200, 1404078, "authorize"), platform.ClassUser, facebook.CodeConfirm, 0},
		"checkpoint":      {graph(400, 190, 459, "checkpoint"), platform.ClassUser, facebook.CodeConfirm, 0},
		"upload, again":   {graph(400, 6000, 1363033, "try again"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"upload":          {graph(400, 6000, 0, "try again"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"security check":  {graph(400, 368, 1404006, "check"), platform.ClassUser, facebook.CodeConfirm, 0},
		"identity":        {graph(400, 10, 4854002, "identity"), platform.ClassUser, facebook.CodeConfirm, 0},
		"link":            {graph(400, 100, 1609005, "cannot scrape"), platform.ClassRejected, facebook.CodeLink, 0},
		"own link":        {graph(400, 1609008, 1609008, "facebook.com"), platform.ClassRejected, facebook.CodeLink, 0},
		"bad link":        {graph(400, 100, 2061006, "not a URL"), platform.ClassRejected, facebook.CodeLink, 0},
		"posted photos":   {graph(400, 1, 1366051, "posted"), platform.ClassUnknown, facebook.CodeDuplicate, 0},
		"photo":           {graph(400, 1, 1366046, "format"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"file":            {graph(400, 100, 2069019, "file"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"content":         {graph(400, 100, 1349125, "content"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"video permission": {
			graph(400, 100, 0, "(#100) No permission to publish the video"), platform.ClassReconnect,
			post.ErrorNeedsReconnect, 0,
		},
		"reels of a day":     {graph(400, 9, 0, "limit"), platform.ClassRateLimited, post.ErrorRateLimited, time.Hour},
		"abusive":            {graph(400, 368, 1346003, "abusive"), platform.ClassRejected, facebook.CodePolicy, 0},
		"standards":          {graph(400, 200, 1404102, "standards"), platform.ClassRejected, facebook.CodePolicy, 0},
		"parameter":          {graph(400, 100, 0, "Invalid parameter"), platform.ClassRejected, facebook.CodeRefused, 0},
		"a new code":         {graph(400, 4711, 0, "no"), platform.ClassRejected, facebook.CodeRefused, 0},
		"unavailable":        {graph(400, 100, 1363047, "unavailable"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"unavailable too":    {graph(400, 1609010, 0, "unavailable"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"unknown":            {graph(400, 1, 0, "An unknown error"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"500, with own code": {graph(500, 506, 0, "oops"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"400 as a page": {
			platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown, 0,
		},
		"401 as a page": {
			platformtest.Response{Status: 401, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown, 0,
		},
		"200 with error":  {ok(`{"error":{"code":100}}`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"200 as a page":   {ok(`<html>`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"200, hostile id": {ok(`{"id":"42_180\r\nX: y"}`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"200, half an id": {ok(`{"id":"180"}`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"a redirect": {
			platformtest.Response{Status: 307, Header: map[string]string{"Location": "/v26.0/42_180"}},
			platform.ClassUnknown,
			post.ErrorOutcomeUnknown, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{publishCall: {test.response}})
			_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
			require.NotEmpty(t, failure.Message)
			require.NotContains(t, err.Error(), "token/1")
			require.Len(t, b.script.Requests(), 1)
			if test.until == 0 {
				require.Zero(t, failure.Until)
			} else {
				require.Equal(t, now().Add(test.until), failure.Until)
			}
		})
	}
}

func TestRefreshRequiresReconnect(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	fresh, err := b.connector.Refresh(t.Context(), b.account)
	require.Zero(t, fresh)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}

// TestMissingRoleIsNamed checks that code 200 does not only ask for a new connection.
func TestMissingRoleIsNamed(t *testing.T) {
	t.Parallel()

	for code, want := range map[int]string{200: "role on the Page", 10: "Connect the channel again"} {
		b := setup(t, map[string][]platformtest.Response{publishCall: {graph(403, code, 0, "permission")}})
		_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
		failure := platformtest.Failure(t, err)
		require.Equal(t, platform.ClassReconnect, failure.Class)
		require.Contains(t, failure.Message, want)
	}
}
