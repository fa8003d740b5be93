package httpapi_test

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

func figure(v int64) *int64 { return &v }

// today returns the current day in the zone of the tenants' workspaces.
func today() analytics.Date { return analytics.DateOf(time.Now().In(analytics.Zone("Europe/Berlin"))) }

func (b *bundle) day(t testing.TB, id ident.Channel, date analytics.Date, f analytics.ChannelFigures) {
	t.Helper()
	day := analytics.ChannelDay{Date: date, ChannelFigures: f, CollectedAt: time.Now()}
	require.NoError(t, postgres.NewInsights(b.db).SaveChannel(t.Context(), id, []analytics.ChannelDay{day}, date))
}

// live creates a post of ours that was published the given number of days ago.
func (b *bundle) live(t testing.TB, ago int) ident.Post {
	t.Helper()
	id, err := ident.Parse[ident.Post](b.draft(t, b.ours))
	require.NoError(t, err)
	postgrestest.Exec(t, b.database,
		`UPDATE post SET status = 'PUBLISHED', published_at = now() - CAST($2 AS integer) * interval '1 day' WHERE id = $1`,
		id.String(), ago)
	return id
}

func (b *bundle) reading(t testing.TB, id ident.Post, date analytics.Date, f analytics.PostFigures) {
	t.Helper()
	readings := map[ident.Post]analytics.PostDay{id: {Date: date, PostFigures: f, CollectedAt: time.Now()}}
	require.NoError(t, postgres.NewInsights(b.db).SavePosts(t.Context(), b.ours.channel, readings))
}

func TestAnalyticsOfChannel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/analytics/channels/" + b.ours.channel.String()
	b.day(t, b.ours.channel, today().Add(-30), analytics.ChannelFigures{Followers: figure(1)}) // one day too old
	b.day(t, b.ours.channel, today().Add(-29), analytics.ChannelFigures{
		Followers: figure(0), Impressions: figure(3), Engagements: figure(1),
	})
	b.day(t, b.ours.channel, today(), analytics.ChannelFigures{
		Reach: figure(8), ProfileViews: figure(2), WebsiteClicks: figure(1),
	})
	read := b.get(t, path)
	require.Equal(t, http.StatusOK, read.status, read.body)
	require.JSONEq(t, fmt.Sprintf(`{"channelId": %q, "data": [
		{"date": %q, "followers": 0, "engagementRate": 0.333333, "impressions": 3, "reach": null, "profileViews": null, "websiteClicks": null},
		{"date": %q, "followers": null, "engagementRate": null, "impressions": null, "reach": 8, "profileViews": 2, "websiteClicks": 1}
	]}`, b.ours.channel, today().Add(-29), today()), read.body)
	older := b.get(t, path+"?from="+today().Add(-30).String()+"&to="+today().Add(-30).String())
	require.Contains(t, older.body, `"followers":1`)

	group := b.channel(t, b.ours.id, channel.FacebookGroup, true)
	none := b.get(t, "/v1/analytics/channels/"+group.String())
	require.Equal(t, http.StatusOK, none.status, "the network reports no figures, so there are no days")
	require.JSONEq(t, fmt.Sprintf(`{"channelId": %q, "data": []}`, group), none.body)
}

func TestAnalyticsOfPost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.live(t, 80)
	path := "/v1/analytics/posts/" + id.String()
	none := b.get(t, path)
	require.Equal(t, http.StatusOK, none.status, none.body)
	require.JSONEq(t, fmt.Sprintf(`{"postId": %q, "data": [], "latest": null}`, id), none.body)

	b.reading(t, id, today().Add(-70), analytics.PostFigures{Likes: figure(4)})
	b.reading(t, id, today().Add(-1), analytics.PostFigures{Likes: figure(9), VideoViews: figure(0)})
	first := fmt.Sprintf(
		`{"date": %q, "impressions": null, "reach": null, "likes": 4, "comments": null, "shares": null, "saves": null, "clicks": null, "videoViews": null}`, today().Add(-70))
	second := fmt.Sprintf(
		`{"date": %q, "impressions": null, "reach": null, "likes": 9, "comments": null, "shares": null, "saves": null, "clicks": null, "videoViews": 0}`, today().Add(-1))
	require.JSONEq(t, fmt.Sprintf(`{"postId": %q, "data": [%s, %s], "latest": %s}`, id, first, second, second),
		b.get(t, path).body, "without a range: all there are")
	ranged := b.get(t, path+"?to="+today().Add(-60).String())
	require.JSONEq(t, fmt.Sprintf(`{"postId": %q, "data": [%s], "latest": %s}`, id, first, second), ranged.body)
	from, _ := reflect.TypeFor[httpapi.PostAnalyticsDays]().FieldByName("From")
	require.Contains(t, from.Tag.Get("doc"), "Without from and to, all snapshots are returned.")
}

func TestAnalyticsOfWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.day(t, b.ours.channel, today(), analytics.ChannelFigures{
		Followers: figure(10), Impressions: figure(990), Engagements: figure(0),
	})
	tube := b.ours.channels[channel.YouTube]
	b.day(t, tube, today(), analytics.ChannelFigures{Followers: figure(5), Reach: figure(10), Engagements: figure(10)})
	b.day(t, b.theirs.channel, today(), analytics.ChannelFigures{Followers: figure(1_000_000)})
	fresh, older := b.live(t, 2), b.live(t, 60)
	b.reading(t, fresh, today(), analytics.PostFigures{Likes: figure(7), Comments: figure(0)})
	b.reading(t, older, today().Add(-40), analytics.PostFigures{Likes: figure(100)})
	b.reading(t, older, today(), analytics.PostFigures{Likes: figure(101)})
	require.NoError(t, postgres.NewInsights(b.db).Stop(t.Context(), tube, 0, "The account does not allow it."))

	var got struct {
		From, To                       string
		TotalFollowers, PostsPublished *int64
		Likes, Comments, Shares        *int64
		AverageEngagementRate          *float64
		Channels                       []map[string]any
	}
	read := b.get(t, "/v1/analytics/workspace")
	require.Equal(t, http.StatusOK, read.status, read.body)
	read.into(t, &got)
	require.Equal(t, today().Add(-29).String(), got.From)
	require.Equal(t, today().String(), got.To)
	require.EqualValues(t, 15, *got.TotalFollowers)
	require.InDelta(t, 0.01, *got.AverageEngagementRate, 1e-9, "weighted by how much was seen")
	require.EqualValues(t, 1, *got.PostsPublished)
	require.EqualValues(t, 8, *got.Likes)
	require.Zero(t, *got.Comments)
	require.Nil(t, got.Shares, "no network reports shares")
	require.Len(t, got.Channels, 5)
	require.Equal(t, b.ours.channel.String(), got.Channels[0]["channelId"])
	for _, c := range got.Channels {
		require.Equal(t, c["channelId"] == tube.String(), c["problem"] != nil)
	}
	empty := b.do(t, request{
		method: http.MethodGet, path: "/v1/analytics/workspace?from=2020-01-01&to=2020-01-31", key: b.ours.key,
	})
	require.Contains(t, empty.body, `"totalFollowers":null,"averageEngagementRate":null,"postsPublished":0,"likes":null`)
}

// TestRangesOfAnalytics checks that every operation reports every fault, by the name of its parameter.
func TestRangesOfAnalytics(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.live(t, 1)
	for _, path := range []string{"workspace", "channels/" + b.ours.channel.String(), "posts/" + id.String()} {
		for query, want := range map[string][]string{
			"from=yesterday":                  {"from"},
			"from=2026-02-30&to=2026-3-1":     {"from", "to"},
			"from=2026-01-01T00:00:00Z":       {"from"},
			"from=2026-02-02&to=2026-02-01":   {"to"},
			"from=2025-01-01&to=2026-01-01":   {"from"},
			"from=" + today().Add(1).String(): {"from"},
			"to=0000-00-00":                   {"to"},
			"to=0001-01-01":                   {"to"},
			"to=0001-01-30":                   {"to"},
			"from=0001-01-01&to=0001-01-01":   {"from"},
		} {
			p := requireProblem(t, b.get(t, "/v1/analytics/"+path+"?"+query), http.StatusUnprocessableEntity,
				"VALIDATION_FAILED")
			require.Equal(t, want, pointers(t, p), "%s?%s", path, query)
		}
		for _, query := range []string{"", "to=0001-01-31", "from=9999-12-31&to=9999-12-31"} {
			require.Equal(t, http.StatusOK, b.get(t, "/v1/analytics/"+path+"?"+query).status, "%s?%s", path, query)
		}
	}
}
