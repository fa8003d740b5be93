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

// usedUp refuses the call because the service's own quota of the day is used up.
func usedUp(until time.Time) func(context.Context, platform.Account) (platform.Publication, error) {
	return func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{}, &platform.Failure{
			Class: platform.ClassRateLimited, Code: post.CodeDailyQuota, Message: "No more today.", Until: until,
		}
	}
}

// TestPostWaitsForDailyQuota checks that a post waits for the next day beyond the retry budget, that its channel is not
// limited meanwhile, and that the retry budget starts again on that day.
func TestPostWaitsForDailyQuota(t *testing.T) {
	t.Parallel()
	until := time.Now().Add(10 * time.Hour)
	net := &network{commit: usedUp(until)}
	b := setup(t, net)
	p, other := b.due(t, time.Second), b.due(t, time.Second)
	out := b.publish(t, p)
	require.Equal(t, postflow.NextPublish, out.Next)
	require.False(t, out.At.Before(until))
	require.Less(t, out.At.Sub(until), time.Minute)
	waiting := b.reload(t, p)
	require.Equal(t, post.WaitRateLimited, waiting.Post.Waiting.Reason)
	require.True(t, waiting.Post.PublishingSince.IsZero(), "it can be changed while it waits")
	require.False(t, waiting.Limited, "the channel is not limited")
	b.publish(t, other)
	require.EqualValues(t, 2, net.commits.Load(), "the posts of all channels ask for themselves")

	postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET started_at = started_at - interval '11 hours',
		sent_at = sent_at - interval '11 hours', finished_at = finished_at - interval '11 hours'`)
	net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{}, fails(platform.ClassTransient, "DOWN")
	}
	require.Equal(t, postflow.NextPublish, b.publish(t, p).Next, "a failure on the next day is retried")
	require.WithinDuration(t, time.Now(), b.reload(t, p).FirstTry, time.Minute)
	net.commit = nil
	require.Equal(t, postflow.NextDone, b.publish(t, p).Next)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}

// TestDailyQuotaWithoutEndLimitsChannel checks that a quota of the day whose end is unknown or past is a limit like
// any other: the wait for it is short, so every post of the channel would ask.
func TestDailyQuotaWithoutEndLimitsChannel(t *testing.T) {
	t.Parallel()
	for name, until := range map[string]time.Time{"unknown": {}, "past": time.Now().Add(-time.Minute)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{commit: usedUp(until)})
			p := b.due(t, time.Second)
			require.Equal(t, postflow.NextPublish, b.publish(t, p).Next)
			require.True(t, b.reload(t, p).Limited)
		})
	}
}

// TestDailyQuotaEndsChannelLimit checks that the network's refusal of the service is no refusal of the channel.
func TestDailyQuotaEndsChannelLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: usedUp(time.Now().Add(10 * time.Hour))})
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, 0))
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextPublish, b.publish(t, p).Next)
	require.False(t, b.reload(t, p).Limited)
}

// TestDailyQuotaWaitIsLimited checks that a post is not more than a day late because of a quota.
func TestDailyQuotaWaitIsLimited(t *testing.T) {
	t.Parallel()
	net := &network{commit: usedUp(time.Now().Add(10 * time.Hour))}
	b := setup(t, net)
	p := b.due(t, 20*time.Hour)
	require.Equal(t, postflow.NextDone, b.publish(t, p).Next)
	failed := b.reload(t, p).Post
	require.Equal(t, post.ErrorRateLimited, failed.Error.Code)
	require.True(t, failed.Error.Retryable)
}

// noting is a network that publishes posts without a part.
type noting struct {
	*network
}

func (n *noting) Note(_ platform.Content, handle platform.Handle) string {
	if handle != "prepared" {
		return ""
	}
	return "The network did not accept the thumbnail."
}

func (n *noting) Review(_ context.Context, _ platform.Account, id string) (platform.Publication, error) {
	return platform.Publication{ExternalID: id}, nil
}

// TestMissingPartIsTimelineWarning checks a post that is published at once, and one whose review reports no
// address.
func TestMissingPartIsTimelineWarning(t *testing.T) {
	t.Parallel()
	for name, commit := range map[string]func(context.Context, platform.Account) (platform.Publication, error){
		"at once": nil, "after a review": inReview,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &noting{network: &network{commit: commit, prepare: func(platform.Handle) (platform.Preparation, error) {
				return platform.Preparation{Handle: "prepared", Ready: true}, nil
			}}}
			b := setupWith(t, net.network, net)
			p := b.due(t, time.Second)
			b.publish(t, p)
			if commit != nil {
				b.follow(t, p)
			}
			published := b.reload(t, p).Post
			require.Equal(t, post.Published, published.Status)
			if commit != nil {
				require.Equal(t, "https://network.test/1", published.PostURL, "the address of the call stays")
			}
			require.Equal(t, []string{"The network did not accept the thumbnail."},
				postgrestest.Column(t, b.address, `SELECT detail FROM post_timeline WHERE kind = 'warning'`))
		})
	}
}
