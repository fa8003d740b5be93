package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// planned creates a post that is due at the given time.
func (b *bundle) planned(t *testing.T, at time.Time) post.Post {
	t.Helper()
	p := b.scheduled(t)
	postgrestest.Exec(t, b.address, `UPDATE post SET scheduled_at = $1 WHERE id = $2`, at, p.ID.String())
	return b.get(t, p.ID)
}

func (b *bundle) fences(t *testing.T, id ident.Post) []post.AttemptState {
	t.Helper()
	attempts, err := b.attempts.ListByPost(t.Context(), id)
	require.NoError(t, err)
	states := make([]post.AttemptState, len(attempts))
	for i, a := range attempts {
		states[i] = a.State
	}
	return states
}

func TestRecoveryAfterRestore(t *testing.T) {
	t.Parallel()
	unknown := []post.AttemptState{post.AttemptUnknown}
	for name, askable := range map[string][]channel.Type{
		"can be asked": {channel.Twitter}, "cannot be asked": {channel.Threads},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			recovery := postgres.NewRecovery(b.db)
			since, err := recovery.KnownUntil(t.Context())
			require.NoError(t, err)
			require.Zero(t, since)
			due, ahead, out := b.planned(t, b.now.Add(-time.Hour)), b.planned(t, b.now.Add(time.Hour)), b.planned(t,
				b.now.Add(time.Hour))
			draft := b.draft(t, post.Options{})
			inFlight := b.planned(t, b.now.Add(-time.Hour))
			job, err := b.attempts.Claim(t.Context(), inFlight.ID, inFlight.Revision)
			require.NoError(t, err)
			require.NoError(t, b.attempts.Intend(t.Context(), job, intent(1, "")))

			since, err = recovery.KnownUntil(t.Context())
			require.NoError(t, err)
			require.WithinDuration(t, b.now, since, time.Minute)
			gap := postgres.Gap{Since: since, Askable: askable, Published: []ident.Post{out.ID, ident.New[ident.Post]()}}
			first, err := recovery.Run(t.Context(), gap)
			require.NoError(t, err)
			require.Equal(t, 4, first.Enqueued)
			_, err = recovery.Run(t.Context(), gap) // an operator may run it again
			require.NoError(t, err)

			requested := map[bool][]post.AttemptState{true: unknown, false: {}}[name == "can be asked"]
			require.Equal(t, unknown, b.fences(t, due.ID))
			require.Equal(t, unknown, b.fences(t, out.ID), "Temporal knows that it is out")
			require.Equal(t, unknown, b.fences(t, inFlight.ID))
			require.Equal(t, requested, b.fences(t, ahead.ID))
			require.Equal(t, requested, b.fences(t, draft.ID))
			require.Greater(t, b.get(t, due.ID).Revision, due.Revision, "Temporal takes its plan for a newer one")

			renewed := b.get(t, due.ID)
			job, err = b.attempts.Claim(t.Context(), due.ID, renewed.Revision)
			require.NoError(t, err)
			require.True(t, job.Attempt.State.Fenced())
			require.Equal(t, postgres.CodeRestored, job.Attempt.Code)
			require.WithinDuration(t, since, job.Attempt.SentAt, time.Second)
			require.Zero(t, job.FirstTry, "what happened in the gap is no try of the present plan")
			require.ErrorIs(t, b.attempts.Intend(t.Context(), job, intent(2, "")), postgres.ErrFenced)
		})
	}
}

// TestFutureTimesAreIgnored checks that times in the future are ignored.
func TestFutureTimesAreIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	postgrestest.Exec(t, b.address, `UPDATE post SET updated_at = now() + interval '3 hours' WHERE id = $1`, p.ID.String())
	since, err := postgres.NewRecovery(b.db).KnownUntil(t.Context())
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), since, time.Minute)
}
