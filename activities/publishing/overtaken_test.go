package publishing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// rival lets another execution act just before a statement of this one.
type rival struct {
	*postgres.Attempts

	posts        publishing.Posts
	beforeIntent func()
	beforeRecord func()
	claims       bool // the other execution claims the post, and this one is refused
}

func (r *rival) Claim(ctx context.Context, id ident.Post, revision int) (postgres.Job, error) {
	job, err := r.Attempts.Claim(ctx, id, revision)
	if r.claims {
		return postgres.Job{}, postgres.ErrStale
	}
	return job, err
}

func (r *rival) Intend(ctx context.Context, job postgres.Job, intent postgres.Intent) error {
	if r.beforeIntent != nil {
		r.beforeIntent()
	}
	return r.Attempts.Intend(ctx, job, intent)
}

func (r *rival) Record(ctx context.Context, change post.Change, result postgres.AttemptResult) error {
	if r.beforeRecord != nil {
		r.beforeRecord()
	}
	return r.posts.Record(ctx, change, result)
}

func (r *rival) Hold(ctx context.Context, change post.Change, result postgres.AttemptResult) error {
	return r.posts.Hold(ctx, change, result)
}

func setupRival(t *testing.T, net *network) (*bundle, *rival) {
	t.Helper()
	r := &rival{}
	b := setupWith(t, net, net, func(cfg *publishing.Config) {
		attempts, ok := cfg.Attempts.(*postgres.Attempts)
		require.True(t, ok)
		r.Attempts, r.posts = attempts, cfg.Posts
		cfg.Attempts, cfg.Posts = r, r
	})
	return b, r
}

// TestIntentOfAnotherExecutionIsReconciled checks that an execution which finds the fence of another one at its own intent sends
// nothing, and looks for the post of the other execution.
func TestIntentOfAnotherExecutionIsReconciled(t *testing.T) {
	t.Parallel()
	b, other := setupRival(t, &network{strength: platform.ReconcileMatch, reconcile: unclearAlways})
	p := b.due(t, time.Second)
	other.beforeIntent = func() { b.vanish(t, p) }
	out := b.publish(t, p)
	require.Equal(t, postflow.NextReconcile, out.Next)
	require.Equal(t, "The service looks for the post of attempt 1 on X.", out.Note)
	require.Zero(t, b.net.commits.Load())
	require.Equal(t, post.AttemptSent, b.reload(t, p).Attempt.State)
}

// TestRefusalLeavesAttemptOfAnotherExecutionOpen checks that an execution whose preparation is refused ends no attempt
// which another execution has sent meanwhile under the same number: its fence would be lost.
func TestRefusalLeavesAttemptOfAnotherExecutionOpen(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]error{
		"waits for its channel": fails(platform.ClassReconnect, "GONE"),
		"fails":                 fails(platform.ClassRejected, "REFUSED"),
		"tried again":           fails(platform.ClassTransient, "DOWN"),
		"limited":               fails(platform.ClassRateLimited, "RATE"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &network{strength: platform.ReconcileMatch, reconcile: unclearAlways}
			b := setup(t, net)
			p := b.due(t, time.Second)
			net.prepare = func(platform.Handle) (platform.Preparation, error) {
				b.vanish(t, p)
				return platform.Preparation{}, refusal
			}
			require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
			require.Equal(t, post.AttemptSent, b.reload(t, p).Attempt.State)
		})
	}
}

// TestAttemptOfEarlierPlanIsReconciled checks that an execution which finds the fence of an earlier attempt at its own intent
// sends nothing: the network had not shown the post when the attempt was taken to be absent, and its sender reports only now.
func TestAttemptOfEarlierPlanIsReconciled(t *testing.T) {
	t.Parallel()
	b, other := setupRival(t, &network{strength: platform.ReconcileMatch})
	p := b.due(t, time.Second)
	sender := b.vanish(t, p)
	absent := sender.Post.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: time.Now()}, true, time.Now(), "Later.")
	require.NoError(t, b.posts.Record(t.Context(), absent,
		postgres.AttemptResult{N: 1, State: post.AttemptRejected, Reconciled: true}))
	again, err := b.reload(t, p).Post.PublishNow(time.Now().UTC().Add(-time.Second), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), again))
	other.beforeIntent = func() {
		late, err := sender.Post.Complete("https://network.test/late", true, time.Now())
		require.NoError(t, err)
		require.ErrorIs(t, b.posts.Record(t.Context(), late, postgres.AttemptResult{
			N: 1, State: post.AttemptConfirmed, ExternalID: "late", URL: "https://network.test/late",
		}), postgres.ErrStale)
	}
	out := b.publish(t, again.Post)
	require.Equal(t, postflow.NextDone, out.Next)
	require.Equal(t, "https://network.test/late", out.URL)
	require.Zero(t, b.net.commits.Load())
}

// TestPlanChangedBeforeIntentIsSuperseded checks that nothing is sent when the post was given back and unscheduled meanwhile.
func TestPlanChangedBeforeIntentIsSuperseded(t *testing.T) {
	t.Parallel()
	b, other := setupRival(t, &network{})
	p := b.due(t, time.Second)
	other.beforeIntent = func() {
		postgrestest.Exec(t, b.address, `UPDATE post SET publishing_since = NULL`)
		change, err := p.Unschedule(time.Now(), post.ActorAPI)
		require.NoError(t, err)
		require.NoError(t, b.posts.Apply(t.Context(), change))
	}
	require.Equal(t, postflow.NextSuperseded, b.publish(t, p).Next)
	require.Zero(t, b.net.commits.Load())
}

// TestPostEndedByAnotherExecutionIsDone checks that an execution whose record comes too late returns the end of the other one.
func TestPostEndedByAnotherExecutionIsDone(t *testing.T) {
	t.Parallel()
	b, other := setupRival(t, &network{strength: platform.ReconcileMatch, reconcile: unclearAlways})
	p := b.due(t, time.Second)
	sender := b.vanish(t, p)
	other.beforeRecord = func() {
		change, err := sender.Post.Complete("https://network.test/sender", true, time.Now())
		require.NoError(t, err)
		require.NoError(t, b.posts.Record(t.Context(), change,
			postgres.AttemptResult{N: 1, State: post.AttemptConfirmed, ExternalID: "1"}))
	}
	out, err := b.Reconcile(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextDone, out.Next)
	require.Equal(t, "https://network.test/sender", out.URL)
}

// TestPostClaimedByAnotherExecutionIsClaimedAgain checks that a claim of another execution which has sent nothing yet is no reason
// to look for the post.
func TestPostClaimedByAnotherExecutionIsClaimedAgain(t *testing.T) {
	t.Parallel()
	b, other := setupRival(t, &network{strength: platform.ReconcileMatch, reconcile: unclearAlways})
	p := b.due(t, time.Second)
	other.claims = true
	out := b.publish(t, p)
	require.Equal(t, postflow.NextPublish, out.Next)
	require.Equal(t, "No execution holds the post; claims it again.", out.Note)
	require.Nil(t, b.reload(t, p).Post.Waiting)
	other.claims = false
	require.Equal(t, postflow.NextDone, b.publish(t, p).Next)
}

// TestWaitOfAnotherKindIsReplaced checks that the wait for the network's word is recorded although the post waits for something else
// until later.
func TestWaitOfAnotherKindIsReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{strength: platform.ReconcileMatch, reconcile: unclearAlways})
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, 10*time.Minute))
	p := b.due(t, time.Second)
	b.publish(t, p)
	require.Equal(t, post.WaitRateLimited, b.reload(t, p).Post.Waiting.Reason)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	require.NoError(t, b.attempts.Intend(t.Context(), job, postgres.Intent{N: 2}))
	require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
	require.Equal(t, post.WaitReconciling, b.reload(t, p).Post.Waiting.Reason)
}

// TestPostTriedInTimeIsNotMissed checks that a post whose first try was in time is published more than a day later: only the
// retry budget ends it.
func TestPostTriedInTimeIsNotMissed(t *testing.T) {
	t.Parallel()
	net := &network{}
	net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		if net.commits.Load() == 1 {
			return platform.Publication{}, fails(platform.ClassTransient, "DOWN")
		}
		return platform.Publication{ExternalID: "1"}, nil
	}
	b := setup(t, net)
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextPublish, b.publish(t, p).Next)
	b.sentAgo(t, 25*time.Hour)
	postgrestest.Exec(t, b.address, `UPDATE post SET scheduled_at = now() - interval '25 hours'`)
	require.Equal(t, postflow.NextDone, b.publish(t, p).Next)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}
