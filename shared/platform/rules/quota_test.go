package rules_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/rules"
)

func quotaOf(t *testing.T, kind channel.Type) rules.Quota {
	t.Helper()
	row, ok := connectors.Rules().Of(kind)
	require.True(t, ok)
	return row.Quota
}

// TestPeriodOfQuota checks calendar days of the network's zone, also those on which its clocks change.
func TestPeriodOfQuota(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.November, 28, 18, 0, 0, 0, time.UTC)
	from, to := quotaOf(t, channel.Threads).Period(at)
	require.Equal(t, []time.Time{at.Add(-24 * time.Hour), at.Add(24 * time.Hour)}, []time.Time{from, to})
	for at, want := range map[string][2]string{
		"2026-11-28T07:59:59Z": {"2026-11-27T08:00:00Z", "2026-11-28T08:00:00Z"},
		"2026-11-28T08:00:00Z": {"2026-11-28T08:00:00Z", "2026-11-29T08:00:00Z"},
		"2026-03-08T12:00:00Z": {"2026-03-08T08:00:00Z", "2026-03-09T07:00:00Z"}, // 23 hours
		"2026-11-01T12:00:00Z": {"2026-11-01T07:00:00Z", "2026-11-02T08:00:00Z"}, // 25 hours
	} {
		parsed, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		from, to := quotaOf(t, channel.YouTube).Period(parsed)
		require.Equal(t, want, [2]string{from.Format(time.RFC3339), to.Format(time.RFC3339)}, at)
	}
}

func TestQuotasInWords(t *testing.T) {
	t.Parallel()
	require.Empty(t, rules.Quota{}.String())
	for kind, want := range map[channel.Type]string{
		channel.FacebookPage:   "An account can publish at most 30 REEL posts through the API in any 24 hours.",
		channel.TikTokPersonal: "An account can publish about 15 posts through the API in any 24 hours.",
		channel.Twitter:        "All channels of the service together can publish at most 10,000 posts through the API in any 24 hours.",
		channel.YouTube: "All channels of the service together can publish at most 100 posts through the API a day in the zone " +
			"America/Los_Angeles.",
	} {
		require.Equal(t, want, quotaOf(t, kind).String())
	}
	require.True(t, quotaOf(t, channel.FacebookPage).Counts(post.ContentReel))
	require.False(t, quotaOf(t, channel.FacebookPage).Counts(post.ContentPost))
	require.True(t, quotaOf(t, channel.Twitter).Counts(post.ContentVideo))
}

// TestCost checks the prices of X: with a link, and with the alternative texts that are sent.
func TestCost(t *testing.T) {
	t.Parallel()
	described := func(kind media.Type, text string) func(*platform.Content) {
		return func(c *platform.Content) { c.Media = append(c.Media, media.Asset{Type: kind, AltText: text}) }
	}
	for want, content := range map[int]platform.Content{
		15:  posted(text("Hello")),
		200: posted(text("See https://example.com and https://example.org")),
		25:  posted(text("Hello"), described(media.Image, "a"), described(media.Image, "b"), described(media.Image, " ")),
		205: posted(text("See https://example.com"), described(media.GIF, "a"), described(media.Video, "not sent")),
	} {
		cost, charged := connectors.Rules().Cost(channel.Twitter, content)
		require.True(t, charged)
		require.Equal(t, rules.Cost{Thousandths: want, Currency: "USD"}, cost)
	}
	for _, free := range []channel.Type{channel.Threads, channel.WhatsAppBusiness} {
		_, charged := connectors.Rules().Cost(free, posted(text("See https://example.com")))
		require.False(t, charged)
	}
	require.Contains(t, connectors.Rules().Check(channel.Twitter, posted(text("See https://example.com"))), platform.Finding{
		Member: "content", Warning: true, Message: "X bills the operator's application more for a post with a link than for " +
			"one without: $0.200 instead of $0.015 (prices of 2026-08).",
	})
}
