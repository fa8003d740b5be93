package publishing_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/platform"
)

// TestRetryAfterProcessingTimeoutPreparesAgain checks that the next attempt prepares again, because the network
// never finished the first preparation.
func TestRetryAfterProcessingTimeoutPreparesAgain(t *testing.T) {
	t.Parallel()
	var handles []platform.Handle
	b := setup(t, &network{prepare: func(h platform.Handle) (platform.Preparation, error) {
		handles = append(handles, h)
		return platform.Preparation{Handle: "container", Ready: len(handles) > 2, Wait: time.Millisecond}, nil
	}})
	p := b.due(t, time.Second)
	_, err := b.Publish(t.Context(), step(p))
	require.NoError(t, err)
	b.sentAgo(t, 61*time.Minute)
	out, err := b.CheckProcessing(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextDone, out.Next)
	failed := b.reload(t, p).Post
	require.Equal(t, post.ErrorProcessingTimeout, failed.Error.Code)
	require.True(t, failed.Error.Retryable)

	again, err := failed.PublishNow(time.Now().UTC().Add(-time.Second), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), again))
	b.follow(t, again.Post)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, []platform.Handle{"", "container", ""}, handles)
}

// TestLostPreparationIsRepeated checks that the next attempt does not use a preparation that the network has lost.
func TestLostPreparationIsRepeated(t *testing.T) {
	t.Parallel()
	var handles []platform.Handle
	b := setup(t, &network{
		prepare: func(h platform.Handle) (platform.Preparation, error) {
			handles = append(handles, h)
			return platform.Preparation{Handle: "container", Ready: true}, nil
		},
		commit: func(context.Context, platform.Account) (platform.Publication, error) {
			if len(handles) == 1 {
				return platform.Publication{}, fails(platform.ClassTransient, platform.CodePreparationLost)
			}
			return platform.Publication{ExternalID: "1"}, nil
		},
	})
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, []platform.Handle{"", ""}, handles)
}

// TestRetriesExhaustedMessage checks that the message blames the network only for failures of the network.
func TestRetriesExhaustedMessage(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]struct{ code, says, not string }{
		"CONNECTION_REFUSED": {
			post.ErrorPlatformDown, "The network could not be reached for 30 minutes", "storage",
		},
		mediaactivity.CodeMediaUnavailable: {mediaactivity.CodeMediaUnavailable, "service's file storage", "network"},
		platform.CodeMediaUnreadable:       {platform.CodeMediaUnreadable, "service's file storage", "network"},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{prepare: func(platform.Handle) (platform.Preparation, error) {
				return platform.Preparation{}, fails(platform.ClassTransient, code)
			}})
			p := b.due(t, time.Second)
			out, err := b.Publish(t.Context(), step(p))
			require.NoError(t, err)
			require.Equal(t, postflow.NextPublish, out.Next)
			b.sentAgo(t, 31*time.Minute)
			b.follow(t, p)
			failed := b.reload(t, p).Post
			require.Equal(t, post.Failed, failed.Status)
			require.Equal(t, want.code, failed.Error.Code)
			require.True(t, failed.Error.Retryable)
			require.Contains(t, failed.Error.Message, want.says)
			require.NotContains(t, failed.Error.Message, want.not)
			require.Zero(t, b.net.commits.Load())
		})
	}
}

// TestLongURLIsTruncatedBetweenCharacters checks that no character is split. The database would refuse half a
// character, and the network's success would be lost.
func TestLongURLIsTruncatedBetweenCharacters(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{
			ExternalID: "ext-1" + strings.Repeat("é", 2000), URL: "https://network.test/" + strings.Repeat("é", 2000),
		}, nil
	}})
	p := b.due(t, time.Second)
	b.follow(t, p)
	published := b.reload(t, p).Post
	require.Equal(t, post.Published, published.Status)
	require.Equal(t, "https://network.test/"+strings.Repeat("é", 1013), published.PostURL)
}
