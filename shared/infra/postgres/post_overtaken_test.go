package postgres_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
)

// twoAttempts returns a post whose first attempt was considered absent and whose second attempt has been sent.
func (b *bundle) twoAttempts(t *testing.T) postgres.Job {
	t.Helper()
	p := b.scheduled(t)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	require.NoError(t, b.attempts.Intend(t.Context(), job, intent(1, "")))
	change := job.Post.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: time.Now()}, false, time.Now().UTC(),
		"Absent.")
	require.NoError(t, b.posts.Record(t.Context(), change,
		postgres.AttemptResult{N: 1, State: post.AttemptRejected, Reconciled: true}))
	require.NoError(t, b.attempts.Intend(t.Context(), job, intent(2, "")))
	return job
}

// TestLateRefusalEndsNothing covers a sender that was suspended and reports a rejection after another attempt was
// sent. The post neither fails nor becomes editable.
func TestLateRefusalEndsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	job := b.twoAttempts(t)
	refused := postgres.AttemptResult{N: 1, State: post.AttemptRejected, Code: "NO"}
	fails, err := job.Post.Fail(post.Error{Code: "NO", Message: "No."}, time.Now().UTC())
	require.NoError(t, err)
	require.ErrorIs(t, b.posts.Record(t.Context(), fails, refused), postgres.ErrStale)
	waits := job.Post.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: time.Now()}, true, time.Now().UTC(),
		"Later.")
	require.ErrorIs(t, b.posts.Record(t.Context(), waits, refused), postgres.ErrStale)
	now, err := b.attempts.Load(t.Context(), job.Post.ID)
	require.NoError(t, err)
	require.Equal(t, post.Scheduled, now.Post.Status)
	require.False(t, now.Post.PublishingSince.IsZero(), "it cannot be unscheduled")
	require.Equal(t, post.AttemptSent, now.Attempt.State)

	// The current attempt concludes.
	fails, err = now.Post.Fail(post.Error{Code: "NO", Message: "No."}, time.Now().UTC())
	require.NoError(t, err)
	require.NoError(t, b.posts.Record(t.Context(), fails,
		postgres.AttemptResult{N: 2, State: post.AttemptRejected, Code: "NO"}))
}

// TestLateSuccessConfirmsSentAttempt checks which attempt is confirmed: the sent one if there is one, otherwise the one
// that was searched for.
func TestLateSuccessConfirmsSentAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for standing, want := range map[bool][]post.AttemptState{
		true:  {post.AttemptRejected, post.AttemptConfirmed},
		false: {post.AttemptConfirmed, post.AttemptRejected},
	} {
		job := b.twoAttempts(t)
		if !standing {
			change := job.Post.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: time.Now()}, false, time.Now().UTC(),
				"Absent.")
			require.NoError(t, b.posts.Record(t.Context(), change, postgres.AttemptResult{N: 2, State: post.AttemptRejected}))
		}
		done, err := job.Post.Complete("https://network.test/1", true, time.Now().UTC())
		require.NoError(t, err)
		result := postgres.AttemptResult{
			N: 1, State: post.AttemptConfirmed, ExternalID: job.Post.ID.String(), Reconciled: true,
		}
		require.NoError(t, b.posts.Record(t.Context(), done, result))
		attempts, err := b.attempts.ListByPost(t.Context(), job.Post.ID)
		require.NoError(t, err)
		require.Equal(t, want, []post.AttemptState{attempts[0].State, attempts[1].State})
	}
}

// TestResultEndsOnlyItsOwnCall covers an execution that was suspended before its intent and has the same number as
// another execution's attempt.
func TestResultEndsOnlyItsOwnCall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	job := b.twoAttempts(t)
	late := postgres.AttemptResult{N: 2, State: post.AttemptRejected, Code: "NO", Owner: uuid.New()}
	waits := job.Post.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: time.Now()}, true, time.Now().UTC(),
		"Later.")
	require.ErrorIs(t, b.posts.Record(t.Context(), waits, late), postgres.ErrStale)
	now, err := b.attempts.Load(t.Context(), job.Post.ID)
	require.NoError(t, err)
	require.Equal(t, post.AttemptSent, now.Attempt.State, "the fence is closed")
	require.False(t, now.Post.PublishingSince.IsZero())
}
