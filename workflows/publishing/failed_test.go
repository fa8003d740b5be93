package publishing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

func failed(code, note string) func(time.Time) postflow.Outcome {
	return func(time.Time) postflow.Outcome {
		return postflow.Outcome{Next: postflow.NextDone, Status: post.Failed, Code: code, Note: note}
	}
}

func TestFailedPostFailsItsWorkflow(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, failed("CONTENT_REFUSED", "X refused the post."))
	err := b.ended(t)
	requireFailure(t, err, "CONTENT_REFUSED")
	require.ErrorContains(t, err, "X refused the post.")
}

// TestFailureWithoutCode covers the result of a worker of an older version.
func TestFailureWithoutCode(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, failed("", "X refused the post."))
	requireFailure(t, b.ended(t), "FAILED")
}

// TestPlanAfterFailureDeterminesEnd checks that the newer plan determines the end of the run.
func TestPlanAfterFailureDeterminesEnd(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.OnActivity(postflow.ActivityPublish, anyArgument,
		anyArgument).Once().Return(func(postflow.Step) (postflow.Outcome, error) {
		b.SignalWorkflow(string(postflow.SignalDeleted),
			postflow.Plan{Revision: 3, Status: post.Draft, Signal: postflow.SignalDeleted})
		return failed("CONTENT_REFUSED", "X refused the post.")(b.Now()), nil
	})
	b.run(t)
	require.Equal(t, postflow.Result{Status: post.Draft, Note: "The post was deleted."}, b.result(t))
}

func TestResultOfPublishedPost(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, func(time.Time) postflow.Outcome {
		return postflow.Outcome{
			Next: postflow.NextDone, Status: post.Published, URL: "https://x.test/1", Note: "Published at https://x.test/1",
		}
	})
	b.run(t)
	require.Equal(t, postflow.Result{
		Status: post.Published, URL: "https://x.test/1", Note: "Published at https://x.test/1",
	}, b.result(t))
}

func TestResultOfUnscheduledPost(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Hour))
	b.signal(time.Minute, postflow.Plan{Revision: 2, Status: post.Draft, Signal: postflow.SignalUnscheduled})
	b.run(t)
	require.Equal(t, postflow.Result{
		Status: post.Draft,
		Note:   "The post went back to a draft and is not published. Nothing is left to publish: the post is DRAFT.",
	}, b.result(t))
}

func (b *bundle) result(t *testing.T) postflow.Result {
	t.Helper()
	var result postflow.Result
	require.NoError(t, b.GetWorkflowResult(&result))
	return result
}
