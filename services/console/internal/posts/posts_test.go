package posts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/posts"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func threads() channel.Channel {
	return channel.Channel{Name: "birch3", Type: channel.Threads, IsConnected: true, TokenStatus: channel.TokenHealthy}
}

func with(change func(*channel.Channel)) channel.Channel {
	c := threads()
	change(&c)
	return c
}

func lost(c *channel.Channel) { c.TokenStatus = channel.TokenNeedsReconnect }

// TestTimelineHasNoDuplicateText checks that a line has no sentence that its title says already, that a repeated entry is
// where it happened last, and that codes are kept for the technical details.
func TestTimelineHasNoDuplicateText(t *testing.T) {
	t.Parallel()
	entry := func(minute int, kind post.EntryKind, detail string) post.Entry {
		at := noon.Add(time.Duration(minute) * time.Minute)
		return post.Entry{At: at, LastAt: at, Kind: kind, Detail: detail, Count: 1}
	}
	repeated := entry(2, post.EntryWaiting, "Threads limits how often the channel may publish.")
	repeated.LastAt, repeated.Count = noon.Add(8*time.Minute), 4
	require.Equal(t, [][4]string{
		{"Deleted from Threads"},
		{"Not changed on Threads", "Too old.", "", "TOO_OLD"},
		{"Edited on Threads"},
		{"Asked to delete the post from Threads"},
		{"Asked to edit the post on Threads"},
		{"Published"},
		{"Waiting", "Threads limits how often the channel may publish."},
		{"Failed", "Try later.", "", "PLATFORM_UNAVAILABLE"},
		{"Failed"},
		{"Threads refused it", "Too long.", "", "CONTENT_REFUSED"},
		{"Attempt 1 started"},
		{"Changes requested", "", "Shorter: please."},
		{"Approved"},
		{"Publish now"},
		{"Scheduled for 2026-11-28T12:00:00.000Z"},
		{"Edited", "content"},
		{"Created, publish now"},
	}, posts.Lines([]post.Entry{
		entry(0, post.EntryCreated, "Created, to be published at once."), entry(0, post.EntryEdited, "Edited: content."),
		entry(0, post.EntryScheduled, "Scheduled for 2026-11-28T12:00:00.000Z."),
		entry(1, post.EntryPublishRequested, "Queued for immediate publishing."), entry(1, post.EntryApproved, "Approved."),
		entry(1, post.EntryRejected, "Rejected: Shorter: please."), repeated,
		entry(3, post.EntryAttemptStarted, "Publish attempt 1 started."),
		entry(4, post.EntryAttemptFailed, "CONTENT_REFUSED: Too long."), entry(4, post.EntryFailed, "CONTENT_REFUSED: Too long."), entry(5, post.EntryFailed, "PLATFORM_UNAVAILABLE: Try later."),
		entry(9, post.EntryPublished, "Published at https://threads.example/1"),
		entry(10, post.EntryLiveRequested, "Asked to change the text of the published post."),
		entry(11, post.EntryLiveRequested, "Asked to delete the published post from its network."),
		entry(12, post.EntryLiveEdited, "The text of the published post was changed on its network."),
		entry(13, post.EntryLiveFailed, "TOO_OLD: Too old."), entry(14, post.EntryLiveDeleted, "The post was deleted from its network."),
	}, threads()))
}

// TestRetryIsMainActionOnlyIfUseful checks the actions on failed posts.
func TestRetryIsMainActionOnlyIfUseful(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"CONTENT_REFUSED": false, post.ErrorRemoved: false, "PLATFORM_HELD_BACK": false, post.ErrorOutcomeUnknown: false, post.ErrorContentInvalid: false,
		post.ErrorPlatformDown: true, post.ErrorRateLimited: true, post.ErrorMissedSchedule: true, post.ErrorNeedsReconnect: true,
	} {
		text, retry, fit := posts.Remedy(post.Error{Code: code}, threads())
		require.Equal(t, want, fit, code)
		require.NotEmpty(t, retry, code)
		require.NotEmpty(t, text, code)
	}
	_, _, fit := posts.Remedy(post.Error{Code: post.ErrorNeedsReconnect}, with(lost))
	require.False(t, fit, "the channel comes first")
	_, retry, _ := posts.Remedy(post.Error{Code: post.ErrorChannelUnsupported}, threads())
	require.Empty(t, retry, "nothing can be tried")
}

func TestDayHeadings(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	now := noon.In(zone)
	for want, at := range map[string]time.Time{
		"Today|Sat 28 November": noon.Add(9 * time.Hour), "Tomorrow|Sun 29 November": noon.Add(11*time.Hour + 30*time.Minute),
		"Yesterday|Fri 27 November": noon.Add(-24 * time.Hour), "Mon 30 November|": noon.Add(48 * time.Hour),
		"Sun 28 November 2027|": noon.AddDate(1, 0, 0), "No date yet|": {},
	} {
		require.Equal(t, want, posts.DayOf(at, now))
	}
}
