package publishing_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// holds sets how long the workspace's posts wait for their channel.
func (b *bundle) holds(t *testing.T, d time.Duration) {
	t.Helper()
	require.NoError(t, postgres.NewWorkspaces(b.db).SetReconnectHold(t.Context(), b.ch.WorkspaceID, d))
}

func (b *bundle) failsAtOnce(t *testing.T) {
	t.Helper()
	b.holds(t, 0)
}

// reconnected stores credentials that the network accepts.
func (b *bundle) reconnected(t *testing.T) {
	t.Helper()
	require.NoError(t, b.channels.Replace(t.Context(), b.ch, channel.Credentials{AccessToken: "given", RefreshToken: "r9"}))
}

// plans returns the messages to workflows of the post, oldest first, as revision, status and signal.
func (b *bundle) plans(t *testing.T, p post.Post) []string {
	t.Helper()
	return postgrestest.Column(t, b.address, `SELECT (payload->>'revision') || ' ' || (payload->>'status') || ' ' ||
		COALESCE(payload->>'signal', '') FROM outbox WHERE kind = 'post' AND subject = '`+p.ID.String()+`' ORDER BY id`)
}

// given accepts only the credentials that a person gave.
func given(ctx context.Context, a platform.Account) (platform.Publication, error) {
	return accepts("given", fails(platform.ClassReconnect, "GONE"))(ctx, a)
}

func TestPostWaitsForItsChannelAndIsPublishedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: given})
	first, second := b.due(t, time.Second), b.due(t, time.Second)
	for _, p := range []post.Post{first, second} {
		out := b.publish(t, p)
		require.Equal(t, postflow.NextPublish, out.Next)
		require.Equal(t, p.ScheduledAt.Add(24*time.Hour), out.At.UTC())
		require.Equal(t, out.At, out.Deadline)
		held := b.reload(t, p).Post
		require.Equal(t, post.Scheduled, held.Status)
		require.Equal(t, post.WaitReconnect, held.Waiting.Reason)
		require.Equal(t, out.At.UTC(), held.Waiting.Until.UTC())
		require.True(t, held.PublishingSince.IsZero(), "the post can be changed while it waits")
	}
	require.EqualValues(t, 1, b.net.commits.Load(), "the second post makes no call")
	again := b.publish(t, first) // a step that is repeated after a crash
	require.Equal(t, postflow.NextPublish, again.Next)
	require.Equal(t, []string{"1 SCHEDULED scheduled"}, b.plans(t, first))

	b.reconnected(t)
	for _, p := range []post.Post{first, second} {
		require.Equal(t, []string{"1 SCHEDULED scheduled", "2 SCHEDULED resumed"}, b.plans(t, p))
		require.Equal(t, postflow.NextSuperseded, b.publish(t, p).Next, "the old plan is void")
		p.Revision = 2
		require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
		require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	}
	require.EqualValues(t, 3, b.net.commits.Load())
	lines, _ := b.story(t, second)
	require.Equal(t, []string{
		"waiting: X no longer accepts the connection. The post waits until a person connects the channel again.",
		"resumed: The channel was connected again. The post is published now.",
		"attempt_started: Publish attempt 1 started.",
		"published: Published at https://network.test/1",
	}, lines)
}

// TestFailedMailDoesNotEndWaitForChannel checks that a mail which cannot be sent does not end the wait.
func TestFailedMailDoesNotEndWaitForChannel(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{"sent": nil, "not sent": errFault} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mailed []ident.Channel
			var log strings.Builder
			net := &network{commit: given}
			b := setupWith(t, net, net, func(cfg *publishing.Config) {
				cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
				cfg.NotifyLoss = func(_ context.Context, id ident.Channel, _ time.Time) error {
					mailed = append(mailed, id)
					return failure
				}
			})
			p := b.due(t, time.Second)
			require.Equal(t, postflow.NextPublish, b.publish(t, p).Next)
			require.Equal(t, post.WaitReconnect, b.reload(t, p).Post.Waiting.Reason)
			require.Equal(t, []ident.Channel{b.ch.ID}, mailed)
			require.Equal(t, failure != nil, strings.Contains(log.String(), "people were not mailed"))
		})
	}
}

// TestMailAboutWaitIsSentAfterCancellation checks that the mail of a recorded wait is not given up.
func TestMailAboutWaitIsSentAfterCancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	mails := 0
	net := &network{}
	b := setupWith(t, net, net, func(cfg *publishing.Config) {
		cfg.NotifyLoss = func(ctx context.Context, _ ident.Channel, _ time.Time) error {
			cancel()
			if ctx.Err() == nil {
				mails++
			}
			return ctx.Err()
		}
	})
	b.lose(t)
	out, err := b.Publish(ctx, step(b.due(t, time.Second)))
	require.NoError(t, err)
	require.Equal(t, postflow.NextPublish, out.Next)
	require.Equal(t, 1, mails)
}

func TestWaitForChannelIsLimitedByWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: given})
	b.holds(t, 10*time.Minute)
	waits, late := b.due(t, 9*time.Minute), b.due(t, 11*time.Minute)
	require.Equal(t, waits.ScheduledAt.Add(10*time.Minute), b.publish(t, waits).At.UTC())
	out := b.publish(t, late)
	require.Equal(t, postflow.NextDone, out.Next)
	require.Equal(t, post.ErrorNeedsReconnect, out.Code)
	failed := b.reload(t, late).Post
	require.Equal(t, post.Failed, failed.Status)
	require.True(t, failed.Error.Retryable)
}

// TestWaitForChannelIsNotMissedSchedule checks a post that waited for longer than posts may be late.
func TestWaitForChannelIsNotMissedSchedule(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	b.holds(t, 48*time.Hour)
	p := b.due(t, 23*time.Hour)
	b.lose(t)
	require.Equal(t, postflow.NextPublish, b.publish(t, p).Next)
	postgrestest.Exec(t, b.address, `UPDATE post SET scheduled_at = scheduled_at - interval '10 hours'`)
	require.Equal(t, postflow.NextPublish, b.publish(t, p).Next)
	b.reconnected(t)
	p.Revision++
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}

// lose marks the channel as one that a person must connect again.
func (b *bundle) lose(t *testing.T) {
	t.Helper()
	_, revision, err := b.channels.Credentials(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.NoError(t, b.channels.NeedsReconnect(t.Context(), b.ch.ID, revision))
}

// TestReconnectedChannelHoldsNoPosts covers a person who connects the channel while the network refuses the old token.
func TestReconnectedChannelHoldsNoPosts(t *testing.T) {
	t.Parallel()
	net := &network{}
	b := setup(t, net)
	net.commit = func(ctx context.Context, a platform.Account) (platform.Publication, error) {
		if a.Credentials.AccessToken == "old" {
			require.NoError(t, b.channels.Replace(ctx, b.ch, channel.Credentials{AccessToken: "given", RefreshToken: "r9"}))
		}
		return given(ctx, a)
	}
	p := b.due(t, time.Second)
	require.Equal(t, []postflow.Next{postflow.NextPublish, postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.EqualValues(t, 2, net.commits.Load())
}

func TestDisconnectedChannelHoldsNoPosts(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: given})
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextPublish, b.publish(t, p).Next)
	_, err := b.channels.SetConnected(t.Context(), b.ch.WorkspaceID, b.ch.ID, false)
	require.NoError(t, err)
	require.Equal(t, []string{"1 SCHEDULED scheduled", "2 SCHEDULED resumed"}, b.plans(t, p))
	p.Revision++
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.ErrorNeedsReconnect, b.reload(t, p).Post.Error.Code)
}

// TestHeldPostCanBeChanged checks that a change during the wait is kept, and that an unscheduled post stays a draft.
func TestHeldPostCanBeChanged(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: given})
	edited, drafted := b.due(t, time.Second), b.due(t, time.Second)
	for _, p := range []post.Post{edited, drafted} {
		b.publish(t, p)
	}
	b.edit(t, edited, "Better")
	now := time.Now().UTC()
	change, err := b.reload(t, drafted).Post.Unschedule(now, post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), change))
	b.reconnected(t)
	edited.Revision++
	b.follow(t, edited)
	require.Equal(t, "Better", b.net.contents[len(b.net.contents)-1].Text)
	require.Equal(t, post.Draft, b.reload(t, drafted).Post.Status)
}

// TestRetryBudgetRestartsAfterWait checks that the wait does not use up the time for transient failures.
func TestRetryBudgetRestartsAfterWait(t *testing.T) {
	t.Parallel()
	net := &network{commit: given}
	b := setup(t, net)
	p := b.due(t, time.Second)
	b.publish(t, p)
	postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET started_at = started_at - interval '5 hours'`)
	b.reconnected(t)
	net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{}, fails(platform.ClassTransient, "DOWN")
	}
	p.Revision++
	out := b.publish(t, p)
	require.Equal(t, postflow.NextPublish, out.Next)
	require.Equal(t, post.WaitRetrying, b.reload(t, p).Post.Waiting.Reason)
}
