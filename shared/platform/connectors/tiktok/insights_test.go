package tiktok_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	userCall   = "GET /v2/user/info/"
	videosCall = "POST /v2/video/query/"
	listCall   = "GET /open_api/v1.3/business/video/list/"
)

func today() analytics.Date { return analytics.DateOf(now()) }

// teller returns the link as an Insighter.
func (b *bundle) teller(t *testing.T) platform.Insighter {
	t.Helper()
	insighter, ok := b.link.(platform.Insighter)
	require.True(t, ok)
	return insighter
}

func said(data string) platformtest.Response {
	return ok(`{"data":` + data + `,"error":{"code":"ok","message":"","log_id":"1"}}`)
}

func TestPersonalInsights(t *testing.T) {
	t.Parallel()
	b := personal(t, map[string][]platformtest.Response{
		userCall: {said(`{"user":{"follower_count":1234}}`)},
		videosCall: {
			said(
				`{"videos":[{"id":"7001","view_count":100,"like_count":9,"comment_count":0,"share_count":2},{"id":"7002","view_count":"x"},
				{"id":"1","view_count":5},{"id":7003},null]}`),
			said(`{"videos":[]}`),
		},
	})
	days, err := b.teller(t).AccountInsights(t.Context(), b.account, today().Add(-30), today())
	require.NoError(t, err)
	require.Equal(t, []string{"2026-03-01 Followers=1234"}, platformtest.Days(days))
	ids := []string{"7001", "7002", "x"}
	for i := range 19 {
		ids = append(ids, strconv.Itoa(8000+i))
	}
	found, err := b.teller(t).PostInsights(t.Context(), b.account, ids)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"7001": "Comments=0 Impressions=100 Likes=9 Shares=2 VideoViews=100"},
		platformtest.Posts(found))

	requests := b.script.Requests()
	require.Len(t, requests, 3)
	require.Equal(t, "follower_count", requests[0].Query.Get("fields"))
	require.Equal(t, "id,view_count,like_count,comment_count,share_count", requests[1].Query.Get("fields"))
	require.Equal(t, 20, strings.Count(requests[1].Body, ",")+1)
	require.JSONEq(t, `{"filters":{"video_ids":["8018"]}}`, requests[2].Body)
	require.Equal(t, "Bearer access/1", requests[2].Header.Get("Authorization"))
}

// TestPostHasNoIDBeforeReview checks that the id of a call is not taken for that of a post.
func TestPostHasNoIDBeforeReview(t *testing.T) {
	t.Parallel()
	for _, b := range []*bundle{personal(t, nil), business(t, nil)} {
		namer, ok := b.link.(platform.Namer)
		require.True(t, ok)
		require.True(t, namer.Unnamed("v_pub_url~v2-1.7004"))
		require.True(t, namer.Unnamed(""))
		require.False(t, namer.Unnamed("7004"))
	}
}

func TestBusinessInsights(t *testing.T) {
	t.Parallel()
	b := business(t, map[string][]platformtest.Response{profileCall: {done(`{"followers_count":1300,"metrics":[
		{"date":"2026-02-27","daily_total_followers":1200,"video_views":100,"unique_video_views":80,"profile_views":7,"bio_link_clicks":2,"likes":5,"comments":1,"shares":0},
		{"date":"2026-02-28","daily_total_followers":null,"video_views":"50","likes":"many"},{"date":20260227,"video_views":1},{"date":"2025-12-01","video_views":1}]}`)}})
	days, err := b.teller(t).AccountInsights(t.Context(), b.account, today().Add(-89), today())
	require.NoError(t, err)
	require.Equal(t, []string{
		"2026-02-27 Engagements=6 Followers=1200 Impressions=100 ProfileViews=7 Reach=80 WebsiteClicks=2",
		"2026-02-28 Impressions=50", "2026-03-01 Followers=1300",
	}, platformtest.Days(days)[:3])
	request := b.script.Requests()[0]
	require.Equal(t, "2026-01-01", request.Query.Get("start_date"), "sixty days")
	require.Equal(t, "2026-03-01", request.Query.Get("end_date"))
	require.Contains(t, request.Query.Get("fields"), `"daily_total_followers"`)
	require.Equal(t, "_000abc", request.Query.Get("business_id"))
	require.Equal(t, "access/1", request.Header.Get("Access-Token"))

	old, err := b.teller(t).AccountInsights(t.Context(), b.account, today().Add(-300), today().Add(-60))
	require.NoError(t, err)
	require.Empty(t, old)
	require.Len(t, b.script.Requests(), 1, "no request for figures that TikTok has deleted")
}

func TestBusinessPosts(t *testing.T) {
	t.Parallel()
	b := business(t, map[string][]platformtest.Response{listCall: {
		done(
			`{"videos":[{"item_id":"7001","video_views":100,"reach":80,"likes":9,"comments":8,"shares":7,"favorites":6,"website_clicks":5}],"has_more":true,"cursor":1665}`),
		done(`{"videos":[{"item_id":"7002","likes":1},{"item_id":"1","likes":1}],"has_more":true,"cursor":1665}`),
		done(`{"videos":[],"has_more":"odd","cursor":[]}`),
	}})
	found, err := b.teller(t).PostInsights(t.Context(), b.account, []string{"7001", "7002", "../x"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"7001": "Clicks=5 Comments=8 Impressions=100 Likes=9 Reach=80 Saves=6 Shares=7 VideoViews=100", "7002": "Likes=1",
	}, platformtest.Posts(found))
	requests := b.script.Requests()
	require.Len(t, requests, 2, "a cursor that leads nowhere is not followed")
	require.JSONEq(t, `{"video_ids":["7001","7002"]}`, requests[0].Query.Get("filters"))
	require.False(t, requests[0].Query.Has("cursor"))
	require.Equal(t, "1665", requests[1].Query.Get("cursor"))
}

func TestInsightsFailures(t *testing.T) {
	t.Parallel()
	word := func(status int, code string) platformtest.Response {
		return platformtest.Response{Status: status, Body: `{"data":{},"error":{"code":"` + code + `","message":"m"}}`}
	}
	type failing struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}
	for name, test := range map[string]struct{ personal, business failing }{
		"expired": {
			failing{word(401, "access_token_invalid"), platform.ClassRefresh, "TOKEN_EXPIRED"},
			failing{businessRefusal(40105, "Access token is incorrect"), platform.ClassRefresh, "TOKEN_EXPIRED"},
		},
		"no scope": {
			failing{word(401, "scope_not_authorized"), platform.ClassUser, platform.CodeInsightsNotGranted},
			failing{businessRefusal(40001, "No permission"), platform.ClassUser, platform.CodeInsightsNotGranted},
		},
		"limited": {
			failing{word(429, "rate_limit_exceeded"), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED"},
			failing{businessRefusal(40100, "Too many requests"), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED"},
		},
		"refused": {
			failing{word(400, "invalid_params"), platform.ClassRejected, platform.CodeInsightsRefused},
			failing{businessRefusal(40002, "fields"), platform.ClassRejected, platform.CodeInsightsRefused},
		},
		"app": {
			failing{
				word(403, "unaudited_client_can_only_post_to_private_accounts"), platform.ClassOperator, "APP_ACCESS_MISSING",
			},
			failing{businessRefusal(40101, "app"), platform.ClassOperator, "APP_ACCESS_MISSING"},
		},
		"down": {
			failing{word(500, "internal_error"), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
			failing{businessRefusal(50000, "internal"), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		},
		"other shape": {
			failing{said(`{"user":7,"videos":{}}`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
			failing{done(`[]`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		},
		"nothing": {
			failing{said(`{}`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
			failing{done(`{}`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		},
		"a page": {
			failing{
				platformtest.Response{Status: http.StatusForbidden, Body: "<html>"},
				platform.ClassTransient,
				"PLATFORM_UNAVAILABLE",
			},
			failing{
				platformtest.Response{Status: http.StatusBadGateway, Body: "<html>"},
				platform.ClassTransient,
				"PLATFORM_UNAVAILABLE",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for b, want := range map[*bundle]failing{
				personal(t, map[string][]platformtest.Response{
					userCall: {test.personal.response}, videosCall: {test.personal.response},
				}): test.personal,
				business(t, map[string][]platformtest.Response{
					profileCall: {test.business.response}, listCall: {test.business.response},
				}): test.business,
			} {
				_, onAccount := b.teller(t).AccountInsights(t.Context(), b.account, today(), today())
				_, onPosts := b.teller(t).PostInsights(t.Context(), b.account, []string{"7001"})
				for _, err := range []error{onAccount, onPosts} {
					failure := platformtest.Failure(t, err)
					require.Equal(t, want.class, failure.Class, "%v", err)
					require.Equal(t, want.code, failure.Code)
					require.NotContains(t, failure.Message, "publish")
					requireSafe(t, err)
				}
			}
		})
	}
}
