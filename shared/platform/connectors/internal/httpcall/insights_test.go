package httpcall_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/platformtest"
)

func newInsightsClient(t *testing.T, address string) *httpcall.Client {
	t.Helper()
	client, err := httpcall.New(httpcall.Config{
		Network: channel.NetworkX, Name: "Example", BaseURL: address, Clock: clock.System(),
	})
	require.NoError(t, err)
	return client
}

// TestFailuresOfFigures checks that failures about posts become failures about figures, and that a missing permission
// does not end the connection.
func TestFailuresOfFigures(t *testing.T) {
	t.Parallel()
	client, cause, until := newInsightsClient(t, "https://network.test"), errors.New("cause"), time.Now().Add(time.Hour)
	for name, test := range map[string]struct {
		status int
		given  *platform.Failure
		class  platform.Class
		code   string
	}{
		"rate limit": {429, client.RateLimited(until, cause), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED"},
		"rejected": {
			400, client.Fail(platform.ClassRejected, "CONTENT_REFUSED", cause, "m"), platform.ClassRejected,
			platform.CodeInsightsRefused,
		},
		"forbidden": {
			403, client.Fail(platform.ClassRejected, "CONTENT_REFUSED", cause, "m"), platform.ClassUser,
			platform.CodeInsightsNotGranted,
		},
		"forbidden reconnect": {403, client.Reconnect(cause), platform.ClassUser, platform.CodeInsightsNotGranted},
		"gone":                {404, client.Reconnect(cause), platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT"},
		"expired":             {401, client.Refresh(cause), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"unknown":             {200, client.OutcomeUnknown(cause), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"unavailable":         {503, client.Unavailable(cause), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"restricted": {
			400, client.Fail(platform.ClassUser, "ACCOUNT_RESTRICTED", cause, "m"), platform.ClassUser, "ACCOUNT_RESTRICTED",
		},
		"operator": {402, client.Fail(platform.ClassOperator, "CAP", cause, "m"), platform.ClassOperator, "CAP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := client.InsightsFailure(httpcall.Response{Status: test.status}, test.given)
			require.Equal(t, test.class, got.Class)
			require.Equal(t, test.code, got.Code)
			require.NotContains(t, got.Message, "publish")
			require.NotEmpty(t, got.Message)
			require.ErrorIs(t, got, cause)
			if test.class == platform.ClassRateLimited {
				require.Equal(t, until, got.Until)
			}
		})
	}
}

// TestQuerySuffixIsNotEscaped checks the escaping. Rest.li requires unescaped structures and escaped keys.
func TestQuerySuffixIsNotEscaped(t *testing.T) {
	t.Parallel()
	var uri string
	server := platformtest.NewScript(t, map[string][]platformtest.Response{})
	client := newInsightsClient(t, server.URL)
	for tail, want := range map[string]string{
		"":                           "/rest/urn%3Ali%3Ax%3A1?q=a%3Ab",
		"list=List(a%3Ab,c)&x=(y:1)": "/rest/urn%3Ali%3Ax%3A1?q=a%3Ab",
	} {
		response, err := client.Call(t.Context(), httpcall.Request{
			Operation: "insights", Path: []string{"rest", "urn:li:x:1"}, PathKeys: true,
			Query: map[string][]string{"q": {"a:b"}}, QueryTail: tail,
		})
		require.NoError(t, err)
		require.Equal(t, http.StatusNotFound, response.Status)
		last := server.Requests()[len(server.Requests())-1]
		uri = last.Path + "?" + last.RawQuery
		if tail != "" {
			want += "&" + tail
		}
		require.Equal(t, want, uri)
	}
	for _, tail := range []string{"a=b c", "a=\"", "a=#x", "a=\r\nX: 1", "a=<b>", "a=é", "a=/../x?"} {
		_, err := client.Call(t.Context(), httpcall.Request{Operation: "insights", Path: []string{"a"}, QueryTail: tail})
		require.Equal(t, httpcall.CodeRequestInvalid, platformtest.Failure(t, err).Code, "%q", tail)
	}
	require.Len(t, server.Requests(), 2, "the others were not sent")
}
