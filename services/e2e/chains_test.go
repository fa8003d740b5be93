package e2e_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// TestChainIsPublishedInOrder publishes a set in which each post waits for another one, while the worker is killed. Each is
// published once, after the post before it, with its address.
func TestChainIsPublishedInOrder(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{})
	s.Start("api", "").Ready()
	worker := s.Start("worker", "").Ready()
	id := func(typ channel.Type) string { return s.Channels[typ].ID.String() }
	at := time.Now().Add(5 * time.Second)
	posts, err := s.API.Posts.Create(t.Context(), fencepost.CreatePostsRequest{
		ChannelIDs: []string{id(channel.Threads), id(channel.Twitter), id(channel.TelegramChannel)},
		Content:    "The new tiles", Schedule: harness.At(at),
		Variants: []fencepost.Variant{
			{
				ChannelID: id(channel.TelegramChannel), Content: "Read on X: {{url}}",
				PublishAfter: &fencepost.VariantPublishAfter{ChannelID: id(channel.Twitter), DelaySeconds: new(int64(2))},
			},
			{
				ChannelID: id(channel.Threads), Content: "Read on Telegram: {{url}}",
				PublishAfter: &fencepost.VariantPublishAfter{ChannelID: id(channel.TelegramChannel)},
			},
		},
	})
	require.NoError(t, err)
	require.Len(t, posts, 3)
	last, first, second := posts[0], posts[1], posts[2]
	require.Equal(t, first.ID, second.PublishAfter.PostID)
	require.EqualValues(t, 2, second.PublishAfter.DelaySeconds)
	require.Equal(t, second.ID, last.PublishAfter.PostID)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		waiting := s.Get(last.ID).Waiting
		require.NotNil(c, waiting)
		require.Equal(c, fencepost.WaitingReasonAfterPost, waiting.Reason)
	}, soon, 50*time.Millisecond)
	worker.Kill()
	var published []fencepost.Post
	for _, p := range []fencepost.Post{first, second, last} {
		got := settled(t, s, p.ID, soon)
		require.Equal(t, fencepost.PostStatusPublished, got.Status, "%+v", got.Error)
		published = append(published, got)
	}
	require.GreaterOrEqual(t, published[1].PublishedAt.Sub(*published[0].PublishedAt), 2*time.Second)
	require.False(t, published[2].PublishedAt.Before(*published[1].PublishedAt))
	require.Equal(t, "Read on X: "+*published[0].PostURL, published[1].Content)
	for _, p := range published {
		require.Equal(t, 1, s.Sandbox.Count(p.Content), p.Content)
	}
}

// TestChainEndsWithItsFirstPost deletes the post for which others wait: one is published all the same, one becomes a draft, and one
// waits until a person frees it.
func TestChainEndsWithItsFirstPost(t *testing.T) {
	t.Parallel()
	s := running(t)
	first := s.Create(channel.Twitter, "Never published", harness.At(time.Now().Add(time.Hour)))
	var waiting []fencepost.Post
	for _, then := range []fencepost.OnFailure{fencepost.OnFailurePublish, fencepost.OnFailureCancel, fencepost.OnFailureHold} {
		posts, err := s.API.Posts.Create(t.Context(), fencepost.CreatePostsRequest{
			ChannelIDs: []string{s.Channels[channel.Threads].ID.String()}, Content: "After it: " + string(then), Schedule: "now",
			PublishAfter: &fencepost.PublishAfter{PostID: first.ID, OnFailure: then},
		})
		require.NoError(t, err)
		waiting = append(waiting, posts[0])
	}
	held := func(c require.TestingT, id string) {
		p := s.Get(id)
		require.Equal(c, fencepost.PostStatusScheduled, p.Status)
		require.Equal(c, fencepost.WaitingReasonAfterPost, p.Waiting.Reason)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, p := range waiting {
			held(c, p.ID)
		}
	}, soon, 50*time.Millisecond)
	require.NoError(t, s.API.Posts.Delete(t.Context(), first.ID))
	require.Equal(t, fencepost.PostStatusPublished, settled(t, s, waiting[0].ID, soon).Status)
	require.Equal(t, fencepost.PostStatusDraft, settled(t, s, waiting[1].ID, soon).Status)
	held(t, waiting[2].ID)
	_, err := s.API.Posts.Edit(t.Context(), waiting[2].ID, fencepost.EditPostRequest{PublishAfter: fencepost.Clear[fencepost.EditPostPublishAfter]()})
	require.NoError(t, err)
	require.Equal(t, fencepost.PostStatusPublished, settled(t, s, waiting[2].ID, soon).Status)
	texts := []string{}
	for _, entry := range s.Sandbox.Ledger() {
		texts = append(texts, entry.Text)
	}
	slices.Sort(texts)
	require.Equal(t, []string{"After it: hold", "After it: publish"}, texts)
}
