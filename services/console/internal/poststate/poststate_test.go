package poststate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/poststate"
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
		want    poststate.Sign
	}{
		{post.Post{Status: post.Draft}, threads(), false, poststate.Sign{Text: "Draft", Tone: "", Icon: "pencil"}},
		{decided(post.ApprovalApproved), threads(), false, poststate.Sign{Text: "Approved", Tone: "good", Icon: "shield-check"}},
		{decided(post.ApprovalRejected), threads(), false, poststate.Sign{Text: "Changes requested", Tone: "warn", Icon: "undo-2"}},
		{post.Post{Status: post.PendingApproval}, threads(), false, poststate.Sign{Text: "In review", Tone: "warn", Icon: "user"}},
		{due, threads(), false, poststate.Sign{Text: "Scheduled", Tone: "info", Icon: "clock"}},
		{due, with(disconnected), false, poststate.Sign{Text: "Disconnected", Tone: "warn", Icon: "plug"}},
		{due, with(lost), false, poststate.Sign{Text: "Disconnected", Tone: "warn", Icon: "plug"}},
		{due, with(paused), false, poststate.Sign{Text: "Paused", Tone: "warn", Icon: "pause"}},
		{due, with(stopped), false, poststate.Sign{Text: "Paused", Tone: "warn", Icon: "pause"}},
		{waiting(post.WaitPaused), with(paused), false, poststate.Sign{Text: "Paused", Tone: "warn", Icon: "pause"}},
		{anyway, with(paused), false, poststate.Sign{Text: "Scheduled", Tone: "info", Icon: "clock"}},
		{waiting(post.WaitReconnect), with(lost), false, poststate.Sign{Text: "On hold", Tone: "warn", Icon: "plug"}},
		{waiting(post.WaitRetrying), threads(), false, poststate.Sign{Text: "Trying again", Tone: "info", Icon: "rotate-cw"}},
		{waiting(post.WaitRateLimited), threads(), false, poststate.Sign{Text: "Rate limited", Tone: "info", Icon: "history"}},
		{waiting(post.WaitProcessing), threads(), false, poststate.Sign{Text: "Processing", Tone: "info", Icon: "refresh-cw"}},
		{waiting(post.WaitReconciling), threads(), false, poststate.Sign{Text: "Checking", Tone: "info", Icon: "search"}},
		{waiting(post.WaitReview), threads(), false, poststate.Sign{Text: "Under review", Tone: "info", Icon: "search"}},
		{busy, threads(), false, poststate.Sign{Text: "Publishing", Tone: "info", Icon: "send"}},
		{published, threads(), false, poststate.Sign{Text: "Published", Tone: "good", Icon: "circle-check"}},
		{published, threads(), true, poststate.Sign{Text: "Deleted from Threads", Tone: "", Icon: "trash-2"}},
		{post.Post{Status: post.Failed}, threads(), false, poststate.Sign{Text: "Failed", Tone: "bad", Icon: "circle-alert"}},
		{
			post.Post{Status: post.Failed, Error: &post.Error{Code: post.ErrorRemoved}},
			threads(), false,
			poststate.Sign{Text: "Removed by Threads", Tone: "bad", Icon: "circle-alert"},
		},
		{post.Post{Status: post.Archived}, threads(), false, poststate.Sign{Text: "Archived", Tone: "", Icon: "archive"}},
	} {
		require.Equal(t, c.want, poststate.Of(c.of, c.channel, c.deleted))
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
		got := poststate.WaitOf(c.of, c.channel)
		require.Equal(t, c.want, [3]string{got.Text, got.Action, got.Path})
	}
}

func TestClippedTexts(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Ash mugs", poststate.Clipped(" Ash\n\tmugs ", 8))
	require.Equal(t, "Åsh…", poststate.Clipped("Åsh mugs", 3))
	require.Equal(t, strings.Repeat("ä", 140)+"…", poststate.Words(post.Post{Content: strings.Repeat("ä", 141)}))
	require.Equal(t, "Post without a text", poststate.Words(post.Post{}))
}
