package googlebusiness_test

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
	"fencepost.internal/shared/platform/connectors/googlebusiness"
	"fencepost.internal/shared/platform/connectors/internal/google"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/platformtest"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

const (
	location    = "accounts/11/locations/42"
	publishCall = "POST /v4/" + location + "/localPosts"
	postCall    = "GET /v4/" + location + "/localPosts/180"
	listCall    = "GET /v4/" + location + "/localPosts"
	tokenCall   = "POST /token"
	searchURL   = "https://local.google.com/place?id=1&use=posts&lpsid=180"
)

type bundle struct {
	script    *platformtest.Script
	connector *googlebusiness.Connector
	account   platform.Account
	content   platform.Content
}

func setup(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	script := platformtest.NewScript(t, responses)
	connector, err := googlebusiness.New(googlebusiness.Config{
		Wire:     httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())},
		TokenURL: script.URL + "/token", ClientID: "client", ClientSecret: "client secret",
	})
	require.NoError(t, err)
	return &bundle{
		script: script, connector: connector,
		account: platform.Account{
			Type: channel.GoogleBusiness, ExternalID: location, Username: "acme",
			Credentials: channel.Credentials{AccessToken: "access-1", RefreshToken: "refresh-1"},
		},
		content: platform.Content{ContentType: post.ContentPost, Text: "Hello & welcome"},
	}
}

func ok(body string) platformtest.Response { return platformtest.Response{Body: body} }

// shown returns a local post.
func shown(id, state, link string) platformtest.Response {
	return ok(fmt.Sprintf(`{"name":"%s/localPosts/%s","state":%q,"searchUrl":%q}`, location, id, state, link))
}

// refusal returns an error in Google's format. The details may be empty.
func refusal(code int, status, message, details string) platformtest.Response {
	if details != "" {
		details = `,"details":[` + details + `]`
	}
	return platformtest.Response{Status: code, Body: fmt.Sprintf(
		`{"error":{"code":%d,"message":%q,"status":%q%s}}`, code, message, status, details)}
}

func TestNewValidatesConfig(t *testing.T) {
	t.Parallel()

	_, err := googlebusiness.New(googlebusiness.Config{})
	require.Error(t, err, "no clock")
	for _, address := range []string{
		"token", "https://example.com", "https://example.com/", "https://example.com/token?a=b", "/token",
		"https://example.com/a b",
	} {
		_, err := googlebusiness.New(googlebusiness.Config{
			Wire: httpcall.Config{Clock: clocktest.New(now())}, TokenURL: address,
		})
		require.ErrorContains(t, err, "token address", address)
	}
	_, err = googlebusiness.New(googlebusiness.Config{Wire: httpcall.Config{Clock: clocktest.New(now())}})
	require.NoError(t, err, "the official addresses")
}

func TestDeclaration(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	require.Equal(t, []channel.Type{channel.GoogleBusiness}, b.connector.Types())
	require.Equal(t, platform.ReconcileMatch, b.connector.Strength())
	preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.Equal(t, platform.Preparation{Ready: true}, preparation)
	require.Empty(t, b.script.Requests())
}

func TestCommit(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		created, read platformtest.Response
		url           string
		calls         int
	}{
		"live":              {shown("180", "LIVE", searchURL), platformtest.Response{}, searchURL, 1},
		"processing":        {shown("180", "PROCESSING", searchURL), platformtest.Response{}, searchURL, 1},
		"linked later":      {shown("180", "PROCESSING", ""), shown("180", "LIVE", searchURL), searchURL, 2},
		"never linked":      {shown("180", "PROCESSING", ""), platformtest.Response{Status: 500}, "", 2},
		"another's link":    {shown("180", "PROCESSING", ""), shown("181", "LIVE", searchURL), "", 2},
		"another's refusal": {shown("180", "PROCESSING", ""), shown("181", "REJECTED", searchURL), "", 2},
		"no JSON":           {shown("180", "PROCESSING", ""), ok("<html>"), "", 2},
		"a script": {
			shown("180", "LIVE", "javascript:alert(1)"), shown("180", "LIVE", "javascript:alert(1)"), "", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{publishCall: {test.created}, postCall: {test.read}})
			publication, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			inReview := name == "processing" || test.url == "" && name != "a script"
			require.Equal(t, platform.Publication{ExternalID: "180", URL: test.url, InReview: inReview}, publication)

			requests := b.script.Requests()
			require.Len(t, requests, test.calls)
			require.JSONEq(t, `{"languageCode":"en","summary":"Hello & welcome","topicType":"STANDARD"}`, requests[0].Body)
			for _, request := range requests {
				require.Equal(t, "Bearer access-1", request.Header.Get("Authorization"))
			}
		})
	}
}

func TestCommitAndModeration(t *testing.T) {
	t.Parallel()

	for name, responses := range map[string]map[string][]platformtest.Response{
		"at once":   {publishCall: {shown("180", "REJECTED", "")}},
		"by a look": {publishCall: {shown("180", "PROCESSING", "")}, postCall: {shown("180", "REJECTED", "")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, responses)
			_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			require.Equal(t, platform.ClassRejected, platformtest.Failure(t, err).Class)
			require.Equal(t, googlebusiness.CodePolicy, platformtest.Failure(t, err).Code)
			require.Len(t, b.script.Requests(), len(responses))
		})
	}
}

func TestLocations(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	b.account.ExternalID = "accounts/11/locations/42"
	_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Error(t, err)
	require.Equal(t, "/v4/accounts/11/locations/42/localPosts", b.script.Requests()[0].Path)

	for _, id := range []string{
		"", "acme", "42", "-", ".", "..", "locations/42", "accounts/-/locations/42", "accounts/11", "accounts/11/locations/", "accounts/11/locations/42/localPosts/1",
		"accounts/1/1/locations/42",
		"accounts/11/locations/42:transfer", "a b", "a%2Fb", "a?b", "accounts/11/locations/42\n",
	} {
		b := setup(t, nil)
		b.account.ExternalID = id
		_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
		require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class, "%q", id)
		_, _, err = b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{})
		require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class, "%q", id)
		_, err = b.connector.Identify(t.Context(), b.account)
		require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class, "%q", id)
		declared := googlebusiness.Declare(&googlebusiness.Environment{}, google.Environment{})
		require.NotEmpty(t, declared.Accounts[0].IDFault(id))
		require.Empty(t, b.script.Requests(), "%q", id)
	}
	for _, id := range []string{"accounts/../locations/42", "accounts/11/locations/.."} {
		b := setup(t, nil)
		b.account.ExternalID = id
		_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
		require.Equal(t, httpcall.CodeRequestInvalid, platformtest.Failure(t, err).Code, "%q", id)
		require.Empty(t, b.script.Requests(), "%q", id)
	}
}

func TestCommitWithInvalidInputSendsNothing(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	withMedia := b.content
	withMedia.Media = []media.Asset{{}}
	_, err := b.connector.Commit(t.Context(), b.account, withMedia, "")
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class, "no files")
	b.account.Credentials.AccessToken = ""
	_, err = b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}

func TestErrors(t *testing.T) {
	t.Parallel()

	const (
		retry    = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"30s"}`
		quota    = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit_value":"0"}}`
		disabled = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED","metadata":{"service":"mybusiness.googleapis.com"}}`
		chain    = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"LOCATION_DISABLED_FOR_LOCAL_POST_API"}`
		tooLong  = `{"@type":"x","errorDetails":[{"code":3,"field":"summary","message":"Must be at most 1500 characters","value":"…"}]}`
		strange  = `{"metadata":["a"]},"text",` + chain
	)
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
		until    time.Duration
	}{
		"401": {
			refusal(401, "UNAUTHENTICATED", "Request had invalid credentials", ""), platform.ClassRefresh, "TOKEN_EXPIRED", 0,
		},
		"401 as a page": {platformtest.Response{Status: 401, Body: "<html>"}, platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"role lost": {
			refusal(403, "PERMISSION_DENIED", "The caller does not have permission", ""), platform.ClassReconnect,
			post.ErrorNeedsReconnect, 0,
		},
		"not enabled": {
			refusal(403, "PERMISSION_DENIED", "disabled", disabled), platform.ClassOperator, googlebusiness.CodeAppAccess, 0,
		},
		"not approved": {
			refusal(429, "RESOURCE_EXHAUSTED", "Quota exceeded", quota), platform.ClassOperator, googlebusiness.CodeAppAccess,
			0,
		},
		"moved": {
			refusal(404, "NOT_FOUND", "Requested entity was not found.", ""), platform.ClassReconnect,
			post.ErrorNeedsReconnect, 0,
		},
		"limited": {
			refusal(429, "RESOURCE_EXHAUSTED", "Quota exceeded", ""), platform.ClassRateLimited, post.ErrorRateLimited,
			time.Minute,
		},
		"limited, with wait": {
			refusal(429, "RESOURCE_EXHAUSTED", "Quota exceeded", retry), platform.ClassRateLimited, post.ErrorRateLimited,
			30 * time.Second,
		},
		"429": {
			platformtest.Response{Status: 429, Header: map[string]string{"Retry-After": "90"}},
			platform.ClassRateLimited,
			post.ErrorRateLimited, 90 * time.Second,
		},
		"too long": {
			refusal(400, "INVALID_ARGUMENT", "Request contains an invalid argument.", tooLong), platform.ClassRejected,
			googlebusiness.CodeRefused, 0,
		},
		"a chain": {
			refusal(400, "INVALID_ARGUMENT", "no", chain), platform.ClassRejected, googlebusiness.CodeLocation, 0,
		},
		"strange details": {
			refusal(400, "FAILED_PRECONDITION", "no", strange), platform.ClassRejected, googlebusiness.CodeLocation, 0,
		},
		"a chain's message": {
			refusal(403, "PERMISSION_DENIED", "LOCATION_DISABLED_FOR_LOCAL_POST_API", ""), platform.ClassRejected,
			googlebusiness.CodeLocation, 0,
		},
		"aborted":   {refusal(409, "ABORTED", "no", ""), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"cancelled": {refusal(499, "CANCELLED", "no", ""), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"408":       {platformtest.Response{Status: 408}, platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"500":       {refusal(500, "INTERNAL", "oops", ""), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"503":       {refusal(503, "UNAVAILABLE", "oops", ""), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"504": {
			refusal(504, "DEADLINE_EXCEEDED", "slow", ""), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0,
		},
		"400 as a page": {
			platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown, 0,
		},
		"403 as a page": {
			platformtest.Response{Status: 403, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown, 0,
		},
		"404 as a page": {
			platformtest.Response{Status: 404, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown, 0,
		},
		"200 as a page":      {ok("<html>"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"200 without a name": {ok(`{"state":"LIVE"}`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"200, hostile name":  {shown("1/../2", "LIVE", searchURL), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"a redirect": {
			platformtest.Response{Status: 307, Header: map[string]string{"Location": "/elsewhere"}},
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
			require.NotContains(t, err.Error(), "access-1")
			require.Len(t, b.script.Requests(), 1)
			if test.until == 0 {
				require.Zero(t, failure.Until)
			} else {
				require.Equal(t, now().Add(test.until), failure.Until)
			}
		})
	}
}
