package graph_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/platformtest"
)

// network reports the metrics it knows, and refuses a call that names another one.
type network struct {
	known     []string
	requested []string
	err       string // returned for every call, with status 400
}

func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.requested = append(n.requested, r.URL.Query().Get("metric"))
	if n.err != "" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(n.err))
		return
	}
	var metrics []string
	for name := range strings.SplitSeq(r.URL.Query().Get("metric"), ",") {
		if !strings.Contains(strings.Join(n.known, ",")+",", name+",") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"code":100,"message":"(#100) must be a valid insights metric"}}`))
			return
		}
		metrics = append(metrics, `{"name":"`+name+`","total_value":{"value":5}}`)
	}
	_, _ = w.Write([]byte(`{"data":[` + strings.Join(metrics, ",") + `]}`))
}

func reading(t *testing.T, n http.Handler) *graph.Insights {
	t.Helper()
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	client, err := httpcall.New(httpcall.Config{
		Network: channel.NetworkFacebook, Name: "Example", BaseURL: server.URL, Clock: clock.System(),
	})
	require.NoError(t, err)
	return &graph.Insights{
		Client: client, NoFigures: graph.Error.Missing,
		Class: func(response httpcall.Response) *platform.Failure {
			return client.Fail(platform.ClassRejected, "CONTENT_REFUSED", response.Cause("refused"), "m")
		},
		Get: func(ctx context.Context, query url.Values, path ...string) (httpcall.Response, error) {
			return client.Call(ctx, httpcall.Request{Operation: "insights", Path: path, Query: query})
		},
	}
}

// TestRemovedMetricIsSkipped checks that the call is split until the removed metric is found, and that this
// metric is not requested again.
func TestRemovedMetricIsSkipped(t *testing.T) {
	t.Parallel()
	n := &network{known: []string{"a", "b", "c", "e"}}
	i := reading(t, n)
	metrics, err := i.Read(t.Context(), url.Values{}, []string{"a", "b", "c", "d", "e"}, "42", "insights")
	require.NoError(t, err)
	for _, name := range n.known {
		require.Equal(t, int64(5), *metrics.Figure(name).Value(), name)
	}
	require.Nil(t, metrics.Figure("d").Value())
	require.Equal(t, []string{"a,b,c,d,e", "a,b", "c,d,e", "c", "d,e", "d", "e"}, n.requested)

	n.requested = nil
	_, err = i.Read(t.Context(), url.Values{}, []string{"c", "d"}, "42", "insights")
	require.NoError(t, err)
	none, err := i.Read(t.Context(), url.Values{}, []string{"d"}, "42", "insights")
	require.NoError(t, err)
	require.Empty(t, none)
	require.Equal(t, []string{"c"}, n.requested)
}

// TestRefusalOfEveryMetricIsFailure checks that a refusal of every metric is reported as a failure.
func TestRefusalOfEveryMetricIsFailure(t *testing.T) {
	t.Parallel()
	_, err := reading(t, &network{}).Read(t.Context(), url.Values{}, []string{"a", "b"}, "42", "insights")
	failure := platformtest.Failure(t, err)
	require.Equal(t, platform.ClassRejected, failure.Class)
	require.Equal(t, platform.CodeInsightsRefused, failure.Code)
}

// TestRefusedPostDoesNotAffectOthers checks that a refusal of every metric of a post affects only that post, and that a refusal
// of some metrics marks these as removed.
func TestRefusedPostDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	n := &network{}
	i := reading(t, n)
	_, known, err := i.ReadPost(t.Context(), []string{"a", "b"}, "180")
	require.NoError(t, err)
	require.False(t, known)
	n.known = []string{"a"}
	metrics, known, err := i.ReadPost(t.Context(), []string{"a", "b"}, "181")
	require.NoError(t, err)
	require.True(t, known)
	require.Len(t, metrics, 1)
	n.requested = nil
	_, known, err = i.ReadPost(t.Context(), []string{"a", "b"}, "182")
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, []string{"a"}, n.requested)
	n.err = `{"error":{"code":100,"message":"odd"}}`
	there, err := i.GetPost(t.Context(), "id", "183", &struct{}{})
	require.NoError(t, err)
	require.False(t, there)
}

func TestPostsWithoutFigures(t *testing.T) {
	t.Parallel()
	gone := &network{err: `{"error":{"code":100,"error_subcode":33,"message":"does not exist"}}`}
	_, known, err := reading(t, gone).ReadPost(t.Context(), []string{"a", "b"}, "180")
	require.NoError(t, err)
	require.False(t, known)
	require.Len(t, gone.requested, 1)
	there, err := reading(t, gone).GetPost(t.Context(), "id", "180", &struct{}{})
	require.NoError(t, err)
	require.False(t, there)
	_, err = reading(t, gone).Read(t.Context(), url.Values{}, []string{"a"}, "42", "insights")
	require.Equal(t, platform.ClassRejected, platformtest.Failure(t, err).Class, "an account that is gone is a failure")
}

// TestMissingPermissionIsNotTokenError checks that Meta's permission errors are distinguished from its token errors.
func TestMissingPermissionIsNotTokenError(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"10", "200", "230", "299"} {
		n := &network{err: `{"error":{"code":` + code + `,"message":"permission"}}`}
		_, err := reading(t, n).Read(t.Context(), url.Values{}, []string{"a", "b"}, "42", "insights")
		require.Equal(t, platform.CodeInsightsNotGranted, platformtest.Failure(t, err).Code, code)
		require.Len(t, n.requested, 1)
	}
}

func TestMetricForms(t *testing.T) {
	t.Parallel()
	script := platformtest.NewScript(t, map[string][]platformtest.Response{"GET /42/insights": {{Body: `{"data":[
		{"name":"total","total_value":{"value":7}},
		{"name":"zero","total_value":{"value":0},"values":[{"value":9}]},
		{"name":"odd total","total_value":"many","values":[{"value":9}]},
		{"name":"links","link_total_values":[{"value":3,"link_url":"https://a.example"},{"value":4},{"value":"x"}]},
		{"name":"single","values":[{"value":12}]},
		{"name":"kinds","values":[{"value":{"like":3,"love":2,"odd":"x"}}]},
		{"name":"no kinds","values":[{"value":{}}]},
		{"name":"series","values":[{"value":1,"end_time":"2026-03-02T08:00:00+0000"},{"value":2,"end_time":"2026-07-02T07:00:00+0000"},
			{"value":3,"end_time":"2026-07-04T08:00:00+0000"},{"value":4,"end_time":"soon"},{"value":-5,"end_time":"2026-07-05T07:00:00+0000"},7]},
		{"name":"empty","values":[]}, {"name":8}, null, 9]}`}}})
	i := reading(t, script)
	metrics, err := i.Read(t.Context(), url.Values{}, []string{"total"}, "42", "insights")
	require.NoError(t, err)
	for name, want := range map[string]int64{"total": 7, "zero": 0, "odd total": 9, "links": 7, "single": 12, "kinds": 5} {
		require.NotNil(t, metrics.Figure(name).Value(), name)
		require.Equal(t, want, *metrics.Figure(name).Value(), name)
	}
	for _, name := range []string{"no kinds", "series", "empty", "never asked"} {
		require.Nil(t, metrics.Figure(name).Value(), name)
	}
	days := make(map[string]*int64)
	for date, figure := range metrics.Days("series") {
		days[date.String()] = figure.Value()
	}
	one, two, three := int64(1), int64(2), int64(3)
	require.Equal(t, map[string]*int64{"2026-03-01": &one, "2026-07-01": &two, "2026-07-03": &three, "2026-07-04": nil},
		days)
}

func TestBetweenUsesPacificMidnight(t *testing.T) {
	t.Parallel()
	// The clocks go forward on the 8th.
	since, until := platformtest.Date(t, "2026-03-07"), platformtest.Date(t, "2026-03-08")
	query := graph.Between(since, until, time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC))
	require.Equal(t, "1772870400", query.Get("since"), "2026-03-07T08:00:00Z")
	require.Equal(t, "1773039600", query.Get("until"), "2026-03-09T07:00:00Z")
	early := graph.Between(since, until, time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC))
	require.Equal(t, "1772971200", early.Get("until"), "nothing of the future is asked for")
}

// TestToday checks the day in California, which starts hours after the day in UTC.
func TestToday(t *testing.T) {
	t.Parallel()
	for at, want := range map[time.Time]string{
		time.Date(2026, 1, 2, 7, 59, 0, 0, time.UTC): "2026-01-01",
		time.Date(2026, 1, 2, 8, 0, 0, 0, time.UTC):  "2026-01-01",
		time.Date(2026, 1, 2, 8, 1, 0, 0, time.UTC):  "2026-01-02",
		time.Date(2026, 7, 2, 7, 1, 0, 0, time.UTC):  "2026-07-02",
	} {
		today := graph.Today(at)
		require.Equal(t, want, today.String())
		query := graph.Between(today, today, at)
		require.Less(t, query.Get("since"), query.Get("until"))
	}
}
