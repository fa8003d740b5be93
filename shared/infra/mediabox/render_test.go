package mediabox_test

import (
	"bytes"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

func TestRender(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	turned := mediaboxtest.InsertJPEG(mediaboxtest.JPEG(t, mediaboxtest.Scene(750, 500)),
		mediaboxtest.Segment(0xE1, append([]byte("Exif\x00\x00"), mediaboxtest.EXIF(6)...)))
	for name, test := range map[string]struct {
		path        string
		contentType string
		probe       mediabox.Probe
		width       int
		height      int
		transparent bool
	}{
		"JPEG": {
			write(t, mediaboxtest.JPEG(t, mediaboxtest.Scene(1000, 750))), media.ContentTypeJPEG,
			mediabox.Probe{Width: 1000, Height: 750},
			640, 480, false,
		},
		"JPEG on its side": {
			write(t, turned), media.ContentTypeJPEG, mediabox.Probe{Width: 500, Height: 750, Turned: true}, 427, 640, false,
		},
		"PNG": {
			write(t, mediaboxtest.PNG(t, mediaboxtest.Scene(64, 48))), media.ContentTypePNG,
			mediabox.Probe{Width: 64, Height: 48},
			64, 48, false,
		},
		"clear PNG": {
			write(t, mediaboxtest.PNG(t, image.NewNRGBA(image.Rect(0, 0, 64, 48)))), media.ContentTypePNG,
			mediabox.Probe{Width: 64, Height: 48},
			64, 48, true,
		},
		"GIF": {
			write(t, mediaboxtest.GIF(t, 900, 600, 5)), media.ContentTypeGIF,
			mediabox.Probe{Width: 900, Height: 600, Duration: 500 * time.Millisecond, Frames: 5},
			640, 427, false,
		},
		"WebP": {
			fixture("still.webp"), media.ContentTypeWebP, mediabox.Probe{Width: 800, Height: 600}, 640, 480, false,
		},
		"clear WebP": {
			fixture("clear.webp"), media.ContentTypeWebP, mediabox.Probe{Width: 700, Height: 500}, 640, 457, true,
		},
		"moving WebP": {
			fixture("moving.webp"), media.ContentTypeWebP, mediabox.Probe{Width: 320, Height: 180, Frames: 5}, 320, 180, false,
		},
		"HEIC": {
			fixture("still.heic"), media.ContentTypeHEIC, mediabox.Probe{Width: 800, Height: 600}, 640, 480, false,
		},
		"HEIC of several": {
			fixture("several.heic"), media.ContentTypeHEIC, mediabox.Probe{Width: 800, Height: 600}, 640, 480, false,
		},
		"AVIF": {
			fixture("still.avif"), media.ContentTypeAVIF, mediabox.Probe{Width: 400, Height: 300}, 400, 300, false,
		},
		"moving PNG": {
			write(t, mediaboxtest.InsertPNG(mediaboxtest.PNG(t, mediaboxtest.Scene(64, 48)),
				mediaboxtest.Chunk("acTL", []byte{0, 0, 0, 3, 0, 0, 0, 0}))), media.ContentTypePNG,
			mediabox.Probe{Width: 64, Height: 48, Frames: 3},
			64, 48, false,
		},
		"MP4": {
			fixture("video.mp4"), media.ContentTypeMP4,
			mediabox.Probe{Width: 320, Height: 180, Duration: 3 * time.Second},
			320, 180, false,
		},
		"wide MP4": {
			fixture("wide.mp4"), media.ContentTypeMP4,
			mediabox.Probe{Width: 427, Height: 180, Duration: time.Second},
			427,
			180, false,
		},
		"MOV on its side": {
			fixture("turned.mov"), media.ContentTypeMOV,
			mediabox.Probe{Width: 180, Height: 320, Duration: 3 * time.Second},
			180, 320, false,
		},
		"WebM": {
			fixture("short.webm"), media.ContentTypeWebM,
			mediabox.Probe{Width: 320, Height: 180, Duration: 400 * time.Millisecond},
			320, 180, false,
		},
		"PDF": {
			write(t, mediaboxtest.PDF(595, 842, "")), media.ContentTypePDF,
			mediabox.Probe{Width: 595, Height: 842, Frames: 1},
			452, 640, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := box.Render(t.Context(), test.path)
			require.NoError(t, err)
			require.Equal(t, test.contentType, result.ContentType)
			require.Equal(t, test.probe, result.Probe)
			wanted := media.ContentTypeJPEG
			if test.transparent {
				wanted = media.ContentTypePNG
			}
			require.Equal(t, wanted, result.Thumbnail.ContentType)
			decoded, _, err := image.Decode(bytes.NewReader(result.Thumbnail.Data))
			require.NoError(t, err)
			require.InDelta(t, test.width, decoded.Bounds().Dx(), 1)
			require.InDelta(t, test.height, decoded.Bounds().Dy(), 1)
			require.Equal(t, decoded.Bounds(), image.Rect(0, 0, result.Thumbnail.Width, result.Thumbnail.Height))

			probed, err := box.Probe(t.Context(), test.path)
			require.NoError(t, err)
			require.Equal(t, mediabox.Result{ContentType: result.ContentType, Probe: result.Probe}, probed)
		})
	}
}

// TestRenderKeepsColourPositions checks the positions of colours, for every decoding program.
func TestRenderKeepsColourPositions(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	at := func(path string, x, y float64) color.Color {
		result, err := box.Render(t.Context(), path)
		require.NoError(t, err)
		decoded, _, err := image.Decode(bytes.NewReader(result.Thumbnail.Data))
		require.NoError(t, err)
		size := decoded.Bounds().Size()
		return decoded.At(int(x*float64(size.X)), int(y*float64(size.Y)))
	}
	dark := func(c color.Color) bool { r, g, b, _ := c.RGBA(); return r+g+b < 3<<13 }

	page := write(t, mediaboxtest.PDF(400, 200, ""))
	require.True(t, dark(at(page, 0.25, 0.5)), "the left half of the page is black")
	require.False(t, dark(at(page, 0.75, 0.5)))

	// The left sixth of the video is red at the top; after a quarter turn it is at the bottom of the picture.
	red := func(c color.Color) bool { r, g, b, _ := c.RGBA(); return r > 0xC000 && g < 0x6000 && b < 0x6000 }
	require.True(t, red(at(fixture("video.mp4"), 0.02, 0.3)))
	require.True(t, red(at(fixture("turned.mov"), 0.6, 0.98)))
}

// TestRenderReportsSizeOfDamagedPicture checks that a file with a damaged picture still has a size.
func TestRenderReportsSizeOfDamagedPicture(t *testing.T) {
	t.Parallel()
	whole := mediaboxtest.JPEG(t, mediaboxtest.Scene(300, 200))
	result, err := setup(t, nil).Render(t.Context(), write(t, whole[:len(whole)/2]))
	requireClass(t, mediabox.Broken, err)
	require.Equal(t, mediabox.Result{ContentType: media.ContentTypeJPEG, Probe: mediabox.Probe{Width: 300, Height: 200}},
		result)
}

func TestRenderMissingFile(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	_, err := box.Render(t.Context(), "testdata/absent")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = box.Render(t.Context(), "mediaboxtest")
	require.ErrorContains(t, err, "is not a regular file")
	_, failure := mediabox.ClassOf(err)
	require.False(t, failure, "not the file's fault")
}

func TestDocumentsWithActiveContent(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	for name, data := range map[string][]byte{
		"script": mediaboxtest.PDF(300, 200, "/OpenAction 5 0 R/AA<</WC 5 0 R>>",
			"<</S/JavaScript/JS(app.launchURL\\('http://127.0.0.1:1/'\\); while\\(true\\);)>>"),
		"another file":      mediaboxtest.PDF(300, 200, "/OpenAction<</S/GoToR/F(/etc/passwd)>>"),
		"page of 200 miles": mediaboxtest.PDF(14_400_000, 9_600_000, ""),
		"page of a hair":    mediaboxtest.PDF(14_400, 0.02, ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := box.Render(t.Context(), write(t, data))
			require.NoError(t, err)
			require.Equal(t, mediabox.Side, max(result.Thumbnail.Width, result.Thumbnail.Height))
		})
	}
}
