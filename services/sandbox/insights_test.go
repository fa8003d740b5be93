package main

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/facebook"
	"fencepost.internal/shared/platform/connectors/googlebusiness"
	"fencepost.internal/shared/platform/connectors/instagram"
	"fencepost.internal/shared/platform/connectors/linkedin"
	"fencepost.internal/shared/platform/connectors/telegram"
	"fencepost.internal/shared/platform/connectors/threads"
	"fencepost.internal/shared/platform/connectors/x"
	"fencepost.internal/shared/platform/connectors/youtube"
	"fencepost.internal/shared/platform/platformtest"
)

// world runs a sandbox whose time the test controls.
func world(t *testing.T) platformtest.InsightsWorld {
	t.Helper()
	clk := clocktest.New(time.Date(2026, 3, 18, 15, 30, 0, 0, time.UTC))
	sandbox, err := New(context.WithoutCancel(t.Context()), Config{
		Folder: t.TempDir(), Clock: clk, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	require.NoError(t, err)
	server := httptest.NewServer(sandbox.Handler)
	t.Cleanup(func() {
		sandbox.Release()
		server.Close()
		require.NoError(t, sandbox.Close())
	})
	return platformtest.InsightsWorld{
		Sandbox: platformtest.Sandbox{URL: server.URL}, Clock: clk,
		Publish: func(t *testing.T, account platform.Account) string {
			t.Helper()
			return publishTo(t, sandbox.Ledger, account)
		},
	}
}

// publishTo adds a video post to the account, even on networks to which the service cannot publish.
func publishTo(t *testing.T, posts *ledger.Ledger, account platform.Account) string {
	t.Helper()
	name := ident.New[ident.Post]().String()
	draft := ledger.Draft{
		Platform: string(account.Type.Network()), Account: account.ExternalID, Author: account.Username,
		Text: "Video " + name, RequestID: "test",
		Media: []ledger.Media{{ID: "13_" + name, Type: string(media.Video)}},
	}
	switch account.Type { //nolint:exhaustive // for the others the origin of a post has no effect
	case channel.Bluesky:
		draft.ID = blueskyKey(name)
		draft.Origin = "at://" + account.ExternalID + "/app.bsky.feed.post/" + draft.ID
	case channel.LinkedInPage:
		draft.Origin = "urn:li:organization:" + account.ExternalID
	case channel.LinkedInProfile:
		draft.Origin = "urn:li:person:" + account.ExternalID
	}
	post, err := posts.Publish(draft)
	require.NoError(t, err)
	return post.ID
}

// blueskyKey returns the key of a post, which the client chooses.
func blueskyKey(name string) string {
	key := strings.NewReplacer("-", "", "0", "g", "1", "h", "8", "i", "9", "j").Replace(name)
	return "3" + key[len(key)-12:]
}

func runInsights(t *testing.T, h platformtest.InsightsHarness, kind channel.Type) {
	t.Helper()
	h.Open = world
	require.Equal(t, kind.Network(), h.Network)
	h.Account = func(name string) platform.Account { return reader(kind, name) }
	platformtest.RunInsights(t, h)
}

// allOfADay returns the fields of a day on a network that reports every metric.
func allOfADay() []string {
	return []string{"Followers", "Impressions", "Reach", "Engagements", "ProfileViews", "WebsiteClicks"}
}

func TestXInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkX, Prefix: "/x", Unknown: "1234567890123456789", Refreshes: true, History: 1,
		Link: func(t *testing.T, config connectors.Config) platform.Link {
			t.Helper()
			link, err := x.New(x.Config{Wire: config, ClientID: "client", ClientSecret: "secret"})
			require.NoError(t, err)
			return link
		},
		Day:  []string{"Followers"},
		Post: []string{"Impressions", "Likes", "Comments", "Shares", "Saves", "Clicks", "VideoViews"},
	}, channel.Twitter)
}

func TestThreadsInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkThreads, Prefix: "/threads", Unknown: "180123456789012345", Renews: true, History: 90,
		Link: func(t *testing.T, config connectors.Config) platform.Link {
			t.Helper()
			link, err := threads.New(threads.Config{Wire: config})
			require.NoError(t, err)
			return link
		},
		Day:  []string{"Followers", "Impressions", "Engagements", "ProfileViews", "WebsiteClicks"},
		Post: []string{"Impressions", "Likes", "Comments", "Shares"},
	}, channel.Threads)
}

func TestInstagramInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkInstagram, Prefix: "/instagram", Unknown: "180123456789012345", Renews: true, History: 90,
		Link: func(t *testing.T, config connectors.Config) platform.Link {
			t.Helper()
			link, err := instagram.New(instagram.Config{Wire: config})
			require.NoError(t, err)
			return link
		},
		Day:  []string{"Followers", "Impressions", "Reach", "Engagements", "WebsiteClicks"},
		Post: []string{"Impressions", "Reach", "Likes", "Comments", "Shares", "Saves", "VideoViews"},
	}, channel.InstagramProfessional)
}

func TestFacebookInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkFacebook, Prefix: "/facebook", Unknown: "acme_180123456789012345", History: 90,
		Link: func(t *testing.T, config connectors.Config) platform.Link {
			t.Helper()
			link, err := facebook.New(facebook.Config{Wire: config})
			require.NoError(t, err)
			return link
		},
		Day:  allOfADay(),
		Post: []string{"Impressions", "Reach", "Likes", "Comments", "Shares", "Clicks"},
	}, channel.FacebookPage)
}

func TestTelegramInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkTelegram, Prefix: "/telegram", Unknown: "1234", History: 1,
		Link: func(t *testing.T, config connectors.Config) platform.Link {
			t.Helper()
			link, err := telegram.New(telegram.Config{Wire: config})
			require.NoError(t, err)
			return link
		},
		Day: []string{"Followers"},
	}, channel.TelegramChannel)
}

func TestLinkedInInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkLinkedIn, Prefix: "/linkedin", Unknown: "urn:li:share:1234567890123456789", Refreshes: true,
		History: 90,
		Link: func(t *testing.T, config connectors.Config) platform.Link {
			t.Helper()
			link, err := linkedin.NewPage(linkedin.Config{
				Wire: config, Version: "202603", ClientID: "client", ClientSecret: "secret",
			})
			require.NoError(t, err)
			return link
		},
		Day: allOfADay(), Post: []string{"Impressions", "Reach", "Likes", "Comments", "Shares", "Clicks"},
	}, channel.LinkedInPage)
}

func TestGoogleBusinessInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkGoogleBusiness, Prefix: "/googlebusiness", Unknown: "1234", Refreshes: true, History: 87,
		Link: func(t *testing.T, config connectors.Config) platform.Link {
			t.Helper()
			link, err := googlebusiness.New(googlebusiness.Config{
				Wire: config, PerformanceURL: config.BaseURL + "/performance", TokenURL: config.BaseURL + "/token",
				ClientID: "client", ClientSecret: "secret",
			})
			require.NoError(t, err)
			return link
		},
		Day: []string{"Impressions", "Engagements", "WebsiteClicks"},
	}, channel.GoogleBusiness)
}

func TestYouTubeInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkYouTube, Prefix: "/youtube", Unknown: "dQw4w9WgXcQ", Refreshes: true, History: 89,
		Link: func(t *testing.T, config connectors.Config) platform.Link {
			t.Helper()
			link, err := youtube.New(youtube.Config{
				Wire: config, AnalyticsURL: config.BaseURL + "/analytics", TokenURL: config.BaseURL + "/token",
				ClientID: "client", ClientSecret: "secret",
			})
			require.NoError(t, err)
			return link
		},
		Day:  []string{"Followers", "Impressions", "Engagements"},
		Post: []string{"Impressions", "Likes", "Comments", "Shares", "VideoViews"},
	}, channel.YouTube)
}

func TestPinterestInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkPinterest, Prefix: "/pinterest", Unknown: "180123456789012345", Refreshes: true, History: 90,
		Link: newPinterest,
		Day:  []string{"Followers", "Impressions", "Engagements", "WebsiteClicks"},
		Post: []string{"Impressions", "Likes", "Comments", "Saves", "Clicks", "VideoViews"},
	}, channel.Pinterest)
}

func TestTikTokPersonalInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkTikTok, Prefix: "/tiktok", Unknown: "180123456789012345", Refreshes: true, History: 1,
		Link: newPersonal,
		Day:  []string{"Followers"}, Post: []string{"Impressions", "Likes", "Comments", "Shares", "VideoViews"},
	}, channel.TikTokPersonal)
}

func TestTikTokBusinessInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkTikTok, Prefix: "/tiktok-business", Unknown: "180123456789012345", Refreshes: true,
		History: 60, Link: newBusiness,
		Day:  allOfADay(),
		Post: []string{"Impressions", "Reach", "Likes", "Comments", "Shares", "Saves", "Clicks", "VideoViews"},
	}, channel.TikTokBusiness)
}

func TestBlueskyInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkBluesky, Prefix: "/bluesky", Unknown: "3zzzzzzzzzzzz", Refreshes: true, History: 1,
		Link: func(t *testing.T, config connectors.Config) platform.Link {
			t.Helper()
			link, err := blueskyAt(config)
			require.NoError(t, err)
			return link
		},
		Day:  []string{"Followers"},
		Post: []string{"Likes", "Comments", "Shares", "Saves"},
	}, channel.Bluesky)
}

func TestMastodonInsights(t *testing.T) {
	t.Parallel()

	runInsights(t, platformtest.InsightsHarness{
		Network: channel.NetworkMastodon, Prefix: "/mastodon", Unknown: "109302436954721982", History: 1,
		Link: func(t *testing.T, config connectors.Config) platform.Link {
			t.Helper()
			link, err := mastodonAt(config)
			require.NoError(t, err)
			return link
		},
		Day:  []string{"Followers"},
		Post: []string{"Likes", "Comments", "Shares"},
	}, channel.Mastodon)
}
