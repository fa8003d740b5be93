package media_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
)

// TestForms checks the text that identifies stored renditions, and the properties of an asset in a form.
func TestForms(t *testing.T) {
	t.Parallel()
	form := media.Form{ContentType: media.ContentTypeJPEG, Width: 1_440, Height: 1_800, MaxSize: 8 << 20}
	require.Equal(t, "image/jpeg 1440x1800 8388608", form.String(), "stored")
	require.False(t, form.IsZero())
	require.True(t, media.Form{}.IsZero())
	asset := media.Asset{
		Type: media.Image, ContentType: media.ContentTypePNG, Size: 9 << 20, Probe: media.Probe{Width: 2_880, Height: 3_600},
		AltText: "tiles",
	}
	before := form.Of(asset)
	require.Equal(t, []any{media.ContentTypeJPEG, int64(8 << 20), media.Probe{Width: 1_440, Height: 1_800}, "tiles"},
		[]any{before.ContentType, before.Size, before.Probe, before.AltText})
	unknown := media.Form{ContentType: media.ContentTypeJPEG}.Of(asset)
	require.Equal(t, []any{asset.Size, asset.Probe}, []any{unknown.Size, unknown.Probe})

	object := media.Object{Key: "r", ContentType: media.ContentTypeJPEG, Size: 7}
	created := asset.As(media.Rendition{Form: form, Object: object, Width: 720, Height: 900})
	require.Equal(t, []any{object, media.ContentTypeJPEG, int64(7), media.Probe{Width: 720, Height: 900}, "tiles"},
		[]any{created.Files.Published, created.ContentType, created.Size, created.Probe, created.AltText})
	require.Equal(t, media.ContentTypePNG, asset.ContentType)
}
