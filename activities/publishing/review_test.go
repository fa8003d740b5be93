package publishing_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform"
)

// reviewing is a network that reviews the posts it has accepted. The verdicts are returned in turn, and the last one is
// repeated.
type reviewing struct {
	*network

	verdicts []error // nil: still in review
	live     bool    // the post is shown after the verdicts
	reads    int
}

func (r *reviewing) Review(_ context.Context, a platform.Account, id string) (platform.Publication, error) {
	seen := platform.Publication{ExternalID: id, URL: "https://network.test/live"}
	r.reads++
	if r.reads > len(r.verdicts) {
		seen.InReview = !r.live
		return seen, nil
	}
	seen.InReview = true
	return seen, r.verdicts[r.reads-1]
}

func inReview(context.Context, platform.Account) (platform.Publication, error) {
	return platform.Publication{ExternalID: "ext-1", URL: "https://network.test/1", InReview: true}, nil
}

func setupReview(t *testing.T, verdicts ...error) (*bundle, *reviewing) {
	t.Helper()
	net := &reviewing{network: &network{commit: inReview}, verdicts: verdicts, live: true}
	return setupWith(t, net.network, net), net
}

// TestPostInReviewIsPublishedWhenShown checks that the post stays SCHEDULED, claimed and waiting for the network
// until the review ends, that a failed read of the review decides nothing, and that nothing is sent again.
func TestPostInReviewIsPublishedWhenShown(t *testing.T) {
	t.Parallel()
	b, net := setupReview(t, nil, fails(platform.ClassTransient, "DOWN"), fails(platform.ClassReconnect, "LOST"))
	p := b.due(t, time.Second)
	out := b.publish(t, p)
	require.Equal(t, postflow.NextReconcile, out.Next)
	require.Contains(t, out.Note, "reviews it before showing it")
	waiting := b.reload(t, p)
	require.Equal(t, post.Scheduled, waiting.Post.Status)
	require.Equal(t, post.WaitReview, waiting.Post.Waiting.Reason)
	require.False(t, waiting.Post.PublishingSince.IsZero(), "the post stays claimed, so that it cannot be changed")
	require.Equal(t, post.AttemptConfirmed, waiting.Attempt.State)

	b.follow(t, p)
	published := b.reload(t, p)
	require.Equal(t, post.Published, published.Post.Status)
	require.Equal(t, "https://network.test/live", published.Post.PostURL)
	require.True(t, *published.Post.Confirmed)
	require.Equal(t, 4, net.reads)
	require.EqualValues(t, 1, net.commits.Load())
}

// TestPostRefusedInReviewFails checks that the refusal is final, and that the changed post can be sent again.
func TestPostRefusedInReviewFails(t *testing.T) {
	t.Parallel()
	b, net := setupReview(t, nil, fails(platform.ClassRejected, "POLICY_VIOLATION"))
	p := b.due(t, time.Second)
	b.follow(t, p)
	failed := b.reload(t, p)
	require.Equal(t, post.Failed, failed.Post.Status)
	require.Equal(t, "POLICY_VIOLATION", failed.Post.Error.Code)
	require.False(t, failed.Post.Error.Retryable)
	require.Equal(t, post.AttemptRejected, failed.Attempt.State)
	require.Equal(t, "ext-1", failed.Attempt.ExternalID)

	again, err := failed.Post.PublishNow(time.Now().UTC().Add(-time.Second), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), again))
	b.follow(t, again.Post)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.EqualValues(t, 2, net.commits.Load())
}

// TestReviewIsTrackedForOneDay checks that a post whose review lasts longer counts as published, unconfirmed.
func TestReviewIsTrackedForOneDay(t *testing.T) {
	t.Parallel()
	b, net := setupReview(t)
	net.live = false
	p := b.due(t, time.Second)
	b.publish(t, p)
	ago := func(d time.Duration) {
		postgrestest.Exec(t, b.address, fmt.Sprintf(
			"UPDATE publish_attempt SET finished_at = now() - interval '%d seconds'", int(d.Seconds())))
	}
	for _, since := range []time.Duration{0, 5*time.Minute + time.Second, 12 * time.Hour, 24*time.Hour - time.Minute} {
		ago(since)
		out, err := b.Reconcile(t.Context(), step(p))
		require.NoError(t, err)
		require.Equal(t, postflow.NextReconcile, out.Next)
		require.WithinDuration(t, time.Now().Add(24*time.Hour-since), out.Deadline, 10*time.Second)
		require.False(t, out.At.After(out.Deadline.Add(time.Second)))
	}
	ago(24*time.Hour + time.Second)
	reads := net.reads
	b.follow(t, p)
	published := b.reload(t, p).Post
	require.Equal(t, post.Published, published.Status)
	require.Equal(t, "https://network.test/1", published.PostURL)
	require.False(t, *published.Confirmed)
	require.Equal(t, reads, net.reads)
}

// TestPostKeptAsDraftFails covers a network that keeps an accepted post as a draft. It may be a draft for a moment.
func TestPostKeptAsDraftFails(t *testing.T) {
	t.Parallel()
	held := fails(platform.ClassRejected, platform.CodeHeldBack)
	b, _ := setupReview(t, held, held, held)
	p := b.due(t, time.Second)
	b.publish(t, p)
	out, err := b.Reconcile(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextReconcile, out.Next)
	postgrestest.Exec(t, b.address, "UPDATE publish_attempt SET finished_at = now() - interval '11 minutes'")
	b.follow(t, p)
	failed := b.reload(t, p).Post
	require.Equal(t, post.Failed, failed.Status)
	require.Equal(t, platform.CodeHeldBack, failed.Error.Code)
	require.False(t, failed.Error.Retryable)
}

// TestConfirmedDependsOnNetwork covers networks without a review.
func TestConfirmedDependsOnNetwork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		strength    platform.ReconcileStrength
		unconfirmed bool
		want        bool
	}{
		"posts can be read":        {platform.ReconcileMatch, false, true},
		"posts cannot be read":     {platform.ReconcileNone, false, false},
		"the network says nothing": {platform.ReconcileExact, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{strength: c.strength, commit: func(context.Context, platform.Account) (platform.Publication, error) {
				return platform.Publication{ExternalID: "ext-1", Unconfirmed: c.unconfirmed}, nil
			}})
			p := b.due(t, time.Second)
			require.Nil(t, b.reload(t, p).Post.Confirmed)
			b.follow(t, p)
			require.Equal(t, c.want, *b.reload(t, p).Post.Confirmed)
		})
	}
}

// TestExpiredTokenIsRefreshedDuringReview checks that an access token that ends during the review is refreshed.
func TestExpiredTokenIsRefreshedDuringReview(t *testing.T) {
	t.Parallel()
	b, net := setupReview(t, fails(platform.ClassRefresh, "EXPIRED"))
	p := b.due(t, time.Second)
	b.follow(t, p)
	published := b.reload(t, p).Post
	require.Equal(t, post.Published, published.Status)
	require.EqualValues(t, 1, net.refreshes.Load())
	require.Equal(t, 2, net.reads)
	require.Equal(t, "https://network.test/live", published.PostURL)
}

// TestPostInReviewWithoutIDIsPublished checks that the network is not asked for a review that nothing identifies.
func TestPostInReviewWithoutIDIsPublished(t *testing.T) {
	t.Parallel()
	b, net := setupReview(t)
	net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{URL: "https://network.test/1", InReview: true}, nil
	}
	p := b.due(t, time.Second)
	require.Equal(t, []postflow.Next{postflow.NextReconcile, postflow.NextDone}, b.follow(t, p))
	require.Equal(t, "https://network.test/1", b.reload(t, p).Post.PostURL)
	require.Zero(t, net.reads)
}

// TestPostInReviewEndsLimit checks that the network, which has accepted the post, lets in the other posts of its channel.
func TestPostInReviewEndsLimit(t *testing.T) {
	t.Parallel()
	b, _ := setupReview(t)
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, 0))
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
	require.False(t, b.reload(t, p).Limited)
}

// TestPostFoundInReviewIsTracked checks that a post whose response was lost is followed like any other.
func TestPostFoundInReviewIsTracked(t *testing.T) {
	t.Parallel()
	b, net := setupReview(t, nil, fails(platform.ClassRejected, "POLICY_VIOLATION"))
	net.strength = platform.ReconcileMatch
	net.commit = lost
	net.reconcile = func(platform.Sent) (platform.Evidence, platform.Publication, error) {
		found, _ := inReview(t.Context(), platform.Account{})
		return platform.EvidenceFound, found, nil
	}
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, "POLICY_VIOLATION", b.reload(t, p).Post.Error.Code)
	require.EqualValues(t, 1, net.commits.Load())
}

// TestRefusedReadIsInconclusive checks that a network that does not show the account's posts neither disconnects the
// channel nor proves an absence, and that the error says what to do. Other failures to read give no advice.
func TestRefusedReadIsInconclusive(t *testing.T) {
	t.Parallel()
	const hint = "Connect the channel again with the permission pages_read_engagement."
	for code, hints := range map[string]bool{platform.CodeReadRefused: true, "DOWN": false} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{
				strength: platform.ReconcileMatch, commit: lost,
				reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
					return platform.EvidenceUnclear, platform.Publication{}, &platform.Failure{
						Class: platform.ClassUser, Code: code, Message: hint,
					}
				},
			})
			p := b.due(t, time.Second)
			b.publish(t, p)
			out, err := b.Reconcile(t.Context(), step(p))
			require.NoError(t, err)
			require.Equal(t, postflow.NextReconcile, out.Next)
			require.Equal(t, hints, strings.Contains(out.Note, hint))
			b.sentAgo(t, 31*time.Minute)
			postgrestest.Exec(t, b.address, "UPDATE publish_attempt SET finished_at = now() - interval '31 minutes'")
			b.follow(t, p)
			failed := b.reload(t, p)
			require.Equal(t, post.ErrorOutcomeUnknown, failed.Post.Error.Code)
			require.Equal(t, hints, strings.Contains(failed.Post.Error.Message, hint))
			require.Contains(t, failed.Post.Error.Message, "Check the account first.")
			require.True(t, failed.Channel.Ready(), "the channel stays connected")
		})
	}
}
