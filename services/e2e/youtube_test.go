package e2e_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform/connectors"
)

// tube creates a post by the endpoint of YouTube.
func tube(t *testing.T, s *harness.System, body fencepost.CreateYouTubeRequest) fencepost.Post {
	t.Helper()
	body.ChannelID = s.Channels[channel.YouTube].ID.String()
	body.Schedule = cmp.Or(body.Schedule, "now")
	return harness.Result(s.API.Posts.CreateYouTube(t.Context(), body))(t)
}

// onTube returns the videos on the network with a title.
func onTube(s *harness.System, title string) []harness.Entry {
	var found []harness.Entry
	for _, entry := range s.Sandbox.Ledger() {
		if entry.Title == title {
			found = append(found, entry)
		}
	}
	return found
}

// TestVideoIsPublishedOnYouTube checks the endpoint's options, the bytes, a lost response, a thumbnail that the network
// refuses, and a video that it rejects after the upload.
func TestVideoIsPublishedOnYouTube(t *testing.T) {
	t.Parallel()
	s := running(t, "YOUTUBE_UPLOAD_CHUNK_BYTES=262144")
	video := s.Upload("video.mp4", "video/mp4", harness.Video(t, 700_000))
	video = processed(t, s, video.ID)
	sums := postgrestest.Column(t, s.Database(), `SELECT encode(published_sha256, 'hex') FROM media`)
	require.Len(t, sums, 1)
	p := settled(t, s, tube(t, s, fencepost.CreateYouTubeRequest{
		Title: "With options", MediaID: video.ID, Visibility: fencepost.CreateYouTubeVisibilityUnlisted,
		License: fencepost.CreateYouTubeLicenseCreativeCommon, MadeForKids: new(true),
	}).ID, 2*soon)
	require.Equal(t, fencepost.PostStatusPublished, p.Status, "%+v", p.Error)
	published := onTube(s, "With options")
	require.Len(t, published, 1)
	require.Equal(t, "unlisted", published[0].Visibility)
	require.Len(t, published[0].Media, 1)
	require.Equal(t, sums[0], published[0].Media[0].SHA256, "YouTube got other bytes")
	require.Contains(t, *p.PostURL, published[0].ID)

	s.Sandbox.Inject(harness.Fault{Platform: "youtube", Step: "commit", Kind: "timeout_after_accept", DelayMs: 1000})
	p = settled(t, s, tube(t, s, fencepost.CreateYouTubeRequest{Title: "Is it out?", MediaID: video.ID}).ID, 2*soon)
	require.Equal(t, fencepost.PostStatusPublished, p.Status, "%+v", p.Error)
	require.Len(t, onTube(s, "Is it out?"), 1)

	p = settled(t, s, tube(t, s, fencepost.CreateYouTubeRequest{Title: "[duplicate] again", MediaID: video.ID}).ID, 2*soon)
	require.Equal(t, fencepost.PostStatusFailed, p.Status)
	require.Equal(t, "POLICY_VIOLATION", p.Error.Code)
	require.Contains(t, p.Error.Message, "duplicate")

	// A video whose publication YouTube refuses is deleted.
	s.Sandbox.Inject(harness.Fault{Platform: "youtube", Step: "commit", Kind: "reject"})
	p = settled(t, s, tube(t, s, fencepost.CreateYouTubeRequest{Title: "Refused", MediaID: video.ID}).ID, 2*soon)
	require.Equal(t, fencepost.PostStatusFailed, p.Status)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Len(c, s.Sandbox.Videos("acme"), 3) }, soon, 100*time.Millisecond)

	for _, v := range s.Sandbox.Videos("acme") {
		require.NotEqual(t, "private", v.Status.Privacy)
	}
}

// TestThumbnailOnYouTube checks a thumbnail beside the video, and one that the network refuses.
func TestThumbnailOnYouTube(t *testing.T) {
	t.Parallel()
	s := running(t)
	video := processed(t, s, s.Upload("video.mp4", "video/mp4", mediaboxtest.Fixture(t, "video.mp4")).ID)
	picture := processed(t, s, s.Upload("cover.jpg", "image/jpeg", harness.Picture(t, 1)).ID)
	post := func(title string) fencepost.Post {
		created, err := s.API.Posts.Create(t.Context(), fencepost.CreatePostsRequest{
			ChannelIDs: []string{s.Channels[channel.YouTube].ID.String()}, Title: title,
			ContentType: fencepost.ContentTypeVideo, MediaIDs: []string{video.ID, picture.ID}, Schedule: "now",
		})
		require.NoError(t, err)
		p := settled(t, s, created[0].ID, 2*soon)
		require.Equal(t, fencepost.PostStatusPublished, p.Status, "%+v", p.Error)
		require.Len(t, onTube(s, title), 1)
		return p
	}
	warnings := func() []string {
		return postgrestest.Column(t, s.Database(), `SELECT detail FROM post_timeline WHERE kind = 'warning'`)
	}
	post("With a cover")
	require.Empty(t, warnings())
	account := connectors.Of(channel.NetworkYouTube).SandboxAccount(channel.YouTube, "unverified")
	s.Channels[channel.YouTube] = s.AddChannel(channel.YouTube, account.ID, account.Credentials)
	post("Without a cover")
	require.Len(t, warnings(), 1)
	require.Contains(t, warnings()[0], "thumbnail")
}
