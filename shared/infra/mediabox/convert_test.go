package mediabox_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// output returns an empty file for a converted picture.
func output(t testing.TB) *os.File {
	t.Helper()
	file, err := os.CreateTemp(folder(t), "output-*")
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// converted converts a file, and returns the description of the picture, its file and the decoded picture.
func converted(
	t testing.TB, box *mediabox.Box, path string, to mediabox.Target,
) (mediabox.Converted, []byte, image.Image) {
	t.Helper()
	file := output(t)
	created, err := box.Convert(t.Context(), path, to, file)
	require.NoError(t, err)
	data, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<30))
	require.NoError(t, err)
	require.Len(t, data, int(created.Size))
	require.Equal(t, media.ContentTypeJPEG, created.ContentType)
	_, sniffed, _ := media.Sniff(data)
	require.Equal(t, media.ContentTypeJPEG, sniffed)
	shown, err := jpeg.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, image.Pt(created.Width, created.Height), shown.Bounds().Size())
	return created, data, shown
}

// noise returns a picture that no encoder makes small.
func noise(width, height int) *image.RGBA {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same picture in each run
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = byte(random.Uint32()&0xFF) | byte(i%4/3*0xFF)
	}
	return picture
}

// TestConvert converts each kind of picture. The corners of a scene show that it is upright.
func TestConvert(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	scene := mediaboxtest.Scene(900, 600)
	turned := mediaboxtest.InsertJPEG(mediaboxtest.JPEG(t, scene),
		mediaboxtest.Segment(0xE1, append([]byte("Exif\x00\x00"), mediaboxtest.EXIF(6)...)))
	for name, test := range map[string]struct {
		path          string
		to            mediabox.Target
		width, height int
	}{
		"JPEG":             {write(t, mediaboxtest.JPEG(t, scene)), mediabox.Target{}, 900, 600},
		"JPEG, smaller":    {write(t, mediaboxtest.JPEG(t, scene)), mediabox.Target{Width: 300, Height: 200}, 300, 200},
		"JPEG, not larger": {write(t, mediaboxtest.JPEG(t, scene)), mediabox.Target{Width: 1_800, Height: 1_200}, 900, 600},
		"JPEG on its side": {write(t, turned), mediabox.Target{Width: 400, Height: 600}, 400, 600},
		"turned JPEG":      {write(t, turned), mediabox.Target{}, 600, 900},
		"PNG":              {write(t, mediaboxtest.PNG(t, scene)), mediabox.Target{Width: 899, Height: 599}, 899, 599},
		"GIF":              {write(t, mediaboxtest.GIF(t, 90, 60, 3)), mediabox.Target{}, 90, 60},
		"WebP":             {fixture("still.webp"), mediabox.Target{Width: 400, Height: 300}, 400, 300},
		"moving WebP":      {fixture("moving.webp"), mediabox.Target{}, 320, 180},
		"HEIC":             {fixture("still.heic"), mediabox.Target{}, 800, 600},
		"AVIF":             {fixture("still.avif"), mediabox.Target{Width: 200, Height: 150}, 200, 150},
		"HEIC of several":  {fixture("several.heic"), mediabox.Target{Width: 80, Height: 60}, 80, 60},
		"one pixel":        {write(t, mediaboxtest.PNG(t, mediaboxtest.Scene(3, 1))), mediabox.Target{Width: 1, Height: 1}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			created, data, _ := converted(t, box, test.path, test.to)
			require.Equal(t, []int{test.width, test.height}, []int{created.Width, created.Height})
			require.NotContains(t, string(data), mediaboxtest.Canary)
			require.NotContains(t, string(data), "Exif")
		})
	}
	_, _, shown := converted(t, box, write(t, turned), mediabox.Target{Width: 400, Height: 600})
	requireColour(t, color.RGBA{255, 0, 0, 255}, shown.At(399, 0), "the top left is shown at the top right")
	requireColour(t, color.RGBA{0, 255, 0, 255}, shown.At(399, 599), "the top right is shown at the bottom right")
	requireColour(t, color.RGBA{0, 0, 255, 255}, shown.At(0, 599), "the bottom right is shown at the bottom left")
}

// requireColour compares colours, with the tolerance that JPEG needs.
func requireColour(t testing.TB, wanted, given color.Color, note string) {
	t.Helper()
	const tolerance = 0x2800
	r1, g1, b1, _ := wanted.RGBA()
	r2, g2, b2, _ := given.RGBA()
	for _, pair := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}} {
		require.InDelta(t, pair[0], pair[1], tolerance, "%s: %v, not %v", note, given, wanted)
	}
}

// TestConvertedTransparencyIsWhite checks that no transparent pixel turns black.
func TestConvertedTransparencyIsWhite(t *testing.T) {
	t.Parallel()
	half := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	for y := range 48 {
		for x := range 32 {
			half.Set(x, y, color.NRGBA{R: 255, A: 128})
		}
	}
	_, _, shown := converted(t, setup(t, nil), write(t, mediaboxtest.PNG(t, half)), mediabox.Target{})
	requireColour(t, color.White, shown.At(60, 24), "transparent")
	requireColour(t, color.RGBA{255, 127, 127, 255}, shown.At(8, 24), "half transparent")
}

// TestConvertedSize checks that a picture becomes smaller until its file fits.
func TestConvertedSize(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	path := write(t, mediaboxtest.PNG(t, noise(1_200, 800)))
	whole, _, _ := converted(t, box, path, mediabox.Target{})
	require.Equal(t, []int{1_200, 800}, []int{whole.Width, whole.Height})
	for _, largest := range []int64{whole.Size - 1, whole.Size / 2, whole.Size / 20, 2_000} {
		created, _, _ := converted(t, box, path, mediabox.Target{Size: largest})
		require.LessOrEqual(t, created.Size, largest)
		require.Greater(t, created.Size, largest/4, "no smaller than needed")
		require.InDelta(t, 1.5, float64(created.Width)/float64(created.Height), 0.1)
	}
	_, err := box.Convert(t.Context(), path, mediabox.Target{Size: 100}, output(t))
	requireClass(t, mediabox.TooLarge, err)
}

// TestConvertRefusesOtherFiles checks that only pictures are converted, and that a hostile picture is a failure.
func TestConvertRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	for _, name := range []string{"video.mp4", "turned.mov", "short.webm"} {
		_, err := box.Convert(t.Context(), fixture(name), mediabox.Target{}, output(t))
		requireClass(t, mediabox.Unsupported, err)
	}
	for _, file := range mediaboxtest.Hostile(t) {
		switch filepath.Ext(file.Name) {
		case ".png", ".jpg", ".gif", ".webp", ".heic":
		default:
			continue
		}
		_, err := box.Convert(t.Context(), write(t, file.Data), mediabox.Target{}, output(t))
		if _, ownFault := mediabox.ClassOf(err); err != nil {
			require.True(t, ownFault, "%s: %v", file.Name, err)
		}
	}
}

// TestChildOutputIsVerified replaces the child by programs that lie about their output.
func TestChildOutputIsVerified(t *testing.T) {
	t.Parallel()
	report := `"report":{"filter":true,"files":true,"network":"x"}`
	picture := write(t, mediaboxtest.JPEG(t, mediaboxtest.Scene(8, 8)))
	for name, said := range map[string]string{
		"no output":    `"converted":{"contentType":"image/jpeg","width":8,"height":8,"size":1}`,
		"another type": `"converted":{"contentType":"image/png","width":8,"height":8,"size":0}`,
		"no picture":   `"probe":{"width":8,"height":8,"duration":0,"frames":0}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := setup(t, func(c *mediabox.Config) {
				c.Program, c.AllowUnconfined = script(t, `echo '{`+report+`,`+said+`}'`), true
			})
			_, err := box.Convert(t.Context(), picture, mediabox.Target{}, output(t))
			_, ownFault := mediabox.ClassOf(err)
			require.True(t, ownFault, "%v", err)
		})
	}
}
