package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/harness"
	"socialpub.internal/shared/channel"
)

// soon is how long a healthy system has for what it should do at once.
const soon = 30 * time.Second

func running(t *testing.T, env ...string) *harness.System {
	t.Helper()
	s := harness.New(t, harness.Options{Env: env})
	s.Start("api", "").Ready()
	s.Start("worker", "").Ready()
	return s
}

// settled waits until the post has left SCHEDULED.
func settled(t *testing.T, s *harness.System, id string, within time.Duration) harness.Post {
	t.Helper()
	var p harness.Post
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		p = s.Get(id)
		require.NotEqual(c, "SCHEDULED", p.Status)
	}, within, 100*time.Millisecond)
	return p
}

func TestScheduledPostIsPublishedAtItsTime(t *testing.T) {
	s := running(t)
	s.Subscribe()
	for _, typ := range []channel.Type{channel.Twitter, channel.Threads, channel.TelegramChannel} {
		at := time.Now().Add(3 * time.Second).Truncate(time.Millisecond)
		text := "Hello from " + string(typ) + " <b>&amp; 🎈</b>"
		p := s.Create(s.Channels[typ].ID.String(), text, harness.At(at))
		require.Equal(t, "SCHEDULED", p.Status)
		require.Equal(t, "time", p.Waiting.Reason)
		published := settled(t, s, p.ID, soon)
		require.Equal(t, "PUBLISHED", published.Status, "%+v", published.Error)
		require.False(t, published.PublishedAt.Before(at), "published %s before %s", published.PublishedAt, at)
		require.Less(t, published.PublishedAt.Sub(at), 2*time.Second)
		require.NotEmpty(t, published.PostURL)
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
			require.ElementsMatch(c, []string{"post.created", "post.published"}, got)
		}, soon, 50*time.Millisecond)
	}
}

func TestApprovalThenPublish(t *testing.T) {
	s := running(t)
	s.Subscribe()
	p := s.Create(s.Channels[channel.Threads].ID.String(), "Please approve", "draft")
	s.Call(http.MethodPost, "/v1/posts/"+p.ID+"/request-approval", nil, http.StatusOK, nil)
	var pending struct{ Data []harness.Post }
	s.Call(http.MethodGet, "/v1/posts?status=PENDING_APPROVAL", nil, http.StatusOK, &pending)
	require.Len(t, pending.Data, 1)
	var approved harness.Post
	s.Call(http.MethodPost, "/v1/posts/"+p.ID+"/approve", map[string]string{"comment": "Go!"}, http.StatusOK, &approved)
	require.Equal(t, "DRAFT", approved.Status) // it had no publish time
	s.Call(http.MethodPost, "/v1/posts/"+p.ID+"/publish", nil, http.StatusOK, nil)
	require.Equal(t, "PUBLISHED", settled(t, s, p.ID, soon).Status)
	var timeline struct{ Data []struct{ Kind string } }
	s.Call(http.MethodGet, "/v1/posts/"+p.ID+"/timeline", nil, http.StatusOK, &timeline)
	var kinds []string
	for _, e := range timeline.Data {
		kinds = append(kinds, e.Kind)
	}
	require.Equal(t, []string{"created", "approval_requested", "approved", "publish_requested", "attempt_started", "published"}, kinds)
}

func TestRejectedByTheNetwork(t *testing.T) {
	s := running(t)
	s.Subscribe()
	s.Sandbox.Inject(harness.Fault{Platform: "threads", Step: "commit", Kind: "reject"})
	p := s.Create(s.Channels[channel.Threads].ID.String(), "Refuse me", "now")
	failed := settled(t, s, p.ID, soon)
	require.Equal(t, "FAILED", failed.Status)
	require.NotEmpty(t, failed.Error.Message)
	require.Zero(t, s.Sandbox.Count("Refuse me"))
	s.Call(http.MethodPost, "/v1/posts/"+p.ID+"/publish", nil, http.StatusOK, nil) // the network's mood has passed
	require.Equal(t, "PUBLISHED", settled(t, s, p.ID, soon).Status)
	require.Equal(t, 1, s.Sandbox.Count("Refuse me"))
}

func TestExpiredTokenIsRefreshed(t *testing.T) {
	s := running(t)
	s.Sandbox.Inject(harness.Fault{Platform: "x", Kind: "expired_token"})
	p := s.Create(s.Channels[channel.Twitter].ID.String(), "With a fresh token", "now")
	published := settled(t, s, p.ID, soon)
	require.Equal(t, "PUBLISHED", published.Status, "%+v", published.Error)
	require.Equal(t, 1, s.Sandbox.Count("With a fresh token"))
}
