package e2e_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// soon is the limit for work that a healthy system does immediately. It is generous, because other systems run beside it
// and no test is about it.
const soon = 2 * time.Minute

func running(t *testing.T, env ...string) *harness.System {
	t.Helper()
	s := harness.New(t, harness.Options{Env: env})
	s.Start("api", "").Ready()
	s.Start("worker", "").Ready()
	return s
}

// settled waits until the post has left SCHEDULED.
func settled(t *testing.T, s *harness.System, id string, within time.Duration) fencepost.Post {
	t.Helper()
	var p fencepost.Post
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		p = s.Get(id)
		require.NotEqual(c, fencepost.PostStatusScheduled, p.Status)
	}, within, 100*time.Millisecond)
	return p
}

// TestScheduledPostIsPublishedOnTime does not run in parallel, because it measures how late posts are published.
func TestScheduledPostIsPublishedOnTime(t *testing.T) {
	s := running(t)
	s.Subscribe()
	for _, typ := range []channel.Type{channel.Twitter, channel.Threads, channel.TelegramChannel} {
		at := time.Now().Add(3 * time.Second).Truncate(time.Millisecond)
		text := "Hello from " + string(typ) + " <b>&amp; 🎈</b>"
		p := s.Create(typ, text, harness.At(at))
		require.Equal(t, fencepost.PostStatusScheduled, p.Status)
		require.Equal(t, fencepost.WaitingReasonTime, p.Waiting.Reason)
		published := settled(t, s, p.ID, soon)
		require.Equal(t, fencepost.PostStatusPublished, published.Status, "%+v", published.Error)
		out := *published.PublishedAt
		require.False(t, out.Before(at), "published %s before %s", out, at)
		require.Less(t, out.Sub(at), 2*time.Second)
		require.NotEmpty(t, *published.PostURL)
		require.Equal(t, 1, s.Sandbox.Count(text))
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			var got []string
			for _, r := range s.Receiver.All() {
				if r.Data["postId"] == p.ID {
					require.True(c, r.Verified)
					require.Equal(c, r.Headers.Get("X-Service-Delivery"), r.ID)
					got = append(got, r.Type)
				}
			}
			require.ElementsMatch(c, []string{"post.created", "post.scheduled", "post.published"}, got)
		}, soon, 50*time.Millisecond)
	}
}

func TestApprovalThenPublish(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Subscribe()
	p := s.Create(channel.Threads, "Please approve", "draft")
	s.RequestApproval(p.ID)
	pending, err := harness.All(s.API.Posts.List(t.Context(), fencepost.ListPostsParams{
		Status: []fencepost.PostStatus{fencepost.PostStatusPendingApproval},
	}))
	require.NoError(t, err)
	require.Len(t, pending, 1)
	require.Equal(t, fencepost.PostStatusDraft, s.Approve(p.ID, "Go!").Status) // it had no publish time
	s.Publish(p.ID)
	require.Equal(t, fencepost.PostStatusPublished, settled(t, s, p.ID, soon).Status)
	timeline, err := s.API.Posts.GetTimeline(t.Context(), p.ID)
	require.NoError(t, err)
	var kinds []string
	for _, e := range timeline.Data {
		kinds = append(kinds, e.Kind)
	}
	require.Equal(t, []string{
		"created", "approval_requested", "approved", "publish_requested", "attempt_started", "published",
	}, kinds)
}

func TestPostRejectedByNetworkFails(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Subscribe()
	s.Sandbox.Inject(harness.Fault{Platform: "threads", Step: "commit", Kind: "reject"})
	p := s.Create(channel.Threads, "Refuse me", "now")
	failed := settled(t, s, p.ID, soon)
	require.Equal(t, fencepost.PostStatusFailed, failed.Status)
	require.NotEmpty(t, failed.Error.Message)
	require.Zero(t, s.Sandbox.Count("Refuse me"))
	s.Publish(p.ID) // the network accepts the post now
	require.Equal(t, fencepost.PostStatusPublished, settled(t, s, p.ID, soon).Status)
	require.Equal(t, 1, s.Sandbox.Count("Refuse me"))
}

func TestExpiredTokenIsRefreshed(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Sandbox.Inject(harness.Fault{Platform: "x", Kind: "expired_token"})
	p := s.Create(channel.Twitter, "With a fresh token", "now")
	published := settled(t, s, p.ID, soon)
	require.Equal(t, fencepost.PostStatusPublished, published.Status, "%+v", published.Error)
	require.Equal(t, 1, s.Sandbox.Count("With a fresh token"))
}
