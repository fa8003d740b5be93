package e2e_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// requireFiles checks that there is one post, with the published bytes of the files in order.
func requireFiles(t *testing.T, s *harness.System, accepted []harness.Entry, media []string) {
	t.Helper()
	require.Len(t, accepted, 1)
	require.Len(t, accepted[0].Media, len(media))
	for i, id := range media {
		require.Equal(t, publishedSum(t, s, id), accepted[0].Media[i].SHA256, "file %d", i+1)
	}
}

// TestFacebookPublishesLink sets the link of a draft, and publishes it as the card of a text.
func TestFacebookPublishesLink(t *testing.T) {
	t.Parallel()
	s := running(t)
	const text, link = "A text with a card", "https://example.com/tiles"
	draft := s.Create(channel.FacebookPage, text, "draft")
	edited, err := s.API.Posts.Edit(t.Context(), draft.ID, fencepost.EditPostRequest{
		Options: fencepost.Set(fencepost.EditPostOptions{Link: fencepost.Set(link)}),
	})
	require.NoError(t, err)
	require.Equal(t, link, edited.Options.Link)
	published := settled(t, s, s.Publish(draft.ID).ID, soon)
	require.Equal(t, fencepost.PostStatusPublished, published.Status, "%+v", published.Error)
	accepted := s.Sandbox.Accepted(text)
	require.Len(t, accepted, 1)
	require.Equal(t, link, accepted[0].Details["link"])
}

// TestGoogleBusinessPublishesEvent publishes a photo as an event with a button, and loses the response.
func TestGoogleBusinessPublishesEvent(t *testing.T) {
	t.Parallel()
	s := running(t)
	const text = "Come and see"
	photo := s.Upload("photo.jpg", "image/jpeg", harness.Picture(t, 7)).ID
	draft := s.CreateWith(channel.GoogleBusiness, fencepost.ContentTypePOST, text, "draft", photo)
	set := func(options fencepost.EditPostOptions) error {
		return harness.Failure(s.API.Posts.Edit(t.Context(), draft.ID, fencepost.EditPostRequest{Options: fencepost.Set(options)}))
	}
	word := fencepost.Set[string]
	half := set(fencepost.EditPostOptions{TopicType: word("EVENT"), EventTitle: word("Open day")})
	requireProblem(t, half, http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	require.NoError(t, set(fencepost.EditPostOptions{
		TopicType: word("EVENT"), EventTitle: word("Open day"), EventStart: word("2026-12-01T09:00"), EventEnd: word("2026-12-01"),
		CallToAction: word("LEARN_MORE"), ActionURL: word("https://example.com/open"),
	}))
	s.Sandbox.Inject(harness.Fault{Platform: "googlebusiness", Step: "commit", Kind: "timeout_after_accept", DelayMs: 5000})
	published := settled(t, s, s.Publish(draft.ID).ID, 4*soon)
	require.Equal(t, fencepost.PostStatusPublished, published.Status, "%+v", published.Error)
	accepted := s.Sandbox.Accepted(text)
	requireFiles(t, s, accepted, []string{photo})
	require.Equal(t, "EVENT", accepted[0].Details["topicType"])
	require.Contains(t, accepted[0].Details["event"], "Open day")
	require.Contains(t, accepted[0].Details["callToAction"], "LEARN_MORE")
}
