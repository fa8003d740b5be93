package posts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/posts"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// concluded returns an attempt that sent the post.
func concluded(state post.AttemptState) []postgres.Attempt {
	return []postgres.Attempt{{N: 1, State: state, StartedAt: noon.Add(-time.Hour), SentAt: noon.Add(-time.Hour)}}
}

// TestVerdictSaysWhatCannotHaveHappened checks the sentence, the proof and the limit of each kind of wait.
func TestVerdictSaysWhatCannotHaveHappened(t *testing.T) {
	t.Parallel()
	due := post.Post{Status: post.Scheduled, ScheduledAt: noon.Add(-90 * time.Minute)}
	waiting := func(w post.Waiting) post.Post {
		p := due
		p.Waiting = &w
		return p
	}
	const nothing = "Nothing was sent, so nothing can appear twice."
	for name, c := range map[string]struct {
		got, want [5]string
	}{
		"scheduled": {
			posts.Verdict(post.Post{Status: post.Scheduled, ScheduledAt: noon.Add(50*time.Hour + time.Minute)}, threads(), nil, noon),
			[5]string{"", "Scheduled for 2026-11-30T14:01:00.000Z", "In 2 days 2 h, on birch3.", nothing, ""},
		},
		"held": {
			posts.Verdict(waiting(post.Waiting{Reason: post.WaitReconnect, Until: noon.Add(22*time.Hour + 36*time.Minute)}), with(lost), nil, noon),
			[5]string{
				"held", "It waits because Threads must be reconnected",
				"Reconnect birch3 to publish this post. We hold it until 2026-11-29T10:36:00.000Z. Once you reconnect, it is published within a minute.",
				nothing, "22 h 36 min left. It fails at 2026-11-29T10:36:00.000Z.",
			},
		},
		"another try": {
			posts.Verdict(waiting(post.Waiting{
				Reason: post.WaitRetrying, Try: 5, Until: noon.Add(100 * time.Second), Deadline: noon.Add(28 * time.Minute),
			}), threads(), concluded(post.AttemptRejected), noon),
			[5]string{
				"", "Threads did not take it yet",
				"Threads did not take the post yet. Try 5 at 2026-11-28T12:01:40.000Z. Gives up at 2026-11-28T12:28:00.000Z.",
				"Threads did not take it, so it is not there.", "28 min left. It gives up at 2026-11-28T12:28:00.000Z.",
			},
		},
		"the response was lost": {
			posts.Verdict(waiting(post.Waiting{Reason: post.WaitReconciling, Until: noon}), threads(), concluded(post.AttemptUnknown), noon),
			[5]string{
				"", "We look for it on Threads",
				"Threads did not confirm the post. We look for it there first, so it cannot appear twice. Next look at 2026-11-28T12:00:00.000Z.",
				"It may be on Threads.", "",
			},
		},
	} {
		require.Equal(t, c.want, c.got, name)
	}
}

// TestVerdictOfAnEndSaysWhatIsKnown checks the same of posts that wait for no time.
func TestVerdictOfAnEndSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		got, want [5]string
	}{
		"refused": {
			posts.Verdict(post.Post{Status: post.Failed, Error: &post.Error{Code: "CONTENT_REFUSED", Message: "Too long."}}, threads(), concluded(post.AttemptRejected), noon),
			[5]string{"failed", "Threads refused it", "Too long.", "Threads did not take it, so it is not there.", ""},
		},
		"unknown": {
			posts.Verdict(post.Post{Status: post.Failed, Error: &post.Error{Code: post.ErrorOutcomeUnknown, Message: "Unknown."}}, threads(), concluded(post.AttemptUndetermined), noon),
			[5]string{"failed", "Is it on Threads?", "Unknown.", "It may be on Threads.", ""},
		},
		"seen": {
			posts.Verdict(post.Post{Status: post.Published, PublishedAt: noon, Confirmed: new(true)}, threads(), concluded(post.AttemptConfirmed), noon),
			[5]string{"published", "It is on Threads", "Seen on Threads at 2026-11-28T12:00:00.000Z.", "", ""},
		},
		"a draft": {
			posts.Verdict(post.Post{Status: post.Draft}, threads(), nil, noon),
			[5]string{"", "It is a draft", "It has not been scheduled yet.", "Nothing was sent.", ""},
		},
		"for approval, too late": {
			posts.Verdict(post.Post{Status: post.PendingApproval, ScheduledAt: noon.Add(-time.Hour)}, threads(), nil, noon),
			[5]string{"held", "It waits for approval", "Its time has passed: once it is approved, it is a draft that needs a new time.", "Nothing was sent.", ""},
		},
	} {
		require.Equal(t, c.want, c.got, name)
	}
}

// TestAttemptsAreExplained checks that an attempt says its step, the words of the network, what was sent, and its time.
func TestAttemptsAreExplained(t *testing.T) {
	t.Parallel()
	begun := postgres.Attempt{N: 2, StartedAt: noon}
	ended := func(state post.AttemptState, change func(*postgres.Attempt)) postgres.Attempt {
		a := begun
		a.State, a.FinishedAt = state, noon.Add(1400*time.Millisecond)
		change(&a)
		return a
	}
	sent := func(a *postgres.Attempt) { a.SentAt = noon.Add(time.Second) }
	require.Equal(t, [5]string{
		"Attempt 2, stopped before publishing", "prepare", "Permission withdrawn.", "Nothing is public; no post can exist.", "1.4 s",
	}, posts.Facts(ended(post.AttemptRejected, func(a *postgres.Attempt) { a.Message = "permission withdrawn" }), threads()))
	require.Equal(t, [5]string{
		"Attempt 2, not taken", "publish", "", "The post, at 2026-11-28T12:00:01.000Z. It is not on Threads.", "1.4 s",
	}, posts.Facts(ended(post.AttemptRejected, sent), threads()))
	require.Equal(t, [5]string{
		"Attempt 2, taken", "publish, then looked for it 3 times", "",
		"The post, at 2026-11-28T12:00:01.000Z. Threads has it.", "1.4 s",
	}, posts.Facts(ended(post.AttemptConfirmed, func(a *postgres.Attempt) { sent(a); a.Reconciled = 3 }), threads()))
	begun.State, begun.Handle = post.AttemptPrepared, "42"
	require.Equal(t, [5]string{
		"Attempt 2, in preparation", "prepare", "",
		"The content, for Threads to prepare. Nothing is public; no post can exist.", "",
	}, posts.Facts(begun, threads()))
}

func TestTrackShowsWhereAPostIs(t *testing.T) {
	t.Parallel()
	approved := []post.Entry{{Kind: post.EntryApproved, At: noon}}
	require.Equal(t, [][2]string{
		{"done", "Written"}, {"done", "Approved"}, {"now", "Scheduled"}, {"ahead", "Sent"}, {"ahead", "Seen on Threads"},
	}, posts.Track(post.Post{Status: post.Scheduled, ScheduledAt: noon, Approval: &post.Approval{Status: post.ApprovalApproved}},
		threads(), approved, nil))
	require.Equal(t, [][2]string{
		{"done", "Written"}, {"done", "Due"}, {"done", "Sent"}, {"done", "Seen on Threads"},
	}, posts.Track(post.Post{Status: post.Published, ScheduledAt: noon, PublishedAt: noon, Confirmed: new(true)}, threads(), nil,
		[]postgres.Attempt{{State: post.AttemptConfirmed, SentAt: noon}}))
	require.Equal(t, [][2]string{
		{"done", "Written"}, {"now", "Failed"}, {"ahead", "Sent"}, {"ahead", "Seen on Threads"},
	}, posts.Track(post.Post{Status: post.Failed, ScheduledAt: noon}, threads(), nil, []postgres.Attempt{{State: post.AttemptRejected, SentAt: noon}}))
}

// TestUndoFitsACookie writes and reads the undo of the largest action.
func TestUndoFitsACookie(t *testing.T) {
	t.Parallel()
	ids, times := make([]ident.Post, 100), make([]time.Time, 100)
	for i := range ids {
		ids[i], times[i] = ident.New[ident.Post](), noon.Add(time.Duration(i)*time.Minute)
	}
	times[7] = time.Time{}
	for _, do := range []string{"time", "unlabel", "archive"} {
		token, same := posts.Undone(do, "Spring", ids, times)
		require.True(t, same, do)
		const cookie, rest = 4096, 100 // its name and signature
		require.Less(t, len(token)+rest, cookie, do)
	}
}
