package media_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func (b *bundle) open(t *testing.T, asset media.Asset) []byte {
	t.Helper()
	file, err := b.files.Open(t.Context(), asset)
	require.NoError(t, err)
	b.requireNoFiles(t) // the file has no name
	require.Equal(t, asset.ContentType, file.ContentType())
	content := make([]byte, file.Size())
	_, err = file.ReadAt(content, 0)
	require.NoError(t, err)
	require.NoError(t, iotest.TestReader(file, content), "reads, seeks, ends")
	require.NoError(t, file.Close())
	return content
}

func TestOpenAttachment(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	asset := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
	before := b.open(t, asset)
	require.NotContains(t, string(before), whereabouts, "also before the file is processed")

	asset = b.process(t, asset)
	require.Equal(t, before, b.open(t, asset))
	require.Equal(t, b.read(t, asset.Files.Published.Key), before)

	plain := b.arrived(t, media.ContentTypePNG, pngFile(t))
	require.Equal(t, pngFile(t), b.open(t, plain))
	require.Equal(t, pngFile(t), b.open(t, b.process(t, plain)))
}

func TestNamesOfAttachments(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	names := map[string]string{
		media.ContentTypeJPEG: "photo.jpg", media.ContentTypePNG: "photo.png", media.ContentTypeWebP: "photo.webp",
		media.ContentTypeHEIC: "photo.heic",
		media.ContentTypeGIF:  "animation.gif", media.ContentTypeMP4: "video.mp4", media.ContentTypeMOV: "video.mov",
		media.ContentTypeWebM: "video.webm",
		media.ContentTypeAVIF: "photo.avif", media.ContentTypePDF: "document.pdf", media.ContentTypeDOC: "document.doc",
		media.ContentTypeDOCX: "document.docx", media.ContentTypePPT: "document.ppt", media.ContentTypePPTX: "document.pptx",
	}
	for _, contentType := range media.ContentTypes() {
		asset := b.arrived(t, contentType, []byte("content"))
		asset.Files.Published = asset.Files.Original
		file, err := b.files.Open(t.Context(), asset)
		require.NoError(t, err)
		require.Equal(t, names[contentType], file.Name())
		require.NoError(t, file.Close())
	}
}

func requireFailure(t *testing.T, err error, class platform.Class, code string) {
	t.Helper()
	failure := platformtest.Failure(t, err)
	require.Equal(t, class, failure.Class, "%v", err)
	require.Equal(t, code, failure.Code)
	require.NotContains(t, failure.Message, "media/", "no key")
}

// both requests an attachment by Open and by Link.
func (b *bundle) both(t *testing.T, asset media.Asset) [2]error {
	t.Helper()
	file, opened := b.files.Open(t.Context(), asset)
	if opened == nil {
		require.NoError(t, file.Close())
	}
	_, linked := b.files.Link(t.Context(), asset)
	return [2]error{opened, linked}
}

func TestMissingAttachments(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	for _, processed := range []bool{false, true} {
		asset := b.arrived(t, media.ContentTypePNG, pngFile(t))
		if processed {
			asset = b.process(t, asset)
		}
		other := bytes.Clone(pngFile(t))
		other[len(other)-20] ^= 1
		b.put(t, asset.Files.Original.Key, media.ContentTypePNG, other)
		for _, err := range b.both(t, asset) {
			requireFailure(t, err, platform.ClassRejected, media.CodeDamaged)
			require.ErrorContains(t, err, `The file "cat" was damaged in storage.`)
		}
		b.put(t, asset.Files.Original.Key, media.ContentTypePNG, other[:30])
		for _, err := range b.both(t, asset) {
			requireFailure(t, err, platform.ClassRejected, media.CodeDamaged)
		}
		require.NoError(t, b.objects.Delete(t.Context(), asset.Files.Original.Key))
		for _, err := range b.both(t, asset) {
			requireFailure(t, err, platform.ClassRejected, media.CodeGone)
		}
	}
	b.requireNoFiles(t)

	unreadable := b.arrived(t, media.ContentTypeJPEG, jpegFile(t)[:100])
	for _, asset := range []media.Asset{unreadable, b.process(t, unreadable)} {
		for _, err := range b.both(t, asset) {
			requireFailure(t, err, platform.ClassRejected, media.CodeDamaged)
			require.ErrorContains(t, err, "Save it again")
		}
	}
}

func TestStorageIsDown(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	arrived := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
	processed := b.process(t, b.arrived(t, media.ContentTypeJPEG, jpegFile(t)))
	b.proxy.Stall()
	for _, asset := range []media.Asset{arrived, processed} {
		for _, err := range b.both(t, asset) {
			requireFailure(t, err, platform.ClassTransient, mediaactivity.CodeMediaUnavailable)
		}
	}
	b.proxy.Resume()
	for _, asset := range []media.Asset{arrived, processed} {
		require.Equal(t, [2]error{}, b.both(t, asset))
	}
}

func get(t *testing.T, address string) (http.Header, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.Header, content
}

func TestLink(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	arrived := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
	clean := b.open(t, arrived)
	processed := b.process(t, b.arrived(t, media.ContentTypeJPEG, jpegFile(t)))
	for _, asset := range []media.Asset{arrived, processed} {
		asset.Name = "Jane's cat.jpg"
		link, err := b.files.Link(t.Context(), asset)
		require.NoError(t, err)
		require.Regexp(t, `^[!-~]+$`, link)
		parsed, err := url.Parse(link)
		require.NoError(t, err)
		require.Equal(t, "86400", parsed.Query().Get("X-Amz-Expires"), "seconds")
		require.NotContains(t, link, "Jane")
		header, content := get(t, link)
		require.Equal(t, clean, content)
		require.Equal(t, media.ContentTypeJPEG, header.Get("Content-Type"))
		require.Equal(t, `inline; filename="photo.jpg"`, header.Get("Content-Disposition"))
	}
	require.Len(t, b.keys(t), 5, "one was made for the link alone")
	b.sweep(t, arrived, processed)
}

// TestLinkAfterStoreMigration covers new ETags with the same content.
func TestLinkAfterStoreMigration(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	asset := b.process(t, b.arrived(t, media.ContentTypeJPEG, jpegFile(t)))
	asset.Files.Published.ETag = "of another store"
	require.Equal(t, [2]error{}, b.both(t, asset))
}
