package publishing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/platform"
)

// expiring lets the channel's access token end so soon that no call may be made with it.
func (b *bundle) expiring(t *testing.T) {
	t.Helper()
	require.NoError(t, b.channels.Replace(t.Context(), b.ch, channel.Credentials{
		AccessToken: "expiring", RefreshToken: "r1", ExpiresAt: time.Now().Add(time.Second),
	}))
}

// TestExpiringTokenIsRefreshedBeforeCall checks that the network never gets a token that is about to end.
func TestExpiringTokenIsRefreshedBeforeCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refresh func(platform.Account) (channel.Credentials, error)
		status  post.Status
		tokens  []string
	}{
		"refreshed": {nil, post.Published, []string{"fresh"}},
		"refused": {func(platform.Account) (channel.Credentials, error) {
			return channel.Credentials{}, fails(platform.ClassReconnect, "GONE")
		}, post.Failed, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tokens []string
			b := setup(t, &network{
				refresh: c.refresh,
				commit: func(_ context.Context, a platform.Account) (platform.Publication, error) {
					tokens = append(tokens, a.Credentials.AccessToken)
					return platform.Publication{ExternalID: "1"}, nil
				},
			})
			b.expiring(t)
			b.failsAtOnce(t)
			p := b.due(t, time.Second)
			require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
			require.Equal(t, c.status, b.reload(t, p).Post.Status)
			require.Equal(t, c.tokens, tokens)
		})
	}
}

// TestRefusedFreshCredentialsAreNotRefreshedAgain checks that an execution refreshes once: after that only a person can help.
func TestRefusedFreshCredentialsAreNotRefreshedAgain(t *testing.T) {
	t.Parallel()
	for name, expiring := range map[string]bool{"after the call": false, "before the call": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &network{}
			refused := int32(2)
			if expiring {
				refused = 1
			}
			net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
				if net.commits.Load() > refused {
					return platform.Publication{ExternalID: "1"}, nil
				}
				return platform.Publication{}, fails(platform.ClassRefresh, "EXPIRED")
			}
			b := setup(t, net)
			if expiring {
				b.expiring(t)
			}
			b.failsAtOnce(t)
			p := b.due(t, time.Second)
			require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
			failed := b.reload(t, p).Post
			require.Equal(t, post.Failed, failed.Status)
			require.Equal(t, post.ErrorNeedsReconnect, failed.Error.Code)
			require.Equal(t, refused, net.commits.Load())
			require.EqualValues(t, 1, net.refreshes.Load())
		})
	}
}

// accepts returns a publication that needs this access token, and fails with any other.
func accepts(token string, otherwise error) func(context.Context, platform.Account) (platform.Publication, error) {
	return func(_ context.Context, a platform.Account) (platform.Publication, error) {
		if a.Credentials.AccessToken == token {
			return platform.Publication{ExternalID: "1", URL: "https://network.test/1"}, nil
		}
		return platform.Publication{}, otherwise
	}
}

// expired refuses every token but the fresh one.
func expired(ctx context.Context, a platform.Account) (platform.Publication, error) {
	return accepts("fresh", fails(platform.ClassRefresh, "EXPIRED"))(ctx, a)
}

// TestRefreshAddsNoTimelineWait checks that the timeline reports both attempts, and no wait between them.
func TestRefreshAddsNoTimelineWait(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: expired})
	p := b.due(t, time.Second)
	b.follow(t, p)
	lines, _ := b.story(t, p)
	require.ElementsMatch(t, []string{
		"attempt_started: Publish attempt 1 started.",
		"attempt_failed: EXPIRED: The network said no.",
		"attempt_started: Publish attempt 2 started.",
		"published: Published at https://network.test/1",
	}, lines)
}

// TestFailedRefreshEndsNextAttempt checks that the failure of the refresh is kept: it belongs to an attempt of its own, because
// the one before it ended with the refusal of the old token.
func TestFailedRefreshEndsNextAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: expired, refresh: func(platform.Account) (channel.Credentials, error) {
		return channel.Credentials{}, fails(platform.ClassTransient, "DOWN")
	}})
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextPublish, b.publish(t, p).Next)
	attempts, err := b.attempts.ListByPost(t.Context(), p.ID)
	require.NoError(t, err)
	codes := make([]string, len(attempts))
	for i, a := range attempts {
		require.Equal(t, post.AttemptRejected, a.State)
		codes[i] = a.Code
	}
	require.Equal(t, []string{"EXPIRED", "DOWN"}, codes)
}

// TestReconcilingWithoutRefreshAsksOnce checks that the network is not asked again with credentials that it refused.
func TestReconcilingWithoutRefreshAsksOnce(t *testing.T) {
	t.Parallel()
	requested := 0
	b := setup(t, &network{
		strength: platform.ReconcileMatch, commit: lost,
		reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
			requested++
			return platform.EvidenceUnclear, platform.Publication{}, fails(platform.ClassRefresh, "EXPIRED")
		},
		refresh: func(platform.Account) (channel.Credentials, error) {
			return channel.Credentials{}, fails(platform.ClassTransient, "DOWN")
		},
	})
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
	out, err := b.Reconcile(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextReconcile, out.Next)
	require.Equal(t, 1, requested)
}
