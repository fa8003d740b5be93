package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
)

// waits returns the waiting entries of a post's timeline.
func (b *bundle) waits(t *testing.T, p post.Post) (waits []post.Entry) {
	t.Helper()
	entries, err := b.posts.Timeline(t.Context(), p.ID)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Kind == post.EntryWaiting {
			waits = append(waits, e)
		}
	}
	return waits
}

// waited records an unsuccessful search for the post at a time; the next search is a minute later.
func (b *bundle) waited(t *testing.T, p post.Post, at time.Time, detail string) {
	t.Helper()
	job, err := b.attempts.Load(t.Context(), p.ID)
	require.NoError(t, err)
	waiting := post.Waiting{Reason: post.WaitReconciling, Until: at.Add(time.Minute)}
	require.NoError(t, b.posts.Apply(t.Context(), job.Post.Postpone(waiting, false, at, detail)))
}

func TestRepeatedWaitIsOneEntry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	for n := range 36 {
		b.waited(t, p, b.now.Add(time.Duration(n)*time.Minute), "Looks for attempt 1.")
	}
	b.waited(t, p, b.now.Add(40*time.Minute), "Looks for attempt 2.")
	waits := b.waits(t, p)
	require.Len(t, waits, 2, "another text is another entry")
	require.Equal(t, 36, waits[0].Count)
	require.WithinDuration(t, b.now, waits[0].At, 0)
	require.WithinDuration(t, b.now.Add(35*time.Minute), waits[0].LastAt, 0)
	require.Zero(t, waits[0].NextAt, "the post waits for something else now")
	require.Equal(t, 1, waits[1].Count)
	require.WithinDuration(t, b.now.Add(41*time.Minute), waits[1].NextAt, 0)
}

// TestConcludedPostIsNotReconciledAgain checks that a concluded post is not searched for again, and that another plan starts
// a new entry.
func TestConcludedPostIsNotReconciledAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	b.waited(t, p, b.now, "Looks.")
	require.NotZero(t, b.waits(t, p)[0].NextAt)
	job, err := b.attempts.Load(t.Context(), p.ID)
	require.NoError(t, err)
	failed, err := job.Post.Fail(post.Error{Code: post.ErrorOutcomeUnknown, Message: "Look at the account."}, b.now)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), failed))
	require.Zero(t, b.waits(t, p)[0].NextAt)

	again, err := failed.Post.PublishNow(b.now, post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), again))
	b.waited(t, p, b.now, "Looks.")
	waits := b.waits(t, p)
	require.Len(t, waits, 2)
	require.Equal(t, []int{1, 1}, []int{waits[0].Count, waits[1].Count})
}

// TestConcurrentExecutionsShareWaitEntry checks that none is lost, and that there is no second entry.
func TestConcurrentExecutionsShareWaitEntry(t *testing.T) {
	t.Parallel()
	const executions = 8
	b := setup(t)
	p := b.scheduled(t)
	var group sync.WaitGroup
	errs := make(chan error, executions)
	for range executions {
		group.Go(func() {
			waiting := post.Waiting{Reason: post.WaitReconciling, Until: b.now.Add(time.Minute)}
			errs <- b.posts.Apply(t.Context(), p.Postpone(waiting, false, b.now, "Looks."))
		})
	}
	group.Wait()
	for range executions {
		require.NoError(t, <-errs)
	}
	waits := b.waits(t, p)
	require.Len(t, waits, 1)
	require.Equal(t, executions, waits[0].Count)
}

// TestAttemptsInTimeline checks that an attempt shows its current state, and that one without a call does not
// appear.
func TestAttemptsInTimeline(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result postgres.AttemptResult
		want   string
	}{
		"refused": {
			postgres.AttemptResult{State: post.AttemptRejected, Code: "CONTENT_REFUSED", Message: "X refused it."},
			"CONTENT_REFUSED: X refused it.",
		},
		"not asked": {
			postgres.AttemptResult{State: post.AttemptRejected, Code: postgres.CodeNotSent, Message: "It was not asked."}, "",
		},
		"in doubt": {
			postgres.AttemptResult{State: post.AttemptUnknown, Message: "X did not confirm."},
			"The result of attempt 1 is unknown. X did not confirm.",
		},
		"not found out": {
			postgres.AttemptResult{State: post.AttemptUndetermined, Message: "X did not confirm."},
			"The service could not determine whether attempt 1 published the post.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			job, err := b.attempts.Claim(t.Context(), b.scheduled(t).ID, 1)
			require.NoError(t, err)
			require.NoError(t, b.attempts.Intend(t.Context(), job, postgres.Intent{N: 1, Marker: "m", Owner: uuid.New()}))
			c.result.N = 1
			waiting := post.Waiting{Reason: post.WaitReconciling, Until: b.now}
			require.NoError(t, b.posts.Record(t.Context(), job.Post.Postpone(waiting, false, b.now, "Waits."), c.result))
			entries, err := b.posts.Timeline(t.Context(), job.Post.ID)
			require.NoError(t, err)
			var details []string
			for _, e := range entries {
				require.Positive(t, e.Count)
				require.False(t, e.LastAt.IsZero())
				if e.Kind != post.EntryCreated && e.Kind != post.EntryWaiting {
					details = append(details, e.Detail)
				}
			}
			if c.want == "" {
				require.Empty(t, details)
				return
			}
			require.Equal(t, []string{"Publish attempt 1 started.", c.want}, details)
		})
	}
}

// TestSignalsWaitForOldestProgram covers a worker of an older version, which does not know the signals that carry
// the kind of change.
func TestSignalsWaitForOldestProgram(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.program(t, b.address, "worker")
	named, err := b.outbox.NamedSignals(t.Context())
	require.NoError(t, err)
	require.True(t, named)
	b.older(t, "worker%20schema%3D12")
	named, err = b.outbox.NamedSignals(t.Context())
	require.NoError(t, err)
	require.False(t, named)
}
