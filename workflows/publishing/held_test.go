package publishing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

const (
	heldAt   = time.Minute      // when the held post is due
	heldFrom = 55 * time.Second // when its first step starts
)

// held returns a plan whose first step starts five seconds before its time.
func held(revision int, after time.Duration) postflow.Plan {
	plan := scheduled(revision, after)
	plan.HoldFrom = plan.ScheduledAt.Add(heldFrom - heldAt)
	return plan
}

// holds scripts Publish: it is held as a worker holds it, and then returns the outcome.
func (b *bundle) holds(outcome postflow.Outcome) {
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Once().
		After(heldAt - heldFrom).Return(func(step postflow.Step) (postflow.Outcome, error) {
		b.calls = append(b.calls, call{postflow.ActivityPublish, step.Revision, step.HoldUntil.Sub(start)})
		return outcome, nil
	})
}

func TestFirstStepStartsEarlyAndIsHeld(t *testing.T) {
	t.Parallel()
	b := setup(t, held(1, heldAt))
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Once().
		Return(func(step postflow.Step) (postflow.Outcome, error) {
			require.Equal(t, heldFrom, b.Now().Sub(start))
			require.Equal(t, start.Add(heldAt), step.HoldUntil)
			require.Equal(t, b.in.WorkspaceID, step.WorkspaceID)
			return postflow.Outcome{Next: postflow.NextPublish, At: start.Add(2 * heldAt)}, nil
		})
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Once().
		Return(func(step postflow.Step) (postflow.Outcome, error) {
			require.Zero(t, step.HoldUntil, "only a step before the post's time is held")
			return postflow.Outcome{Next: postflow.NextDone, Status: post.Published}, nil
		})
	require.Equal(t, 2*heldAt, b.run(t))
}

func TestLatePlanIsHeldForRemainingTime(t *testing.T) {
	t.Parallel()
	b := setup(t, held(1, 3*time.Second))
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Once().
		Return(func(step postflow.Step) (postflow.Outcome, error) {
			require.Equal(t, start, b.Now().UTC())
			require.Equal(t, start.Add(3*time.Second), step.HoldUntil)
			return postflow.Outcome{Next: postflow.NextDone, Status: post.Published}, nil
		})
	b.run(t)
}

func TestPlanWithoutHoldIsPublishedAtItsTime(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, heldAt))
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Once().
		Return(func(step postflow.Step) (postflow.Outcome, error) {
			require.Equal(t, heldAt, b.Now().Sub(start))
			require.Zero(t, step.HoldUntil)
			return postflow.Outcome{Next: postflow.NextDone, Status: post.Published}, nil
		})
	b.run(t)
}

func TestChangeAbandonsHeldStep(t *testing.T) {
	t.Parallel()
	t.Run("unscheduled", func(t *testing.T) {
		t.Parallel()
		b := setup(t, held(1, heldAt))
		b.holds(postflow.Outcome{Next: postflow.NextSuperseded})
		b.signal(heldFrom+2*time.Second, postflow.Plan{Revision: 2, Status: post.Draft})
		require.Equal(t, heldFrom+2*time.Second, b.run(t))
		require.Zero(t, ask[postflow.View](t, b, postflow.QueryPost).Attempts, "an abandoned step is no attempt")
	})
	t.Run("published now", func(t *testing.T) {
		t.Parallel()
		b := setup(t, held(1, heldAt))
		b.holds(postflow.Outcome{Next: postflow.NextSuperseded})
		b.responses(postflow.ActivityPublish, done(post.Published))
		b.signal(heldFrom+2*time.Second, scheduled(2, heldFrom+2*time.Second))
		require.Equal(t, heldFrom+2*time.Second, b.run(t))
		require.Equal(t, call{postflow.ActivityPublish, 2, heldFrom + 2*time.Second}, b.calls[len(b.calls)-1])
		require.Equal(t, 1, ask[postflow.View](t, b, postflow.QueryPost).Attempts)
	})
	t.Run("an older plan does not", func(t *testing.T) {
		t.Parallel()
		b := setup(t, held(3, heldAt))
		b.holds(postflow.Outcome{Next: postflow.NextDone, Status: post.Published})
		b.signal(heldFrom+2*time.Second, postflow.Plan{Revision: 2, Status: post.Draft})
		require.Equal(t, heldAt, b.run(t))
		require.Equal(t, []call{{postflow.ActivityPublish, 3, heldAt}}, b.calls)
	})
}

func TestChangeAfterTimeWaitsForStep(t *testing.T) {
	t.Parallel()
	b := setup(t, held(1, heldAt))
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Once().
		After(heldAt - heldFrom + 10*time.Second).Return(func(step postflow.Step) (postflow.Outcome, error) {
		b.calls = append(b.calls, call{postflow.ActivityPublish, step.Revision, b.Now().Sub(start)})
		return postflow.Outcome{Next: postflow.NextDone, Status: post.Failed}, nil
	})
	b.responses(postflow.ActivityPublish, done(post.Published))
	b.signal(heldAt+5*time.Second, scheduled(2, heldAt))
	require.Equal(t, heldAt+10*time.Second, b.run(t), "the failed post was published again")
	require.Equal(t, 2, b.calls[1].revision)
}

func TestHeldPostWaitsForItsTime(t *testing.T) {
	t.Parallel()
	b := setup(t, held(1, heldAt))
	b.holds(postflow.Outcome{Next: postflow.NextDone, Status: post.Published})
	b.RegisterDelayedCallback(func() {
		view := ask[postflow.View](t, b, postflow.QueryPost)
		require.Equal(t, "Waits for its time.", view.Waiting.For)
		require.Equal(t, start.Add(heldAt), *view.Waiting.Until)
	}, heldFrom+time.Second)
	b.run(t)
	require.Nil(t, ask[postflow.View](t, b, postflow.QueryPost).Waiting)
}

// TestHeldStepCanFail checks that the end of a held step reaches the result and the query of the workflow.
func TestHeldStepCanFail(t *testing.T) {
	t.Parallel()
	b := setup(t, held(1, heldAt))
	b.holds(postflow.Outcome{
		Next: postflow.NextDone, Status: post.Failed, Code: "PLATFORM_REJECTED", Note: "X refused the post.",
	})
	requireFailure(t, b.ended(t), "PLATFORM_REJECTED")
	require.Equal(t, "PLATFORM_REJECTED", ask[postflow.View](t, b, postflow.QueryPost).Error)
}

// TestHeldStepErrorEndsRun covers an activity that this worker cannot run, which is not an outcome.
func TestHeldStepErrorEndsRun(t *testing.T) {
	t.Parallel()
	b := setup(t, held(1, heldAt))
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Once().
		Return(postflow.Outcome{}, temporal.NewNonRetryableApplicationError("unknown input", "Unknown", nil))
	require.ErrorContains(t, b.ended(t), "unknown input")
	require.Nil(t, ask[postflow.View](t, b, postflow.QueryPost).Waiting)
}
