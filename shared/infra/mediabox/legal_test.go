package mediabox_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// TestUnusualFilesAreAccepted checks that files in forms that are rarely written today are accepted, rendered and stripped like
// any other, and that the published result still has their type.
func TestUnusualFilesAreAccepted(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	picture, video := mediaboxtest.JPEG(t, mediaboxtest.Scene(320, 240)), read(t, "turned.mov")
	for name, test := range map[string]struct {
		file        []byte
		contentType string
	}{
		"JPEG with fill bytes":       {slices.Concat(picture[:2], []byte{0xFF, 0xFF}, picture[2:]), media.ContentTypeJPEG},
		"MOV that begins with space": {bytes.Replace(video, []byte("ftyp"), []byte("skip"), 1), media.ContentTypeMOV},
		"MOV with its media in front": {
			bytes.Replace(video, []byte("\x00\x00\x00\x14ftypqt  \x00\x00\x02\x00qt  "),
				[]byte("\x00\x00\x00\x14mdat\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C"), 1),
			media.ContentTypeMOV,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := box.Render(t.Context(), write(t, test.file))
			require.NoError(t, err)
			require.Equal(t, test.contentType, result.ContentType)
			require.NotEmpty(t, result.Thumbnail.Data)

			stripped := strip(t, box, test.file)
			_, contentType, ok := media.Sniff(stripped)
			require.True(t, ok)
			require.Equal(t, test.contentType, contentType)
			again, err := box.Render(t.Context(), write(t, stripped))
			require.NoError(t, err)
			require.Equal(t, result.Thumbnail.Data, again.Thumbnail.Data)
		})
	}
}
