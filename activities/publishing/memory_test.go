package publishing_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
)

// ledger is the interface shared by the database and the simulation's memory.
type ledger interface {
	publishing.Attempts
	publishing.Posts
}

// database is the real implementation.
type database struct {
	*postgres.Attempts
	*postgres.Posts
}

// twin applies the same operations to the database and the memory.
type twin struct {
	b      *bundle
	memory *memory
	rng    *rand.Rand
	owners []uuid.UUID
}

// TestMemoryStoreMatchesDatabase applies random operations to both, and compares their results and states.
func TestMemoryStoreMatchesDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // repeatable on purpose
		p := b.due(t, time.Second)
		quiet := &chaos{rng: rand.New(rand.NewPCG(seed, 3)), began: time.Now()} //nolint:gosec // without effect here
		w := &twin{
			b: b, rng: rng, owners: []uuid.UUID{uuid.New(), uuid.New()},
			memory: &memory{chaos: quiet, post: p, channel: channel.Channel{ID: p.ChannelID}},
		}
		trace := fmt.Sprintf("seed %d:", seed)
		for range 14 {
			trace += "\n" + w.both(t, p)
			theirs, ours := w.state(t, database{b.attempts, b.posts}, p), w.state(t, w.memory, p)
			require.Equal(t, theirs, ours, trace)
		}
	}
}

// both applies an operation to the database and the memory, compares the results, and returns a description.
func (w *twin) both(t *testing.T, p post.Post) string {
	t.Helper()
	name, do := w.anything()
	errs := make([]error, 0, 2)
	for _, l := range []ledger{database{w.b.attempts, w.b.posts}, w.memory} {
		job, err := l.Load(t.Context(), p.ID)
		require.NoError(t, err)
		errs = append(errs, do(t.Context(), l, job))
	}
	for _, kind := range []error{postgres.ErrStale, postgres.ErrFenced, postgres.ErrDuplicate, nil} {
		require.Equal(t, errors.Is(errs[0], kind), errors.Is(errs[1], kind), "%s\n%s: the database says %v, the memory %v",
			w.state(t, w.memory, p), name, errs[0], errs[1])
	}
	return fmt.Sprintf("%s: %v", name, errs[0])
}

// anything returns a random operation of an execution or a user.
func (w *twin) anything() (string, func(context.Context, ledger, postgres.Job) error) {
	in := postgres.Intent{
		N: 1 + w.rng.IntN(3), Handle: pickOf(w.rng, "", "h"), Marker: "m", Owner: pickOf(w.rng, w.owners...),
	}
	about := fmt.Sprintf(" %d %q of %.4s", in.N, in.Handle, in.Owner)
	switch w.rng.IntN(6) {
	case 0:
		return "claim", func(ctx context.Context, l ledger, job postgres.Job) error {
			_, err := l.Claim(ctx, job.Post.ID, job.Post.Revision)
			return err
		}
	case 1:
		return "prepared" + about, func(ctx context.Context, l ledger, job postgres.Job) error {
			return l.Prepared(ctx, job,
				in)
		}
	case 2:
		return "intend" + about, func(ctx context.Context, l ledger, job postgres.Job) error { return l.Intend(ctx, job, in) }
	case 3:
		return "withdraw" + about, func(ctx context.Context, l ledger, job postgres.Job) error {
			return l.Withdraw(ctx, job,
				in)
		}
	default:
		return w.record(in)
	}
}

func (w *twin) record(in postgres.Intent) (string, func(context.Context, ledger, postgres.Job) error) {
	result := postgres.AttemptResult{
		N: in.N * w.rng.IntN(2), Owner: in.Owner, Reconciled: w.rng.IntN(3) == 0, State: pickOf(w.rng, post.AttemptRejected,
			post.AttemptRejected, post.AttemptUnknown, post.AttemptUndetermined, post.AttemptConfirmed),
	}
	result.Revoked = result.State == post.AttemptRejected && result.Reconciled && w.rng.IntN(2) == 0
	result.Edited = result.State == post.AttemptRejected && !result.Reconciled && w.rng.IntN(2) == 0
	end, release := w.rng.IntN(8), w.rng.IntN(2) == 0
	name := fmt.Sprintf("record %d %s of %.4s, reconciled %t, revoked %t, edited %t; end %d, release %t", result.N, result.State,
		in.Owner, result.Reconciled, result.Revoked, result.Edited, end, release)
	return name, func(ctx context.Context, l ledger, job postgres.Job) error {
		if job.Post.Status != post.Scheduled {
			return nil // no execution gets this far
		}
		now := time.Now().UTC()
		change, err := job.Post.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: now}, release, now,
			"Later."), error(nil)
		switch {
		case result.State == post.AttemptConfirmed:
			result.ExternalID = job.Post.ID.String()
			change, err = job.Post.Complete("https://network.test/1", true, now)
		case end == 0:
			change, err = job.Post.Fail(post.Error{Code: "NO", Message: "No."}, now)
		}
		if err != nil {
			return err
		}
		return l.Record(ctx, change, result)
	}
}

func pickOf[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// state describes the state that a step of the protocol would read.
func (w *twin) state(t *testing.T, l ledger, p post.Post) string {
	t.Helper()
	job, err := l.Load(t.Context(), p.ID)
	require.NoError(t, err)
	taken, err := l.Taken(t.Context(), p.ChannelID, []string{p.ID.String()})
	require.NoError(t, err)
	text := fmt.Sprintf("%s %d claimed %t taken %t last %d tried %t absences %d", job.Post.Status, job.Post.Revision,
		!job.Post.PublishingSince.IsZero(), taken[p.ID.String()], job.Attempt.N, !job.FirstTry.IsZero(), job.Absences)
	for _, a := range w.attempts(t, l, p) {
		text += fmt.Sprintf("; %d %s %q sent %t ended %t reconciled %d", a.N, a.State, a.Handle, !a.SentAt.IsZero(),
			!a.FinishedAt.IsZero(), a.Reconciled)
	}
	return text
}

// attempts returns all attempts.
func (w *twin) attempts(t *testing.T, l ledger, p post.Post) []postgres.Attempt {
	t.Helper()
	if l != ledger(w.memory) {
		all, err := w.b.attempts.ListByPost(t.Context(), p.ID)
		require.NoError(t, err)
		return all
	}
	var all []postgres.Attempt
	for _, a := range w.memory.attempts {
		all = append(all, a.Attempt)
	}
	slices.SortFunc(all, func(a, b postgres.Attempt) int { return a.N - b.N })
	return all
}
