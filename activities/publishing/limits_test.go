package publishing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform"
)

// limits refuses calls until it is switched to accept them.
type limits struct {
	network

	until time.Duration
	open  bool
}

func limiting(until time.Duration) *limits {
	l := &limits{until: until}
	l.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		if l.open {
			return platform.Publication{}, nil
		}
		return platform.Publication{}, &platform.Failure{
			Class: platform.ClassRateLimited, Code: post.ErrorRateLimited, Message: "Too many.", Until: time.Now().Add(l.until),
		}
	}
	return l
}

func (b *bundle) publish(t *testing.T, p post.Post) postflow.Outcome {
	t.Helper()
	out, err := b.Publish(t.Context(), step(p))
	require.NoError(t, err)
	return out
}

// TestRateLimitAppliesToWholeChannel checks that a rate limit response for one post stops calls for the other posts of its
// channel.
func TestRateLimitAppliesToWholeChannel(t *testing.T) {
	t.Parallel()
	l := limiting(10 * time.Second)
	b := setup(t, &l.network)
	first, second, third := b.due(t, time.Second), b.due(t, time.Second), b.due(t, time.Second)
	b.publish(t, first)
	require.EqualValues(t, 1, l.commits.Load())
	for _, p := range []post.Post{second, third, second} {
		out := b.publish(t, p)
		require.Equal(t, postflow.NextPublish, out.Next)
		require.Greater(t, time.Until(out.At), 8*time.Second)
		got := b.reload(t, p)
		require.Equal(t, post.WaitRateLimited, got.Post.Waiting.Reason)
		require.True(t, got.Post.PublishingSince.IsZero(), "it can be changed while it waits")
	}
	require.EqualValues(t, 1, l.commits.Load(), "no other caller asked")

	b.limitPasses(t)
	b.publish(t, second) // still refused
	require.EqualValues(t, 2, l.commits.Load())
	b.publish(t, third)
	require.EqualValues(t, 2, l.commits.Load())

	b.limitPasses(t)
	l.open = true
	for _, p := range []post.Post{third, first, second} {
		require.Equal(t, postflow.NextDone, b.publish(t, p).Next)
		require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	}
	require.EqualValues(t, 5, l.commits.Load())
	require.Equal(t, []string{"0"}, postgrestest.Column(t, b.address, `SELECT count(*) FROM channel_limit`))
}

// limitPasses ends the time of the limit.
func (b *bundle) limitPasses(t *testing.T) {
	t.Helper()
	postgrestest.Exec(t, b.address, `UPDATE channel_limit SET until = now() - interval '1 second'`)
}

// TestPermanentRefusalEndsLimit checks that a permanent refusal ends the limit, because the network processed the
// call.
func TestPermanentRefusalEndsLimit(t *testing.T) {
	t.Parallel()
	l := limiting(10 * time.Second)
	b := setup(t, &l.network)
	first, second := b.due(t, time.Second), b.due(t, time.Second)
	b.publish(t, first)
	b.limitPasses(t)
	l.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{}, fails(platform.ClassRejected, "NO")
	}
	require.Equal(t, postflow.NextDone, b.publish(t, second).Next)
	l.commit = nil
	require.Equal(t, postflow.NextDone, b.publish(t, first).Next)
	require.Equal(t, post.Published, b.reload(t, first).Post.Status)
}

// TestLongLimitFailsOtherPosts checks that the other posts fail with the same message and without a call.
func TestLongLimitFailsOtherPosts(t *testing.T) {
	t.Parallel()
	l := limiting(50 * time.Minute)
	b := setup(t, &l.network)
	first, second := b.due(t, time.Second), b.due(t, time.Second)
	for _, p := range []post.Post{first, second} {
		require.Equal(t, postflow.NextDone, b.publish(t, p).Next)
		failed := b.reload(t, p).Post
		require.Equal(t, post.ErrorRateLimited, failed.Error.Code)
		require.True(t, failed.Error.Retryable)
	}
	require.EqualValues(t, 1, l.commits.Load())
}

// TestReconcileHonorsRateLimit checks that the next query waits as long as the network demands, but not longer than
// until the last query: a limit of a day does not hold the post for a day.
func TestReconcileHonorsRateLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ limit, longest time.Duration }{
		"short": {20 * time.Second, 22 * time.Second},
		"a day": {24 * time.Hour, 31 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			b := setup(t, &network{
				strength: platform.ReconcileMatch, commit: lost,
				reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
					return platform.EvidenceUnclear, platform.Publication{},
						&platform.Failure{Class: platform.ClassRateLimited, Code: "RATE", Until: begun.Add(c.limit)}
				},
			})
			p := b.due(t, time.Second)
			require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
			out, err := b.Reconcile(t.Context(), step(p))
			require.NoError(t, err)
			require.Equal(t, postflow.NextReconcile, out.Next)
			require.False(t, out.At.Before(begun.Add(min(c.limit, 29*time.Minute))))
			require.True(t, out.At.Before(begun.Add(c.longest)), out.At)
			if c.limit < time.Hour {
				return
			}
			b.sentAgo(t, 30*time.Minute+time.Second)
			postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET finished_at = sent_at`)
			_, err = b.Reconcile(t.Context(), step(p))
			require.NoError(t, err)
			require.Equal(t, post.ErrorOutcomeUnknown, b.reload(t, p).Post.Error.Code)
		})
	}
}

// TestPreparationDoesNotEndLimit checks that a successful preparation does not end the limit, because networks limit
// publishing but accept preparation meanwhile. The post waits for its turn when it is published.
func TestPreparationDoesNotEndLimit(t *testing.T) {
	t.Parallel()
	l := limiting(10 * time.Second)
	b := setup(t, &l.network)
	first, second := b.due(t, time.Second), b.due(t, time.Second)
	b.publish(t, first)
	b.limitPasses(t)
	ready := false
	l.prepare = func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{Handle: "container", Ready: ready, Wait: time.Millisecond}, nil
	}
	require.Equal(t, postflow.NextProcessing, b.publish(t, second).Next)
	require.True(t, b.reload(t, second).Limited)
	b.limitPasses(t)
	ready, l.open = true, true
	require.Equal(t, postflow.NextDone, b.publish(t, second).Next)
	require.False(t, b.reload(t, first).Limited, "now the network has let one in")
}
