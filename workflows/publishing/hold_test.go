package publishing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

// onHold is the outcome of a step that found the channel's connection lost.
func onHold(end time.Duration) func(time.Time) postflow.Outcome {
	at := start.Add(end)
	return func(time.Time) postflow.Outcome {
		return postflow.Outcome{Next: postflow.NextPublish, At: at, Deadline: at, Note: "The post waits for its channel."}
	}
}

func TestPostOnHoldContinuesAfterReconnect(t *testing.T) {
	t.Parallel()
	const due, back, end = time.Minute, 3 * time.Hour, 24 * time.Hour
	b := setup(t, scheduled(1, due))
	b.responses(postflow.ActivityPublish, onHold(end))
	b.responses(postflow.ActivityPublish, done(post.Published))
	b.RegisterDelayedCallback(func() {
		view := ask[postflow.View](t, b, postflow.QueryPost)
		require.Equal(t, "The post waits for its channel.", view.Waiting.For)
		require.Equal(t, start.Add(end), *view.Waiting.Until)
	}, due+time.Second)
	resumed := scheduled(2, due)
	resumed.Signal = postflow.SignalResumed
	b.RegisterDelayedCallback(func() {
		for range 2 { // the relay may deliver a message twice
			b.SignalWorkflow(string(postflow.SignalResumed), resumed)
		}
	}, back)
	require.Equal(t, back, b.run(t))
	require.Equal(t, []call{{postflow.ActivityPublish, 1, due}, {postflow.ActivityPublish, 2, back}}, b.calls)
}

func TestPostOnHoldRetriesAtDeadline(t *testing.T) {
	t.Parallel()
	const end = 24 * time.Hour
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, onHold(end))
	b.responses(postflow.ActivityPublish, failed("CHANNEL_NEEDS_RECONNECT", "The channel is disconnected."))
	requireFailure(t, b.ended(t), "CHANNEL_NEEDS_RECONNECT")
	require.Equal(t, end, b.Now().Sub(start))
}

func TestPostOnHoldCanBeUnscheduled(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, onHold(24*time.Hour))
	b.signal(time.Hour, postflow.Plan{Revision: 2, Status: post.Draft})
	require.Equal(t, time.Hour, b.run(t))
	require.Len(t, b.calls, 1)
}

// paused is the outcome of a step that found the channel paused.
func paused(time.Time) postflow.Outcome {
	return postflow.Outcome{Next: postflow.NextPublish, Note: "The channel is paused."}
}

func TestPostOfPausedChannelWaitsIndefinitely(t *testing.T) {
	t.Parallel()
	const due, back = time.Minute, 30 * 24 * time.Hour
	b := setup(t, scheduled(1, due))
	b.responses(postflow.ActivityPublish, paused)
	b.responses(postflow.ActivityPublish, done(post.Published))
	b.RegisterDelayedCallback(func() {
		view := ask[postflow.View](t, b, postflow.QueryPost)
		require.Equal(t, "The channel is paused.", view.Waiting.For)
		require.Nil(t, view.Waiting.Until)
		require.Nil(t, view.Waiting.Deadline)
	}, due+time.Second)
	resumed := scheduled(2, due)
	resumed.Signal = postflow.SignalResumed
	b.signal(back, resumed)
	require.Equal(t, back, b.run(t))
	require.Equal(t, []call{{postflow.ActivityPublish, 1, due}, {postflow.ActivityPublish, 2, back}}, b.calls)
}
