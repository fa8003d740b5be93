package threads_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/threads"
	"fencepost.internal/shared/platform/platformtest"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

const (
	createCall  = "POST /v1.0/42/threads"
	statusCall  = "GET /v1.0/171"
	publishCall = "POST /v1.0/42/threads_publish"
	mediaCall   = "GET /v1.0/180"
	listCall    = "GET /v1.0/me/threads"
	refreshCall = "GET /refresh_access_token"
)

type bundle struct {
	clock     *clocktest.Fake
	script    *platformtest.Script
	connector *threads.Connector
	account   platform.Account
	content   platform.Content
}

func setup(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	script, clock := platformtest.NewScript(t, responses), clocktest.New(now())
	connector, err := threads.New(threads.Config{Wire: httpcall.Config{BaseURL: script.URL, Clock: clock}})
	require.NoError(t, err)
	return &bundle{
		clock: clock, script: script, connector: connector,
		account: platform.Account{
			Type: channel.Threads, ExternalID: "42", Username: "acme", Credentials: channel.Credentials{AccessToken: "token/1"},
		},
		content: platform.Content{ContentType: post.ContentPost, Text: "Hello & welcome"},
	}
}

func ok(body string) platformtest.Response { return platformtest.Response{Body: body} }

func status(name string) platformtest.Response { return ok(`{"id":"171","status":"` + name + `"}`) }

func graph(status, code, subcode int, message string) platformtest.Response {
	return platformtest.Response{Status: status, Body: fmt.Sprintf(
		`{"error":{"message":%q,"type":"OAuthException","code":%d,"error_subcode":%d,"fbtrace_id":"x"}}`, message, code,
		subcode)}
}

func TestNewRequiresClock(t *testing.T) {
	t.Parallel()

	_, err := threads.New(threads.Config{})
	require.Error(t, err)
}

// created returns the handle of a container that is made now.
func created(id, more string) platform.Handle {
	return platform.Handle(`{"container":"` + id + `","since":1772355600,"made":1772355600` + more + `}`)
}

func TestPrepareCreatesContainer(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		status platformtest.Response
		want   platform.Preparation
	}{
		"finished":     {status("FINISHED"), platform.Preparation{Handle: created("171", ""), Ready: true}},
		"in progress":  {status("IN_PROGRESS"), platform.Preparation{Handle: created("171", ""), Wait: 5 * time.Second}},
		"status fails": {platformtest.Response{Status: 503}, platform.Preparation{Handle: created("171", ""), Wait: 5 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"171"}`)}, statusCall: {test.status}})
			preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			require.Equal(t, test.want, preparation)

			create := b.script.Requests()[0]
			require.Equal(t, "TEXT", create.Form(t).Get("media_type"))
			require.Equal(t, "Hello & welcome", create.Form(t).Get("text"))
			require.Equal(t, "token/1", create.Form(t).Get("access_token"))
			require.Empty(t, create.Query, "the token of a POST stays out of the address")
			require.NotContains(t, create.Body, "auto_publish_text")
		})
	}
}

func TestPrepareWithHandle(t *testing.T) {
	t.Parallel()

	failed := func(message string) platformtest.Response {
		return ok(`{"id":"171","status":"ERROR","error_message":"` + message + `"}`)
	}
	for name, test := range map[string]struct {
		status platformtest.Response
		want   platform.Preparation
		class  platform.Class
	}{
		"finished":    {status("FINISHED"), platform.Preparation{Handle: `{"container":"171"}`, Ready: true}, ""},
		"in progress": {status("IN_PROGRESS"), platform.Preparation{Handle: "171", Wait: 30 * time.Second}, ""},
		"expired":     {status("EXPIRED"), platform.Preparation{Handle: created("172", `,"again":1`), Ready: true}, ""},
		"gone": {
			graph(400, 100, 33, "Unsupported get request"), platform.Preparation{Handle: created("172", `,"again":1`), Ready: true}, "",
		},
		"failed by bad luck": {failed("UNKNOWN"), platform.Preparation{Handle: created("172", `,"again":1`), Ready: true}, ""},
		"failed":             {failed("INVALID_DURATION"), platform.Preparation{}, platform.ClassRejected},
		"published":          {status("PUBLISHED"), platform.Preparation{}, platform.ClassUnknown},
		"a new status":       {status("PONDERING"), platform.Preparation{}, platform.ClassTransient},
		"no status":          {ok(`{}`), platform.Preparation{}, platform.ClassTransient},
		"unavailable":        {platformtest.Response{Status: 500}, platform.Preparation{}, platform.ClassTransient},
		"expired token":      {graph(401, 190, 463, "expired"), platform.Preparation{}, platform.ClassRefresh},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{
				createCall: {ok(`{"id":"172"}`)}, statusCall: {test.status}, "GET /v1.0/172": {ok(`{"status":"FINISHED"}`)},
			})
			preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, "171")
			require.Equal(t, test.want, preparation)
			if test.class == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
		})
	}
}

func TestPrepareFailures(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
	}{
		"unavailable": {platformtest.Response{Status: 502}, platform.ClassTransient},
		"a page":      {ok("<html>token/1 token%2F1</html>"), platform.ClassTransient},
		"hostile id":  {ok(`{"id":"../me"}`), platform.ClassTransient},
		"redirect": {
			platformtest.Response{Status: 302, Header: map[string]string{"Location": "/v1.0/other"}}, platform.ClassTransient,
		},
		"parameter": {graph(400, 100, 0, "Invalid parameter"), platform.ClassRejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{createCall: {test.response}})
			_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
			require.NotContains(t, err.Error(), "token/1")
			require.NotContains(t, err.Error(), "token%2F1")
			require.Len(t, b.script.Requests(), 1)
		})
	}

	b := setup(t, nil)
	b.account.Credentials.AccessToken = ""
	_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

func TestCommit(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		media platformtest.Response
		url   string
	}{
		"with permalink": {
			ok(`{"id":"180","permalink":"https://www.threads.com/@acme/post/AbC"}`), "https://www.threads.com/@acme/post/AbC",
		},
		"permalink fails":   {platformtest.Response{Status: 500}, ""},
		"of another post":   {ok(`{"id":"181","permalink":"https://www.threads.com/@acme/post/AbC"}`), ""},
		"a script":          {ok(`{"id":"180","permalink":"javascript:alert(1)"}`), ""},
		"answer is no JSON": {ok(`<html>`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{publishCall: {ok(`{"id":"180"}`)}, mediaCall: {test.media}})
			publication, err := b.connector.Commit(t.Context(), b.account, b.content, "171")
			require.NoError(t, err)
			require.Equal(t, platform.Publication{ExternalID: "180", URL: test.url}, publication)
			require.Equal(t, "171", b.script.Requests()[0].Form(t).Get("creation_id"))
		})
	}
}

func TestCommitWithoutContainerOrTokenSendsNothing(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	b.account.ExternalID = ""
	_, err = b.connector.Commit(t.Context(), b.account, b.content, "171")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}

func TestErrors(t *testing.T) {
	t.Parallel()

	usage := platformtest.Response{
		Status: 400, Body: `{"error":{"code":4}}`,
		Header: map[string]string{
			"X-Business-Use-Case-Usage": `{"1":[{"type":"threads","estimated_time_to_regain_access":7}]}`,
		},
	}
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
		until    time.Duration
	}{
		"expired token":    {graph(401, 190, 463, "Session has expired"), platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"session":          {graph(400, 102, 0, "Session key invalid"), platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"app removed":      {graph(400, 190, 458, "not authorized"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"password changed": {graph(400, 190, 460, "password"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"permission":       {graph(403, 10, 0, "permission"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"scope":            {graph(403, 200, 0, "scope"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"scope, last":      {graph(403, 299, 0, "scope"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"app limit":        {graph(400, 4, 0, "limit"), platform.ClassRateLimited, post.ErrorRateLimited, 0},
		"user limit":       {graph(400, 17, 0, "limit"), platform.ClassRateLimited, post.ErrorRateLimited, 0},
		"page limit":       {graph(400, 32, 0, "limit"), platform.ClassRateLimited, post.ErrorRateLimited, 0},
		"custom limit":     {graph(400, 613, 0, "limit"), platform.ClassRateLimited, post.ErrorRateLimited, 0},
		"limit with usage": {usage, platform.ClassRateLimited, post.ErrorRateLimited, 7 * time.Minute},
		"429": {
			platformtest.Response{Status: 429, Header: map[string]string{"Retry-After": "60"}},
			platform.ClassRateLimited,
			post.ErrorRateLimited, time.Minute,
		},
		"quota":   {graph(403, 9, 2207042, "quota"), platform.ClassRateLimited, post.ErrorRateLimited, time.Hour},
		"unknown": {graph(400, 1, 0, "An unknown error"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"service": {
			graph(400, 2, 0, "Service temporarily unavailable"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0,
		},
		"500":             {graph(500, 2, 0, "oops"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"not ready":       {graph(400, 24, 4279009, "Media Not Found"), platform.ClassTransient, threads.CodeNotReady, 0},
		"container gone":  {graph(400, 100, 33, "does not exist"), platform.ClassTransient, threads.CodeNotReady, 0},
		"checkpoint":      {graph(400, 190, 464, "checkpoint"), platform.ClassUser, threads.CodeAccount, 0},
		"policy block":    {graph(400, 368, 0, "blocked"), platform.ClassUser, threads.CodeAccount, 0},
		"restricted":      {graph(403, 2207051, 2207051, "restricted"), platform.ClassUser, threads.CodeAccount, 0},
		"restricted anew": {graph(400, 36, 4279013, "restricted"), platform.ClassUser, threads.CodeAccount, 0},
		"links": {
			graph(400, 100, 0, "THREADS_API__LINK_LIMIT_EXCEEDED"), platform.ClassRejected, threads.CodeTooMuchLink, 0,
		},
		"not rolled out": {
			graph(400, 100, 0, "THREADS_API__FEATURE_NOT_AVAILABLE"), platform.ClassRejected, threads.CodeFeature, 0,
		},
		"parameter": {graph(400, 100, 0, "Param text is wrong"), platform.ClassRejected, threads.CodeRefused, 0},
		"400 as a page": {
			platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown, 0,
		},
		"200 with error":  {ok(`{"error":{"code":100}}`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"200 as a page":   {ok(`<html>`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"200, hostile id": {ok(`{"id":"180\r\nX: y"}`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"a redirect": {
			platformtest.Response{Status: 307, Header: map[string]string{"Location": "/v1.0/180"}},
			platform.ClassUnknown,
			post.ErrorOutcomeUnknown, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{publishCall: {test.response}, statusCall: {status("FINISHED")}})
			_, err := b.connector.Commit(t.Context(), b.account, b.content, created("171", ""))
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
			require.NotEmpty(t, failure.Message)
			if test.until == 0 {
				require.Zero(t, failure.Until)
			} else {
				require.Equal(t, now().Add(test.until), failure.Until)
			}
		})
	}
}

func TestReconcile(t *testing.T) {
	t.Parallel()

	listed := func(id, text, at string) string {
		return fmt.Sprintf(`{"id":%q,"text":%q,"timestamp":%q,"permalink":"https://www.threads.com/@acme/post/%s"}`, id, text,
			at, id)
	}
	const at = "2026-03-01T09:00:05+0000"
	list := func(posts ...string) platformtest.Response { return ok(`{"data":[` + strings.Join(posts, ",") + `]}`) }
	for name, test := range map[string]struct {
		status platformtest.Response
		list   platformtest.Response
		later  time.Duration
		want   platform.Evidence
		id     string
		class  platform.Class
	}{
		"published": {
			status("PUBLISHED"), list(listed("180", "Hello", at)), 0, platform.EvidenceFound, "180", "",
		},
		"published, RFC 3339": {
			status("PUBLISHED"), list(listed("180", " Hello\n", "2026-03-01T09:00:05Z")), 0, platform.EvidenceFound, "180", "",
		},
		"published, nearest": {
			status("PUBLISHED"), list(listed("181", "Hello", "2026-03-01T09:30:00+0000"), listed("180", "Hello", at)), 0,
			platform.EvidenceFound, "180", "",
		},
		"published, another is taken": {
			status("PUBLISHED"), list(listed("999", "Hello", at), listed("180", "Hello", at)), 0, platform.EvidenceFound,
			"180", "",
		},
		"published, not listed yet": {
			status("PUBLISHED"), list(listed("181", "Other", at)), 0, platform.EvidenceUnclear, "", platform.ClassTransient,
		},
		"published, never listed": {status("PUBLISHED"), list(), 3 * time.Minute, platform.EvidenceFound, "", ""},
		"published, listing fails": {
			status("PUBLISHED"), platformtest.Response{Status: 500}, 0, platform.EvidenceUnclear, "", platform.ClassTransient,
		},
		"published, listing is no JSON": {
			status("PUBLISHED"), ok("<html>"), 0, platform.EvidenceUnclear, "", platform.ClassTransient,
		},
		"finished":    {status("FINISHED"), list(), 0, platform.EvidenceAbsent, "", ""},
		"expired":     {status("EXPIRED"), list(), 0, platform.EvidenceAbsent, "", ""},
		"error":       {status("ERROR"), list(), 0, platform.EvidenceAbsent, "", ""},
		"in progress": {status("IN_PROGRESS"), list(), 0, platform.EvidenceUnclear, "", ""},
		"gone":        {graph(400, 100, 33, "gone"), list(), 0, platform.EvidenceUnclear, "", ""},
		"unavailable": {
			platformtest.Response{Status: 503}, list(), 0, platform.EvidenceUnclear, "", platform.ClassTransient,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{statusCall: {test.status}, listCall: {test.list}})
			b.clock.Advance(test.later)
			evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{
				Handle: "171", Text: "Hello", At: now(), Taken: func(id string) bool { return id == "999" },
			})
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.id, publication.ExternalID)
			if test.class != "" {
				require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
				return
			}
			require.NoError(t, err)
			if test.id != "" {
				require.Equal(t, "https://www.threads.com/@acme/post/"+test.id, publication.URL)
				require.Equal(t, "1772355480", b.script.Requests()[1].Query.Get("since"))
			}
		})
	}
}

func TestReconcileWithoutContainerIsUnclear(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Handle: "{}"})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence)
	b.account.ExternalID = ""
	_, _, err = b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Handle: "171"})
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

func TestRefresh(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		want     channel.Credentials
		class    platform.Class
	}{
		"fresh": {
			ok(`{"access_token":"token-2","token_type":"bearer","expires_in":3600}`),
			channel.Credentials{AccessToken: "token-2", IssuedAt: now(), ExpiresAt: now().Add(time.Hour)},
			"",
		},
		"no life": {
			ok(`{"access_token":"token-2"}`),
			channel.Credentials{AccessToken: "token-2", IssuedAt: now(), ExpiresAt: now().Add(60 * 24 * time.Hour)},
			"",
		},
		"dead":        {graph(400, 190, 463, "expired"), channel.Credentials{}, platform.ClassReconnect},
		"too young":   {graph(400, 100, 0, "must be 24 hours old"), channel.Credentials{}, platform.ClassReconnect},
		"limited":     {graph(400, 4, 0, "limit"), channel.Credentials{}, platform.ClassRateLimited},
		"unavailable": {platformtest.Response{Status: 503}, channel.Credentials{}, platform.ClassTransient},
		"no token":    {ok(`{}`), channel.Credentials{}, platform.ClassTransient},
		"a page":      {ok(`<html>token/1 token%2F1</html>`), channel.Credentials{}, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{refreshCall: {test.response}})
			fresh, err := b.connector.Refresh(t.Context(), b.account)
			require.Equal(t, test.want, fresh)
			require.Equal(t, "th_refresh_token", b.script.Requests()[0].Query.Get("grant_type"))
			require.Equal(t, "token/1", b.script.Requests()[0].Query.Get("access_token"))
			if test.class == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
			require.NotContains(t, err.Error(), "token/1")
			require.NotContains(t, err.Error(), "token%2F1")
		})
	}

	b := setup(t, nil)
	b.account.Credentials = channel.Credentials{}
	_, err := b.connector.Refresh(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}
