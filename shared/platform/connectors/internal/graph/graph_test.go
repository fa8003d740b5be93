package graph_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

func TestErrorOf(t *testing.T) {
	t.Parallel()

	body := `{"error":{"message":"(#100) No object","type":"OAuthException","code":100,"error_subcode":33,
		"error_user_title":"Title","error_user_msg":"API__LIMIT reached","is_transient":true}}`
	e := graph.ErrorOf(httpcall.Response{Body: []byte(body)})
	require.Equal(t, graph.Error{
		Message: "(#100) No object", Type: "OAuthException", Code: 100, Subcode: 33,
		UserTitle: "Title", UserMessage: "API__LIMIT reached", Transient: true,
	}, e)
	require.True(t, e.Missing())
	require.True(t, e.Is(7, 100))
	require.True(t, e.Is(33))
	require.False(t, e.Is(7))
	require.False(t, e.Is())
	require.True(t, e.Says("API__LIMIT"))
	require.True(t, e.Says("NO OBJECT"))
	require.False(t, e.Says("SOMETHING"))
	require.False(t, graph.Error{Code: 10, Subcode: 33}.Missing())

	for _, body := range []string{"", "<html>", "[]", "{}", `{"error":"no"}`, `{"error":{"code":"100"}}`} {
		require.Zero(t, graph.ErrorOf(httpcall.Response{Body: []byte(body)}), body)
	}
}

func TestMeaning(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		status, code, subcode int
		transient             bool
		want                  graph.Meaning
	}{
		{status: 302, want: graph.NoRefusal},
		{status: 408, code: 100, want: graph.NoRefusal},
		{status: 500, code: 190, want: graph.NoRefusal},
		{status: 503, code: 2, want: graph.NoRefusal},
		{status: 400, want: graph.Passing},
		{status: 403, want: graph.Passing},
		{status: 400, code: 1, want: graph.Passing},
		{status: 400, code: 2, want: graph.Passing},
		{status: 400, code: 100, transient: true, want: graph.Passing},
		{status: 400, code: 190, subcode: 458, want: graph.Revoked},
		{status: 401, code: 190, subcode: 460, want: graph.Revoked},
		{status: 400, code: 190, subcode: 459, want: graph.Checkpoint},
		{status: 401, code: 190, subcode: 464, want: graph.Checkpoint},
		{status: 400, code: 368, want: graph.Blocked},
		{status: 401, code: 190, subcode: 463, want: graph.Expired},
		{status: 400, code: 102, want: graph.Expired},
		{status: 401, want: graph.Expired},
		{status: 403, code: 10, want: graph.Forbidden},
		{status: 403, code: 200, want: graph.Forbidden},
		{status: 400, code: 299, want: graph.Forbidden},
		{status: 403, code: 9, transient: true, want: graph.Quota},
		{status: 400, code: 4, transient: true, want: graph.Limited},
		{status: 400, code: 17, want: graph.Limited},
		{status: 400, code: 32, want: graph.Limited},
		{status: 400, code: 613, want: graph.Limited},
		{status: 400, code: 80001, transient: true, want: graph.Limited},
		{status: 400, code: 80002, want: graph.Limited},
		{status: 429, want: graph.Limited},
		{status: 400, code: 100, want: graph.Specific},
		{status: 400, code: 300, want: graph.Specific},
	} {
		e := graph.Error{Code: test.code, Subcode: test.subcode, Transient: test.transient}
		require.Equal(t, test.want, e.Meaning(test.status), "%+v", test)
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()

	client, err := httpcall.New(httpcall.Config{
		Network: channel.NetworkFacebook, Name: "Facebook", BaseURL: "https://example.com", Clock: clocktest.New(now()),
	})
	require.NoError(t, err)
	const usage = "X-Business-Use-Case-Usage"
	for name, test := range map[string]struct {
		header http.Header
		want   time.Time
	}{
		"nothing": {http.Header{}, time.Time{}},
		"Retry-After": {
			http.Header{"Retry-After": {"90"}, usage: {`{"1":[{"estimated_time_to_regain_access":7}]}`}},
			now().Add(90 * time.Second),
		},
		"the longest": {
			http.Header{usage: {`{"1":[{"estimated_time_to_regain_access":7},{"estimated_time_to_regain_access":9}],"2":[]}`}},
			now().Add(9 * time.Minute),
		},
		"not yet hit": {http.Header{usage: {`{"1":[{"estimated_time_to_regain_access":0}]}`}}, time.Time{}},
		"no JSON":     {http.Header{usage: {`soon`}}, time.Time{}},
	} {
		require.Equal(t, test.want, graph.Until(client, canonical(test.header)), name)
	}
}

func canonical(header http.Header) http.Header {
	out := http.Header{}
	for name, values := range header {
		out[http.CanonicalHeaderKey(name)] = values
	}
	return out
}

func TestParseTime(t *testing.T) {
	t.Parallel()

	for _, text := range []string{"2026-03-01T09:00:00+0000", "2026-03-01T09:00:00Z", "2026-03-01T10:00:00+01:00"} {
		at, err := graph.ParseTime(text)
		require.NoError(t, err)
		require.True(t, now().Equal(at), text)
	}
	_, err := graph.ParseTime("yesterday")
	require.Error(t, err)
}
