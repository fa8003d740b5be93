package publishing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform"
)

// story returns a post's timeline as kind and text.
func (b *bundle) story(t *testing.T, p post.Post) (lines []string, entries []post.Entry) {
	t.Helper()
	entries, err := b.posts.Timeline(t.Context(), p.ID)
	require.NoError(t, err)
	for _, e := range entries[1:] { // without the entry of its creation
		lines = append(lines, string(e.Kind)+": "+e.Detail)
	}
	return lines, entries[1:]
}

func lost(context.Context, platform.Account) (platform.Publication, error) {
	return platform.Publication{}, fails(platform.ClassUnknown, "TIMEOUT")
}

const advice = "Check the account first. Publish again only if the post is not there."

// TestReconciliationSharesOneTimelineEntry checks that repeated queries share one timeline entry, and that only the final entry
// contains advice.
func TestReconciliationSharesOneTimelineEntry(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{
		strength: platform.ReconcileMatch, commit: lost,
		reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
			return platform.EvidenceUnclear, platform.Publication{}, nil
		},
	})
	p := b.due(t, time.Second)
	out := b.publish(t, p)
	for range 5 {
		require.Equal(t, postflow.NextReconcile, out.Next)
		require.Equal(t, "The service looks for the post of attempt 1 on X.",
			out.Note[len(out.Note)-len("The service looks for the post of attempt 1 on X."):])
		require.WithinDuration(t, time.Now().Add(30*time.Minute), out.Deadline, time.Minute)
		<-time.After(time.Until(out.At))
		var err error
		out, err = b.Reconcile(t.Context(), step(p))
		require.NoError(t, err)
	}
	lines, entries := b.story(t, p)
	require.Equal(t, []string{
		"attempt_started: Publish attempt 1 started.",
		"attempt_unknown: The result of attempt 1 is unknown. The network said no.",
		"waiting: The service looks for the post of attempt 1 on X.",
	}, lines)
	require.Equal(t, 6, entries[2].Count)
	require.True(t, entries[2].LastAt.After(entries[2].At))
	require.False(t, entries[2].NextAt.IsZero())

	b.sentAgo(t, 31*time.Minute)
	postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET finished_at = sent_at`)
	b.follow(t, p)
	lines, entries = b.story(t, p)
	require.Contains(t, lines, "attempt_unknown: The service could not determine whether attempt 1 published the post.")
	require.Equal(t,
		"failed: OUTCOME_UNKNOWN: The network's response was lost, and the service could not determine whether the post "+
			"was published. "+advice,
		lines[len(lines)-1])
	for _, e := range entries[:len(entries)-1] {
		require.NotContains(t, e.Detail, "Look at")
		require.Zero(t, e.NextAt, "nothing is planned any more")
	}
}

// TestLostResponseWithoutReconcileEndsPost checks that the post ends at once, with advice only.
func TestLostResponseWithoutReconcileEndsPost(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{strength: platform.ReconcileNone, commit: lost})
	p := b.due(t, time.Second)
	out := b.publish(t, p)
	require.Equal(t, postflow.Outcome{
		Next: postflow.NextDone, Status: post.Failed, Code: post.ErrorOutcomeUnknown,
		Note: "The network's response was lost, and the network cannot be queried for the post. " + advice,
	}, out)
	lines, _ := b.story(t, p)
	require.Equal(t, []string{
		"attempt_started: Publish attempt 1 started.",
		"attempt_unknown: The service could not determine whether attempt 1 published the post.",
		"failed: OUTCOME_UNKNOWN: " + out.Note,
	}, lines)
}

// TestAbsenceReplacesDoubtInTimeline checks that the text shown while the result was unknown is replaced.
func TestAbsenceReplacesDoubtInTimeline(t *testing.T) {
	t.Parallel()
	net := &network{strength: platform.ReconcileExact, reconcile: absentAlways}
	net.commit = func(ctx context.Context, a platform.Account) (platform.Publication, error) {
		if net.commits.Load() == 1 {
			return lost(ctx, a)
		}
		return platform.Publication{ExternalID: "1", URL: "https://network.test/1"}, nil
	}
	b := setup(t, net)
	p := b.due(t, time.Second)
	b.follow(t, p)
	lines, _ := b.story(t, p)
	require.ElementsMatch(t, []string{
		"attempt_started: Publish attempt 1 started.",
		"waiting: The service looks for the post of attempt 1 on X.",
		"attempt_failed: NOT_ARRIVED: X does not have the post.",
		"waiting: The post is not published yet. The service tries again.",
		"attempt_started: Publish attempt 2 started.",
		"published: Published at https://network.test/1",
	}, lines)
}

// TestWaitsShareOneTimelineEntry checks that every attempt has an entry, and that the waits between them share
// one.
func TestWaitsShareOneTimelineEntry(t *testing.T) {
	t.Parallel()
	calls := 0
	b := setup(t, &network{prepare: func(platform.Handle) (platform.Preparation, error) {
		switch calls++; {
		case calls <= 3:
			return platform.Preparation{}, fails(platform.ClassTransient, "DOWN")
		case calls <= 5:
			return platform.Preparation{Handle: "container", Wait: time.Millisecond}, nil
		default:
			return platform.Preparation{Handle: "container", Ready: true}, nil
		}
	}})
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	_, entries := b.story(t, p)
	counts := make(map[string]int)
	for _, e := range entries {
		if e.Kind == post.EntryWaiting {
			require.Zero(t, counts[e.Detail], "it is one entry")
			counts[e.Detail] = e.Count
		}
	}
	require.Equal(t, map[string]int{
		"The post is not published yet. The service tries again.": 3, "X is processing the post.": 2,
	}, counts)
	require.Len(t, entries, 3+4+2+1,
		"attempts that failed, their starts and that of the last one, the waits, the publication")
}

// TestLimitedChannelRecordsOneWait checks that attempts without a call to the network have no entries.
func TestLimitedChannelRecordsOneWait(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, 10*time.Minute))
	p := b.due(t, time.Second)
	for range 3 {
		out := b.publish(t, p)
		require.Equal(t, postflow.NextPublish, out.Next)
	}
	require.Equal(t, postgres.CodeNotSent, b.reload(t, p).Attempt.Code)
	lines, entries := b.story(t, p)
	require.Equal(t, []string{"waiting: X limits how often the channel may publish. The post waits for its turn."}, lines)
	require.Equal(t, 3, entries[0].Count)
	require.Zero(t, b.net.commits.Load())
}
