package publishing_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

const anyArgument = mock.Anything

// ask queries the workflow while it runs, or after its end.
func ask[T any](t *testing.T, b *bundle, query string) (response T) {
	t.Helper()
	value, err := b.QueryWorkflow(query)
	require.NoError(t, err)
	require.NoError(t, value.Get(&response))
	return response
}

// reconciling returns an outcome that requests another query, with a deadline after half an hour.
func reconciling(now time.Time) postflow.Outcome {
	return postflow.Outcome{
		Next: postflow.NextReconcile, At: now.Add(time.Minute), Deadline: start.Add(31 * time.Minute),
		Note: "The service looks for the post of attempt 1 on X.",
	}
}

func TestQueryReturnsState(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(4, time.Minute))
	b.in.ChannelName = "Acme News"
	b.in.Plan.ScheduledAt = b.in.Plan.ScheduledAt.In(time.FixedZone("", 7200))
	b.responses(postflow.ActivityPublish, reconciling)
	b.responses(postflow.ActivityReconcile, failed("OUTCOME_UNKNOWN", "Check the account first."))
	var before, during postflow.View
	b.RegisterDelayedCallback(func() { before = ask[postflow.View](t, b, postflow.QueryPost) }, 30*time.Second)
	b.RegisterDelayedCallback(func() { during = ask[postflow.View](t, b, postflow.QueryPost) }, 90*time.Second)
	requireFailure(t, b.ended(t), "OUTCOME_UNKNOWN")

	at, next, deadline := start.Add(time.Minute), start.Add(2*time.Minute), start.Add(31*time.Minute)
	want := postflow.View{
		PostID: b.in.PostID, WorkspaceID: b.in.WorkspaceID, ChannelID: b.in.ChannelID, Channel: "Acme News",
		Network: b.in.Network,
		Status:  post.Scheduled, Revision: 4, ScheduledAt: &at,
		Waiting: &postflow.Waiting{For: "Waits for its time.", Until: &at},
	}
	require.Equal(t, want, before)
	want.Attempts = 1
	want.Waiting = &postflow.Waiting{
		For: "The service looks for the post of attempt 1 on X.", Until: &next, Deadline: &deadline,
	}
	require.Equal(t, want, during)
	want.Status, want.Waiting, want.Error, want.Note = post.Failed, nil, "OUTCOME_UNKNOWN", "Check the account first."
	require.Equal(t, want, ask[postflow.View](t, b, postflow.QueryPost))
}

func TestTimelineCountsRepetitions(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, reconciling)
	b.responses(postflow.ActivityReconcile, reconciling)
	b.responses(postflow.ActivityReconcile, reconciling, done(post.Published))
	b.signal(30*time.Second, postflow.Plan{
		Revision: 2, Status: post.Scheduled, ScheduledAt: start.Add(time.Minute), Signal: postflow.SignalRescheduled,
	})
	b.run(t)
	timeline := ask[postflow.Timeline](t, b, postflow.QueryTimeline)
	require.Zero(t, timeline.Dropped)
	var lines []string
	for _, m := range timeline.Entries {
		lines = append(lines, fmt.Sprintf("%s %d× %s", m.At.Sub(start), m.Count, m.What))
	}
	require.Equal(t, []string{
		"0s 1× Waits for its time.",
		"30s 1× The plan of the post changed.",
		"30s 1× Waits for its time.",
		"1m0s 3× The service looks for the post of attempt 1 on X.",
		"4m0s 1× ",
	}, lines)
	require.Equal(t, start.Add(3*time.Minute), timeline.Entries[3].LastAt)
	require.Equal(t, start.Add(4*time.Minute), *timeline.Entries[3].NextAt)
}

func TestLongTimelineIsBounded(t *testing.T) {
	t.Parallel()
	const moves = 80
	b := setup(t, scheduled(1, time.Hour))
	b.responses(postflow.ActivityPublish, done(post.Published))
	for n := range moves {
		b.signal(time.Duration(n+1)*time.Second, scheduled(n+2, time.Hour))
	}
	b.run(t)
	timeline := ask[postflow.Timeline](t, b, postflow.QueryTimeline)
	require.Len(t, timeline.Entries, 100)
	require.Equal(t, 1+2*moves+1-100, timeline.Dropped)
	require.Equal(t, start, timeline.Entries[0].At, "the beginning is kept")
	require.Equal(t, start.Add(time.Hour), timeline.Entries[99].At, "the end is kept")
}

// TestEverySignalCarriesPlan checks that every signal applies its plan.
func TestEverySignalCarriesPlan(t *testing.T) {
	t.Parallel()
	for _, signal := range postflow.Signals() {
		t.Run(string(signal), func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, signal.Description())
			b := setup(t, scheduled(1, time.Hour))
			b.responses(postflow.ActivityPublish, done(post.Published))
			b.RegisterDelayedCallback(func() { b.SignalWorkflow(string(signal), scheduled(2, 2*time.Hour)) }, time.Minute)
			require.Equal(t, 2*time.Hour, b.run(t))
			require.Equal(t, 2, b.calls[0].revision)
		})
	}
}

// TestHeartbeatTimeoutDetectsDeadWorker checks the heartbeat timeout. Without it, a step of a dead worker would be repeated only
// after 45 minutes.
func TestHeartbeatTimeoutDetectsDeadWorker(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, reconciling)
	b.responses(postflow.ActivityReconcile, done(post.Published))
	heartbeats := make(map[string]time.Duration)
	b.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		heartbeats[info.ActivityType.Name] = info.HeartbeatTimeout
	})
	b.run(t)
	require.Equal(t, map[string]time.Duration{
		postflow.ActivityPublish: 15 * time.Second, postflow.ActivityReconcile: 15 * time.Second,
	}, heartbeats)
}
