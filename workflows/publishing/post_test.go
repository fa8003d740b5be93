package publishing_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/publishing"
)

// start is the initial virtual time of every test.
var start = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

type bundle struct {
	*testsuite.TestWorkflowEnvironment
	in    postflow.Input
	calls []call
}

// call is one execution of an activity by the workflow.
type call struct {
	activity string
	revision int
	at       time.Duration // since start
}

func setup(t *testing.T, plan postflow.Plan) *bundle {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	b := &bundle{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment()}
	b.SetStartTime(start)
	b.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	b.SetTestTimeout(20 * time.Second)
	b.in = postflow.Input{
		PostID: ident.New[ident.Post](), WorkspaceID: ident.New[ident.Workspace](), ChannelID: ident.New[ident.Channel](),
		Network: channel.NetworkX, Plan: plan,
	}
	b.RegisterWorkflow(publishing.Post)
	for _, name := range []string{postflow.ActivityPublish, postflow.ActivityCheckProcessing, postflow.ActivityReconcile} {
		b.RegisterActivityWithOptions(func(postflow.Step) (postflow.Outcome, error) {
			return postflow.Outcome{}, errors.New("not scripted")
		}, activity.RegisterOptions{Name: name})
	}
	t.Cleanup(func() { b.AssertExpectations(t) })
	return b
}

// responses scripts an activity: the n-th call returns the n-th outcome.
func (b *bundle) responses(name string, outcomes ...func(now time.Time) postflow.Outcome) {
	for _, outcome := range outcomes {
		b.OnActivity(name, mock.Anything, mock.Anything).Once().Return(func(step postflow.Step) (postflow.Outcome, error) {
			b.calls = append(b.calls, call{name, step.Revision, b.Now().Sub(start)})
			return outcome(b.Now()), nil
		})
	}
}

func done(status post.Status) func(time.Time) postflow.Outcome {
	return func(time.Time) postflow.Outcome { return postflow.Outcome{Next: postflow.NextDone, Status: status} }
}

func later(next postflow.Next, d time.Duration) func(time.Time) postflow.Outcome {
	return func(now time.Time) postflow.Outcome {
		return postflow.Outcome{Next: next, At: now.Add(d), Note: "waits"}
	}
}

func (b *bundle) signal(after time.Duration, plan postflow.Plan) {
	b.RegisterDelayedCallback(func() { b.SignalWorkflow(string(postflow.SignalChanged), plan) }, after)
}

// run runs the workflow and returns its duration.
func (b *bundle) run(t *testing.T) time.Duration {
	t.Helper()
	b.ExecuteWorkflow(publishing.Post, b.in)
	require.True(t, b.IsWorkflowCompleted())
	require.NoError(t, b.GetWorkflowError())
	return b.Now().Sub(start)
}

func scheduled(revision int, after time.Duration) postflow.Plan {
	return postflow.Plan{Revision: revision, Status: post.Scheduled, ScheduledAt: start.Add(after)}
}

func TestPublishesAtItsTime(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, 21*24*time.Hour))
	b.responses(postflow.ActivityPublish, done(post.Published))
	require.Equal(t, 21*24*time.Hour, b.run(t))
	require.Equal(t, []call{{postflow.ActivityPublish, 1, 21 * 24 * time.Hour}}, b.calls)
}

func TestPublishesOverduePostImmediately(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, -time.Hour))
	b.responses(postflow.ActivityPublish, done(post.Published))
	require.Zero(t, b.run(t))
	require.Equal(t, []call{{postflow.ActivityPublish, 1, 0}}, b.calls)
}

func TestRescheduleMovesTimer(t *testing.T) {
	t.Parallel()
	for name, moved := range map[string]time.Duration{"earlier": 10 * time.Minute, "later": 3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scheduled(1, time.Hour))
			b.responses(postflow.ActivityPublish, done(post.Published))
			b.signal(5*time.Minute, scheduled(2, moved))
			require.Equal(t, moved, b.run(t))
			require.Equal(t, []call{{postflow.ActivityPublish, 2, moved}}, b.calls)
		})
	}
}

func TestUnscheduleEndsWorkflow(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Hour))
	b.signal(5*time.Minute, postflow.Plan{Revision: 2, Status: post.Draft})
	require.Equal(t, 5*time.Minute, b.run(t))
	require.Empty(t, b.calls)
}

func TestStaleAndRepeatedPlansAreIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(3, time.Hour))
	b.responses(postflow.ActivityPublish, done(post.Published))
	b.signal(time.Minute, postflow.Plan{Revision: 2, Status: post.Draft})
	b.signal(2*time.Minute, scheduled(3, time.Hour))
	b.signal(3*time.Minute, scheduled(3, time.Hour))
	require.Equal(t, time.Hour, b.run(t))
	require.Len(t, b.calls, 1)
	require.Equal(t, []string{"Waits for its time.", ""}, b.timeline(t), "no plan was taken")
}

// timeline lists the entries of the run's timeline; it fails the test if an entry was repeated.
func (b *bundle) timeline(t *testing.T) (entries []string) {
	t.Helper()
	for _, m := range ask[postflow.Timeline](t, b, postflow.QueryTimeline).Entries {
		require.Equal(t, 1, m.Count, m.What)
		entries = append(entries, m.What)
	}
	return entries
}

func TestApprovalWaitsIndefinitely(t *testing.T) {
	t.Parallel()
	b := setup(t, postflow.Plan{Revision: 1, Status: post.PendingApproval, ScheduledAt: start.Add(time.Hour)})
	b.responses(postflow.ActivityPublish, done(post.Published))
	b.signal(40*24*time.Hour, scheduled(2, 41*24*time.Hour))
	require.Equal(t, 41*24*time.Hour, b.run(t))
	require.Equal(t, []call{{postflow.ActivityPublish, 2, 41 * 24 * time.Hour}}, b.calls)
}

func TestRejectionEndsWorkflow(t *testing.T) {
	t.Parallel()
	b := setup(t, postflow.Plan{Revision: 1, Status: post.PendingApproval})
	b.signal(time.Hour, postflow.Plan{Revision: 2, Status: post.Draft})
	require.Equal(t, time.Hour, b.run(t))
	require.Empty(t, b.calls)
}

func TestStepsFollowOutcomes(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, later(postflow.NextProcessing, 30*time.Second),
		later(postflow.NextReconcile, 3*time.Second), done(post.Published))
	b.responses(postflow.ActivityCheckProcessing, later(postflow.NextPublish, 10*time.Second))
	b.responses(postflow.ActivityReconcile, later(postflow.NextReconcile, time.Minute), later(postflow.NextPublish, 0))
	b.run(t)
	require.Equal(t, []call{
		{postflow.ActivityPublish, 1, 60 * time.Second},
		{postflow.ActivityCheckProcessing, 1, 90 * time.Second},
		{postflow.ActivityPublish, 1, 100 * time.Second},
		{postflow.ActivityReconcile, 1, 103 * time.Second},
		{postflow.ActivityReconcile, 1, 163 * time.Second},
		{postflow.ActivityPublish, 1, 163 * time.Second},
	}, b.calls)
}

func TestUnscheduleWhileWaitingForRetry(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, later(postflow.NextPublish, 10*time.Minute))
	b.signal(2*time.Minute, postflow.Plan{Revision: 2, Status: post.Draft})
	require.Equal(t, 2*time.Minute, b.run(t))
	require.Len(t, b.calls, 1)
}

func TestSupersededWaitsForNewPlan(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, later(postflow.NextSuperseded, 0), done(post.Published))
	b.signal(time.Minute+10*time.Second, scheduled(2, 5*time.Minute))
	require.Equal(t, 5*time.Minute, b.run(t))
	require.Equal(t, 2, b.calls[1].revision)
	require.NotContains(t, b.timeline(t), supersededNote)
	require.Equal(t, 1, ask[postflow.View](t, b, postflow.QueryPost).Attempts, "the steps count anew under each plan")
}

const supersededNote = "The plan of the post changed. The new plan starts another run."

func TestSupersededEndsWhenNoPlanComes(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, func(time.Time) postflow.Outcome {
		// the failure of another run does not fail this one
		return postflow.Outcome{Next: postflow.NextSuperseded, Status: post.Failed}
	})
	require.Equal(t, 2*time.Minute, b.run(t))
	require.Equal(t, postflow.Result{Status: post.Scheduled, Note: supersededNote}, b.outcome(t))
}

// outcome returns the result of a completed workflow.
func (b *bundle) outcome(t *testing.T) (result postflow.Result) {
	t.Helper()
	require.NoError(t, b.GetWorkflowResult(&result))
	return result
}

func TestRetryAfterEndContinuesSameRun(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.OnActivity(postflow.ActivityPublish, mock.Anything,
		mock.Anything).Once().Return(func(postflow.Step) (postflow.Outcome, error) {
		// The post failed, its owner published it again at once, and the new plan arrives before the result of the
		// step.
		b.SignalWorkflow(string(postflow.SignalChanged), scheduled(3, time.Minute))
		return postflow.Outcome{Next: postflow.NextDone, Status: post.Failed}, nil
	})
	b.responses(postflow.ActivityPublish, done(post.Published))
	b.run(t)
	require.Equal(t, 3, b.calls[0].revision)
}

func TestSearchAttributesFollowStatus(t *testing.T) {
	t.Parallel()
	b := setup(t, postflow.Plan{Revision: 1, Status: post.PendingApproval})
	var statuses []string
	b.OnUpsertTypedSearchAttributes(mock.Anything).Run(func(args mock.Arguments) {
		attributes, ok := args.Get(0).(temporal.SearchAttributes)
		require.True(t, ok)
		status, _ := attributes.GetKeyword(postflow.AttrPostStatus)
		if at, ok := attributes.GetTime(postflow.AttrScheduledAt); ok {
			status += " " + at.Sub(start).String()
		}
		statuses = append(statuses, status)
	}).Return(nil)
	b.responses(postflow.ActivityPublish, done(post.Published))
	b.signal(time.Minute, scheduled(2, time.Hour))
	b.run(t)
	require.Equal(t, []string{"SCHEDULED 1h0m0s", "PUBLISHED"}, statuses)
}

func TestDatabaseOutageIsRetried(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	const failures = 9 // the test environment stops after ten attempts, a server never does
	tries := 0
	b.OnActivity(postflow.ActivityPublish, mock.Anything,
		mock.Anything).Return(func(postflow.Step) (postflow.Outcome, error) {
		if tries++; tries <= failures {
			return postflow.Outcome{}, errors.New("the database is down")
		}
		return postflow.Outcome{Next: postflow.NextDone, Status: post.Published}, nil
	})
	require.Equal(t, time.Minute+(1+2+4+8+5*15)*time.Second, b.run(t))
}
