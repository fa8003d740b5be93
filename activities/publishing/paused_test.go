package publishing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform"
)

func (b *bundle) pause(t *testing.T, paused bool) {
	t.Helper()
	require.NoError(t, b.channels.Pause(t.Context(), b.ch.WorkspaceID, b.ch.ID, paused))
}

func (b *bundle) stop(t *testing.T, at time.Time) {
	t.Helper()
	require.NoError(t, b.channels.StopPublishing(t.Context(), b.ch.WorkspaceID, at, "Ada"))
}

// TestPausedPostWaitsAndIsPublishedOnce covers both switches, for a post that is more than 24 hours late at the end.
func TestPausedPostWaitsAndIsPublishedOnce(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]struct {
		set func(*testing.T, *bundle, bool)
		why string
	}{
		"channel": {
			func(t *testing.T, b *bundle, on bool) { t.Helper(); b.pause(t, on) },
			"waiting: The channel is paused. The post waits until a person resumes it.",
		},
		"workspace": {
			func(t *testing.T, b *bundle, on bool) {
				t.Helper()
				at := time.Time{}
				if on {
					at = time.Now()
				}
				b.stop(t, at)
			},
			"waiting: All publishing of the workspace is stopped. The post waits until a person resumes it.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{})
			p := b.due(t, 30*time.Hour)
			pause.set(t, b, true)
			for range 2 { // a step may be repeated
				out := b.publish(t, p)
				require.Equal(t, postflow.NextPublish, out.Next)
				require.Zero(t, out.At)
				held := b.reload(t, p).Post
				require.Equal(t, &post.Waiting{Reason: post.WaitPaused}, held.Waiting)
				require.True(t, held.PublishingSince.IsZero(), "the post can be changed while it waits")
			}
			require.Zero(t, b.net.commits.Load())
			pause.set(t, b, false)
			require.Equal(t, []string{"1 SCHEDULED scheduled", "2 SCHEDULED resumed"}, b.plans(t, p))
			require.Equal(t, postflow.NextSuperseded, b.publish(t, p).Next, "the old plan is void")
			p.Revision = 2
			require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
			require.Equal(t, post.Published, b.reload(t, p).Post.Status)
			require.EqualValues(t, 1, b.net.commits.Load())
			lines, _ := b.story(t, p)
			require.Equal(t, []string{
				pause.why, "resumed: The channel was resumed. The post is published now.",
				"attempt_started: Publish attempt 1 started.", "published: Published at https://network.test/1",
			}, lines)
		})
	}
}

// TestPauseDuringPreparationHoldsPost checks that a pause holds a post until its irrevocable call begins, and
// that what was prepared is used afterwards.
func TestPauseDuringPreparationHoldsPost(t *testing.T) {
	t.Parallel()
	net := &network{}
	b := setup(t, net)
	net.prepare = func(h platform.Handle) (platform.Preparation, error) {
		if h == "" {
			b.pause(t, true)
		}
		return platform.Preparation{Handle: "h1", Ready: true}, nil
	}
	p := b.due(t, time.Second)
	require.Zero(t, b.publish(t, p).At)
	job := b.reload(t, p)
	require.Equal(t, post.WaitPaused, job.Post.Waiting.Reason)
	require.Equal(t, post.AttemptPrepared, job.Attempt.State)
	require.Zero(t, net.commits.Load())
	b.pause(t, false)
	p.Revision++
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	require.Equal(t, 1, b.reload(t, p).Attempt.N)
}

// TestPausedChannelFinishesSentPost covers a post whose irrevocable call began before the pause.
func TestPausedChannelFinishesSentPost(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{strength: platform.ReconcileExact, reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
		return platform.EvidenceFound, platform.Publication{ExternalID: "ext-1", URL: "https://network.test/1"}, nil
	}})
	p := b.due(t, time.Second)
	b.vanish(t, p)
	b.pause(t, true)
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Zero(t, b.net.commits.Load())
}

// TestPersonPublishesDespitePause checks that the permission holds for one plan.
func TestPersonPublishesDespitePause(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	p := b.due(t, time.Second)
	b.pause(t, true)
	b.publish(t, p)
	change, err := b.reload(t, p).Post.PublishDespitePause(time.Now().UTC(), "user Ada")
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), change))
	moved, err := change.Post.Schedule(time.Now().UTC().Add(time.Hour), time.Now().UTC(), "user Ada")
	require.NoError(t, err)
	require.False(t, moved.Post.OverridesPause)
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, change.Post))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}

// TestPausedPostWaitsForItsChannelAfterPause checks that the time for a reconnect starts when the channel is resumed.
func TestPausedPostWaitsForItsChannelAfterPause(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	p := b.due(t, 30*time.Hour)
	b.pause(t, true)
	b.publish(t, p)
	b.lose(t)
	b.pause(t, false)
	p.Revision++
	for range 2 {
		out := b.publish(t, p)
		require.Equal(t, postflow.NextPublish, out.Next)
		require.WithinDuration(t, time.Now().Add(24*time.Hour), out.At, time.Minute)
	}
	postgrestest.Exec(t, b.address, `UPDATE post SET waiting_until = now() - interval '1 second'`)
	require.Equal(t, post.ErrorNeedsReconnect, b.publish(t, p).Code)
}

// TestPauseOfChannelOutlastsThatOfItsWorkspace checks that each switch keeps its own state.
func TestPauseOfChannelOutlastsThatOfItsWorkspace(t *testing.T) {
	t.Parallel()
	for name, resume := range map[string][]func(*testing.T, *bundle){
		"workspace first": {
			func(t *testing.T, b *bundle) { t.Helper(); b.stop(t, time.Time{}) },
			func(t *testing.T, b *bundle) { t.Helper(); b.pause(t, false) },
		},
		"channel first": {
			func(t *testing.T, b *bundle) { t.Helper(); b.pause(t, false) },
			func(t *testing.T, b *bundle) { t.Helper(); b.stop(t, time.Time{}) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{})
			p := b.due(t, time.Second)
			b.pause(t, true)
			b.stop(t, time.Now())
			b.publish(t, p)
			resume[0](t, b)
			require.Zero(t, b.publish(t, p).At)
			require.Equal(t, []string{"1 SCHEDULED scheduled"}, b.plans(t, p))
			resume[1](t, b)
			require.Equal(t, []string{"1 SCHEDULED scheduled", "2 SCHEDULED resumed"}, b.plans(t, p))
		})
	}
}

// TestSweepLeavesPausedPostsAlone checks that only a post that waits for a person is late by intent.
func TestSweepLeavesPausedPostsAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	p := b.due(t, time.Second)
	b.pause(t, true)
	b.publish(t, p)
	postgrestest.Exec(t, b.address, `DELETE FROM outbox`)
	postgrestest.Exec(t, b.address, `UPDATE post SET scheduled_at = scheduled_at - interval '9 days', updated_at = updated_at - interval '9 days'`)
	outbox := postgres.NewOutbox(b.db)
	found, err := outbox.EnqueueOverdue(t.Context(), time.Second, 10)
	require.NoError(t, err)
	require.Zero(t, found)
	b.pause(t, false)
	postgrestest.Exec(t, b.address, `DELETE FROM outbox`)
	postgrestest.Exec(t, b.address, `UPDATE post SET waiting_until = now() - interval '1 hour', updated_at = now() - interval '1 hour'`)
	found, err = outbox.EnqueueOverdue(t.Context(), time.Second, 10)
	require.NoError(t, err)
	require.Equal(t, 1, found, "a resumed post whose message was lost")
}

// TestWaitShowsTryAndDeadline checks what a retried post can show.
func TestWaitShowsTryAndDeadline(t *testing.T) {
	t.Parallel()
	net := &network{prepare: func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{}, fails(platform.ClassTransient, "DOWN")
	}}
	b := setup(t, net)
	p := b.due(t, time.Second)
	for try := 2; try < 5; try++ {
		out := b.publish(t, p)
		w := b.reload(t, p).Post.Waiting
		require.Equal(t, try, w.Try)
		require.Equal(t, out.Deadline.UTC().Truncate(time.Microsecond), w.Deadline.UTC())
		require.WithinDuration(t, time.Now().Add(30*time.Minute), w.Deadline, time.Minute)
	}
}
