package post_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// TestEventsOfLargestPostFit checks that events of the largest post fit: they contain no content of the post, and
// their other fields are bounded.
func TestEventsOfLargestPostFit(t *testing.T) {
	t.Parallel()
	// six bytes in JSON; the limits of the publish protocol
	const widest, longestURL, longestMessage = "\u2028", 2048, 2000
	now := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	created, err := post.Create(post.NewPost{
		WorkspaceID: ident.New[ident.Workspace](), ChannelID: ident.New[ident.Channel](), Content: strings.Repeat("a", 1<<20),
		Title: strings.Repeat("a", 1<<20), ContentType: post.ContentPost,
	}, now, post.ActorAPI)
	require.NoError(t, err)
	pending, err := created.Post.RequestApproval(now, post.ActorAPI)
	require.NoError(t, err)
	approved, err := pending.Post.Approve(approval.Party{}, strings.Repeat(widest, post.MaxComment), time.Time{}, now, post.ActorAPI)
	require.NoError(t, err)
	published, err := created.Post.Complete(strings.Repeat(widest, longestURL/len(widest)), true, now)
	require.NoError(t, err)
	failed, err := created.Post.Fail(post.Error{Code: "REJECTED", Message: strings.Repeat(widest, longestMessage)}, now)
	require.NoError(t, err)
	for _, change := range []post.Change{created, pending, approved, published, failed} {
		for _, e := range change.Events {
			require.Less(t, len(e.Body), event.MaxBody/4, e.Type)
		}
	}
}
