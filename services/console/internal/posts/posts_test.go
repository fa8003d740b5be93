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

func lost(c *channel.Channel)         { c.TokenStatus = channel.TokenNeedsReconnect }
func disconnected(c *channel.Channel) { c.IsConnected = false }
func paused(c *channel.Channel)       { c.IsQueuePaused = true }
func stopped(c *channel.Channel)      { c.PublishingStopped = true }

func waiting(reason post.WaitReason) post.Post {
	return post.Post{
		Status: post.Scheduled, ScheduledAt: noon, Waiting: &post.Waiting{Reason: reason, Until: noon.Add(90 * time.Second)},
	}
}

// TestEveryStateHasDisplay checks that each state that people distinguish has words, a color and an icon of its own.
func TestEveryStateHasDisplay(t *testing.T) {
	t.Parallel()
	due := post.Post{Status: post.Scheduled, ScheduledAt: noon}
	published := post.Post{Status: post.Published}
	decided := func(as post.ApprovalStatus) post.Post {
		return post.Post{Status: post.Draft, Approval: &post.Approval{Status: as}}
	}
	busy, anyway := due, due
	anyway.OverridesPause = true
	busy.PublishingSince = noon
	for _, c := range []struct {
		of      post.Post
		channel channel.Channel
		deleted bool
		want    [3]string
	}{
		{post.Post{Status: post.Draft}, threads(), false, [3]string{"Draft", "", "pencil"}},
		{decided(post.ApprovalApproved), threads(), false, [3]string{"Approved", "good", "shield-check"}},
		{decided(post.ApprovalRejected), threads(), false, [3]string{"Changes requested", "warn", "undo-2"}},
		{post.Post{Status: post.PendingApproval}, threads(), false, [3]string{"In review", "warn", "user"}},
		{due, threads(), false, [3]string{"Scheduled", "info", "clock"}},
		{due, with(disconnected), false, [3]string{"Disconnected", "warn", "plug"}},
		{due, with(lost), false, [3]string{"Disconnected", "warn", "plug"}},
		{due, with(paused), false, [3]string{"Paused", "warn", "pause"}},
		{due, with(stopped), false, [3]string{"Paused", "warn", "pause"}},
		{waiting(post.WaitPaused), with(paused), false, [3]string{"Paused", "warn", "pause"}},
		{anyway, with(paused), false, [3]string{"Scheduled", "info", "clock"}},
		{waiting(post.WaitReconnect), with(lost), false, [3]string{"On hold", "warn", "plug"}},
		{waiting(post.WaitRetrying), threads(), false, [3]string{"Trying again", "info", "rotate-cw"}},
		{waiting(post.WaitRateLimited), threads(), false, [3]string{"Rate limited", "info", "history"}},
		{waiting(post.WaitProcessing), threads(), false, [3]string{"Processing", "info", "refresh-cw"}},
		{waiting(post.WaitReconciling), threads(), false, [3]string{"Checking", "info", "search"}},
		{waiting(post.WaitReview), threads(), false, [3]string{"Under review", "info", "search"}},
		{busy, threads(), false, [3]string{"Publishing", "info", "send"}},
		{published, threads(), false, [3]string{"Published", "good", "circle-check"}},
		{published, threads(), true, [3]string{"Deleted from Threads", "", "trash-2"}},
		{post.Post{Status: post.Failed}, threads(), false, [3]string{"Failed", "bad", "circle-alert"}},
		{
			post.Post{Status: post.Failed, Error: &post.Error{Code: post.ErrorRemoved}},
			threads(), false,
			[3]string{"Removed by Threads", "bad", "circle-alert"},
		},
		{post.Post{Status: post.Archived}, threads(), false, [3]string{"Archived", "", "archive"}},
	} {
		require.Equal(t, c.want, posts.SignOf(c.of, c.channel, c.deleted))
	}
}

func TestWaitsShowNextStep(t *testing.T) {
	t.Parallel()
	due := post.Post{Status: post.Scheduled, ScheduledAt: noon}
	retrying := waiting(post.WaitRetrying)
	retrying.Waiting.Try, retrying.Waiting.Deadline = 5, noon.Add(28*time.Minute+40*time.Second)
	reviewed := waiting(post.WaitReview)
	reviewed.Waiting.Deadline, reviewed.PublishingSince = noon.Add(24*time.Hour), noon
	anyway := due
	anyway.OverridesPause = true
	of := "/channels/" + threads().ID.String()
	for _, c := range []struct {
		of      post.Post
		channel channel.Channel
		want    [3]string
	}{
		{due, threads(), [3]string{}},
		{post.Post{Status: post.Failed}, with(disconnected), [3]string{}},
		{due, with(disconnected), [3]string{"Channel disconnected: will fail at 2026-11-28T12:00:00.000Z.", "Reconnect", of + "/reconnect"}},
		{due, with(lost), [3]string{"Channel lost its access: will be held at 2026-11-28T12:00:00.000Z.", "Reconnect", of + "/reconnect"}},
		{due, with(paused), [3]string{"birch3 is paused. This post waits.", "Resume", of}},
		{due, with(stopped), [3]string{"All publishing is stopped. This post waits.", "Resume", "/publishing"}},
		{waiting(post.WaitPaused), with(paused), [3]string{"birch3 is paused. This post waits.", "Resume", of}},
		{anyway, with(paused), [3]string{}},
		{
			waiting(post.WaitReconnect), with(lost),
			[3]string{"Reconnect birch3 to publish this post. We hold it until 2026-11-28T12:01:30.000Z.", "Reconnect", of + "/reconnect"},
		},
		{
			retrying, threads(),
			[3]string{"Threads did not take the post yet. Try 5 at 2026-11-28T12:01:30.000Z. Gives up at 2026-11-28T12:28:00.000Z."},
		},
		{waiting(post.WaitProcessing), threads(), [3]string{"Threads is processing the post. Next look at 2026-11-28T12:01:30.000Z."}},
		{
			reviewed, threads(),
			[3]string{"Threads took the post and reviews it before showing it. We look again until 2026-11-29T12:00:00.000Z."},
		},
	} {
		require.Equal(t, c.want, posts.WaitOf(c.of, c.channel))
	}
}

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
