package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/linkedin"
	"fencepost.internal/shared/platform/connectors/youtube"
	"fencepost.internal/shared/platform/platformtest"
)

// TestLinkedInVideosRequireRole checks the reason that a content admin of a page gets for a refused video, and that
// pictures are not refused.
func TestLinkedInVideosRequireRole(t *testing.T) {
	t.Parallel()
	connector, err := linkedin.NewPage(linkedin.Config{
		Wire:    connectors.Config{BaseURL: start(t, t.TempDir()).URL + "/linkedin", Clock: clock.System()},
		Version: "202609", ClientID: "client", ClientSecret: "secret", Grace: time.Second,
	})
	require.NoError(t, err)
	for _, account := range []string{"acme", "contentadmin"} {
		for _, file := range []platformtest.Attachment{platformtest.Picture(t, 1), platformtest.Video(100_000)} {
			content := platform.Content{
				ContentType: post.ContentPost, Media: []media.Asset{file.Asset}, Files: platformtest.Files(t, file),
			}
			_, err := connector.Prepare(t.Context(), reader(channel.LinkedInPage, account), content, "")
			if account == "acme" || file.Asset.Type == media.Image {
				require.NoError(t, err)
				continue
			}
			failure := platform.FailureOf(err)
			require.Equal(t, linkedin.CodeRole, failure.Code)
			require.Equal(t, platform.ClassUser, failure.Class)
			require.Contains(t, failure.Message, "super admins")
		}
	}
}

// TestLinkedInTakesOfficeDocuments publishes each of them.
func TestLinkedInTakesOfficeDocuments(t *testing.T) {
	t.Parallel()
	connector, err := linkedin.NewPage(linkedin.Config{
		Wire:    connectors.Config{BaseURL: start(t, t.TempDir()).URL + "/linkedin", Clock: clock.System()},
		Version: "202609", ClientID: "client", ClientSecret: "secret", Grace: time.Second,
	})
	require.NoError(t, err)
	account := reader(channel.LinkedInPage, "acme")
	for contentType, bytes := range mediaboxtest.Office(t) {
		file := platformtest.Document()
		file.Bytes, file.Asset.ContentType, file.Asset.Size = bytes, contentType, int64(len(bytes))
		content := platform.Content{
			ContentType: post.ContentPost, Text: contentType, Media: []media.Asset{file.Asset}, Files: platformtest.Files(t, file),
		}
		var handle platform.Handle
		require.Eventually(t, func() bool {
			prepared, err := connector.Prepare(t.Context(), account, content, handle)
			require.NoError(t, err, contentType)
			handle = prepared.Handle
			return prepared.Ready
		}, 10*time.Second, 50*time.Millisecond)
		_, err := connector.Commit(t.Context(), account, content, handle)
		require.NoError(t, err, contentType)
	}
}

// TestThumbnailsOfShorts checks that a Short gets its thumbnail although YouTube refuses it before processing.
func TestThumbnailsOfShorts(t *testing.T) {
	t.Parallel()
	base := start(t, t.TempDir()).URL
	connector, err := youtube.New(youtube.Config{
		Wire:     connectors.Config{BaseURL: base + "/youtube", Clock: clock.System()},
		ClientID: "client", ClientSecret: "secret",
	})
	require.NoError(t, err)
	video, cover := platformtest.Video(100_000), platformtest.Picture(t, 1)
	content := platform.Content{
		ContentType: post.ContentReel, Title: "Short", Media: []media.Asset{video.Asset, cover.Asset},
		Files: platformtest.Files(t, video, cover),
	}
	account := reader(channel.YouTube, "shorts")
	var handle platform.Handle
	for ready := false; !ready; {
		prepared, err := connector.Prepare(t.Context(), account, content, handle)
		require.NoError(t, err)
		handle, ready = prepared.Handle, prepared.Ready
		<-time.After(min(prepared.Wait, 300*time.Millisecond))
	}
	require.Empty(t, connector.Note(content, handle))
	_, err = connector.Commit(t.Context(), account, content, handle)
	require.NoError(t, err)
}
