package format_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/draw"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

const side = 640

func limits() format.Limits {
	return format.Limits{Pixels: 50_000_000, Side: 16_384, Frames: 500}
}

func fileOf(t testing.TB, data []byte) format.File {
	t.Helper()
	_, contentType, ok := media.Sniff(data)
	require.True(t, ok)
	return format.File{Source: bytes.NewReader(data), Size: int64(len(data)), ContentType: contentType}
}

func pictureFixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "mediaboxtest", "testdata", name))
	require.NoError(t, err)
	return data
}

func thumbnail(t testing.TB, data []byte) (format.Info, format.Encoded, image.Image) {
	t.Helper()
	file := fileOf(t, data)
	info, err := format.Inspect(file, limits())
	require.NoError(t, err)
	encoded, err := format.Thumbnail(file, info, side)
	require.NoError(t, err)
	decoded, _, err := image.Decode(bytes.NewReader(encoded.Data))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, encoded.Width, encoded.Height), decoded.Bounds())
	return info, encoded, decoded
}

// similar compares colours with a tolerance for JPEG artifacts.
func similar(t testing.TB, wanted, given color.Color, note string) {
	t.Helper()
	const tolerance = 40 << 8
	r, g, b, _ := wanted.RGBA()
	x, y, z, _ := given.RGBA()
	for _, pair := range [][2]uint32{{r, x}, {g, y}, {b, z}} {
		require.InDelta(t, pair[0], pair[1], tolerance, "%s: wanted %v, is %v", note, wanted, given)
	}
}

func TestThumbnailSizes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ width, height, wantedWidth, wantedHeight int }{
		{1, 1, 1, 1},
		{640, 480, 640, 480},
		{641, 480, 640, 479},
		{1279, 1280, 640, 640},
		{1281, 3, 640, 1},
		{2561, 407, 640, 102},
		{300, 4000, 48, 640},
		{16_384, 1, 640, 1},
		{1, 16_384, 1, 640},
	} {
		t.Run(fmt.Sprintf("%dx%d", test.width, test.height), func(t *testing.T) {
			t.Parallel()
			info, encoded, decoded := thumbnail(t, mediaboxtest.PNG(t, mediaboxtest.Scene(test.width, test.height)))
			require.Equal(t, []int{test.width, test.height}, []int{info.Width, info.Height})
			require.Equal(t, []int{test.wantedWidth, test.wantedHeight}, []int{encoded.Width, encoded.Height})
			require.Equal(t, media.ContentTypeJPEG, encoded.ContentType)
			if test.wantedHeight > 100 && test.wantedWidth > 100 {
				similar(t, color.RGBA{R: 255, A: 255}, decoded.At(0, 0), "top left")
				similar(t, color.RGBA{B: 255, A: 255}, decoded.At(encoded.Width-1, encoded.Height-1), "bottom right")
			}
		})
	}
}

// TestThumbnailIsUpright follows the definition: the sides of the shown picture to which the first row and the
// first column of the stored picture belong.
func TestThumbnailIsUpright(t *testing.T) {
	t.Parallel()
	stored := mediaboxtest.JPEG(t, mediaboxtest.Scene(1000, 500))
	type corner struct{ right, bottom bool }
	for orientation, places := range map[int][2]corner{ // of the stored top left and top right
		1: {{false, false}, {true, false}},
		2: {{true, false}, {false, false}},
		3: {{true, true}, {false, true}},
		4: {{false, true}, {true, true}},
		5: {{false, false}, {false, true}},
		6: {{true, false}, {true, true}},
		7: {{true, true}, {true, false}},
		8: {{false, true}, {false, false}},
	} {
		t.Run(strconv.Itoa(orientation), func(t *testing.T) {
			t.Parallel()
			exif := mediaboxtest.Segment(0xE1, append([]byte("Exif\x00\x00"), mediaboxtest.EXIF(orientation)...))
			info, encoded, decoded := thumbnail(t, mediaboxtest.InsertJPEG(stored, exif))
			width, height := info.Shown()
			if orientation > 4 {
				require.Equal(t, []int{500, 1000, 320, 640}, []int{width, height, encoded.Width, encoded.Height})
			} else {
				require.Equal(t, []int{1000, 500, 640, 320}, []int{width, height, encoded.Width, encoded.Height})
			}
			at := func(place corner) color.Color {
				var p image.Point
				if place.right {
					p.X = encoded.Width - 1
				}
				if place.bottom {
					p.Y = encoded.Height - 1
				}
				return decoded.At(p.X, p.Y)
			}
			similar(t, color.RGBA{R: 255, A: 255}, at(places[0]), "stored top left")
			similar(t, color.RGBA{G: 255, A: 255}, at(places[1]), "stored top right")
			require.NotContains(t, string(encoded.Data), "Exif")
		})
	}
}

// TestThumbnailOfEveryPixelFormat checks that the thumbnail looks like the scene for every pixel format of the
// decoder.
func TestThumbnailOfEveryPixelFormat(t *testing.T) {
	t.Parallel()
	scene, bounds := mediaboxtest.Scene(750, 350), image.Rect(0, 0, 750, 350)
	pictures := map[string]draw.Image{
		"NRGBA": image.NewNRGBA(bounds), "RGBA64": image.NewRGBA64(bounds), "NRGBA64": image.NewNRGBA64(bounds),
		"gray": image.NewGray(bounds), "gray 16": image.NewGray16(bounds),
		"palette": image.NewPaletted(bounds, color.Palette{
			color.RGBA{R: 255, A: 255}, color.RGBA{G: 255, A: 255}, color.RGBA{B: 255, A: 255}, color.White,
		}),
	}
	for name, stored := range pictures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			draw.Draw(stored, bounds, scene, image.Point{}, draw.Src)
			_, encoded, decoded := thumbnail(t, mediaboxtest.PNG(t, stored))
			require.Equal(t, media.ContentTypeJPEG, encoded.ContentType)
			similar(t, stored.At(0, 0), decoded.At(0, 0), "top left")
			similar(t, stored.At(749, 349), decoded.At(639, 298), "bottom right")
		})
	}
}

// TestShrinkingMatchesReferenceFilter compares with the filter over all pixels, which is slow.
func TestShrinkingMatchesReferenceFilter(t *testing.T) {
	t.Parallel()
	scene := mediaboxtest.Scene(2601, 303)
	for i := range scene.Pix {
		if i%4 != 3 && i/4%7 < 3 {
			scene.Pix[i] /= 2 // fine stripes
		}
	}
	_, _, decoded := thumbnail(t, mediaboxtest.PNG(t, scene))
	reference := image.NewRGBA(decoded.Bounds())
	draw.CatmullRom.Scale(reference, reference.Rect, scene, scene.Rect, draw.Src, nil)
	var difference, count float64
	for y := range reference.Rect.Dy() {
		for x := range reference.Rect.Dx() {
			r, _, _, _ := reference.At(x, y).RGBA()
			s, _, _, _ := decoded.At(x, y).RGBA()
			difference += max(float64(r), float64(s)) - min(float64(r), float64(s))
			count++
		}
	}
	require.Less(t, difference/count/256, 4.0, "of 256, JPEG included")
}

func TestTransparencyGivesPNG(t *testing.T) {
	t.Parallel()
	stored := image.NewNRGBA(image.Rect(0, 0, 1000, 500))
	for i := 0; i < len(stored.Pix); i += 4 {
		if i/4%1000 < 501 {
			copy(stored.Pix[i:], []byte{255, 0, 0, 255})
		} else {
			copy(stored.Pix[i:], []byte{0, 255, 0, 0}) // invisible green
		}
	}
	_, encoded, decoded := thumbnail(t, mediaboxtest.PNG(t, stored))
	require.Equal(t, media.ContentTypePNG, encoded.ContentType)
	require.Equal(t, color.NRGBA{R: 255, A: 255}, color.NRGBAModel.Convert(decoded.At(10, 10)))
	for x := range encoded.Width {
		_, green, _, _ := decoded.At(x, 100).RGBA()
		require.Zero(t, green, "column %d", x)
	}
	_, _, _, alpha := decoded.At(630, 10).RGBA()
	require.Zero(t, alpha)
}

func TestAnimations(t *testing.T) {
	t.Parallel()
	info, encoded, decoded := thumbnail(t, mediaboxtest.GIF(t, 900, 90, 12))
	require.Equal(t, 12, info.Frames)
	require.Equal(t, 1200*time.Millisecond, info.Duration)
	require.Equal(t, []int{640, 64}, []int{encoded.Width, encoded.Height})
	similar(t, color.RGBA{R: 255, A: 255}, decoded.At(0, 0), "first frame")

	single, _, _ := thumbnail(t, mediaboxtest.GIF(t, 9, 3, 1))
	require.Equal(t, 1, single.Frames)
	require.Zero(t, single.Duration)

	most, _, _ := thumbnail(t, mediaboxtest.CrowdedGIF(500))
	require.Equal(t, 500, most.Frames)

	_, encoded, _ = thumbnail(t, pictureFixture(t, "moving.webp"))
	require.Equal(t, []int{320, 180}, []int{encoded.Width, encoded.Height})
}

func uint24(value int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(value))[:3] } //nolint:gosec // a size of a test

// frame returns an ANMF chunk that shows a still picture at this position.
func frame(x, y, width, height int, still []byte) []byte {
	return mediaboxtest.RIFFChunk("ANMF", slices.Concat(uint24(x/2), uint24(y/2), uint24(width-1), uint24(height-1),
		make([]byte, 4), still))
}

func extended(flags byte, width, height int) []byte {
	return mediaboxtest.RIFFChunk("VP8X", slices.Concat([]byte{flags, 0, 0, 0}, uint24(width-1), uint24(height-1)))
}

// TestFirstFrameKeepsItsPosition uses a frame that does not fill its canvas; the rest is transparent.
func TestFirstFrameKeepsItsPosition(t *testing.T) {
	t.Parallel()
	still := pictureFixture(t, "still.webp")[12:]
	const animation = 0x02
	_, encoded, decoded := thumbnail(t, mediaboxtest.RIFF(extended(animation, 1600, 1200),
		mediaboxtest.RIFFChunk("ANIM", make([]byte, 6)),
		frame(800, 600, 800, 600, still)))
	require.Equal(t, media.ContentTypePNG, encoded.ContentType)
	require.Equal(t, []int{640, 480}, []int{encoded.Width, encoded.Height})
	_, _, _, alpha := decoded.At(10, 10).RGBA()
	require.Zero(t, alpha)
	_, _, _, alpha = decoded.At(630, 470).RGBA()
	require.Equal(t, uint32(0xFFFF), alpha)
}

func TestHugePicturesAreRefusedBeforeAllocation(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"PNG of 400 megapixels":  mediaboxtest.HugePNG(20_000, 20_000),
		"PNG of a terapixel":     mediaboxtest.HugePNG(1_000_000, 1_000_000),
		"PNG of one line":        mediaboxtest.HugePNG(16_385, 1),
		"PNG just above":         mediaboxtest.HugePNG(10_000, 5_001),
		"JPEG of 4 gigapixels":   mediaboxtest.HugeJPEG(t, 65_535, 65_535),
		"WebP of 16 megapixels²": mediaboxtest.RIFF(extended(0, 1<<24, 64), pictureFixture(t, "still.webp")[12:]),
		"GIF of 100,000 frames":  mediaboxtest.CrowdedGIF(100_000),
		"GIF of 4 gigapixels": []byte(
			"GIF89a\xFF\xFF\xFF\xFF\x00\x00\x00\x2c\x00\x00\x00\x00\xFF\xFF\xFF\xFF\x00\x02\x00\x3b"),
		"GIF of 501 small frames": mediaboxtest.CrowdedGIF(501),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := format.Inspect(fileOf(t, data), limits())
			var failure *format.Failure
			require.ErrorAs(t, err, &failure)
			require.Equal(t, format.TooLarge, failure.Class)
		})
	}
}

func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	wholePNG, wholeJPEG := mediaboxtest.PNG(t, mediaboxtest.Scene(300, 200)), mediaboxtest.JPEG(t, mediaboxtest.Scene(300, 200))
	wrongSum := slices.Clone(wholePNG)
	wrongSum[len(wrongSum)-20] ^= 0xFF
	twelveBits := slices.Clone(wholeJPEG)
	twelveBits[bytes.Index(twelveBits, []byte{0xFF, 0xC0})+4] = 12
	still := pictureFixture(t, "still.webp")[12:]
	const animation = 0x02
	for name, test := range map[string]struct {
		data  []byte
		class format.Class
	}{
		"PNG cut":                           {wholePNG[:len(wholePNG)/2], format.Broken},
		"PNG with a wrong sum":              {wrongSum, format.Broken},
		"PNG with too few pixels":           {mediaboxtest.HugePNG(100, 100), format.Broken},
		"JPEG cut":                          {wholeJPEG[:len(wholeJPEG)/2], format.Broken},
		"JPEG of twelve bits":               {twelveBits, format.Unsupported},
		"GIF cut":                           {mediaboxtest.GIF(t, 300, 200, 1)[:900], format.Broken},
		"WebP cut":                          {pictureFixture(t, "still.webp")[:5000], format.Broken},
		"WebP, picture larger than it says": {mediaboxtest.RIFF(extended(0, 10, 10), still), format.Broken},
		"WebP, frame larger than its canvas": {
			mediaboxtest.RIFF(extended(animation, 10, 10), frame(0, 0, 800, 600, still)), format.Broken,
		},
		"WebP, frame beside its canvas": {
			mediaboxtest.RIFF(extended(animation, 800, 600), frame(2, 2, 800, 600, still)), format.Broken,
		},
		"WebP, frame of another size": {
			mediaboxtest.RIFF(extended(animation, 800, 600), frame(0, 0, 80, 60, still)), format.Broken,
		},
		"WebP, animation without a frame": {mediaboxtest.RIFF(extended(animation, 800, 600), still), format.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := fileOf(t, test.data)
			info, err := format.Inspect(file, limits())
			if err == nil {
				_, err = format.Thumbnail(file, info, side)
			}
			var failure *format.Failure
			require.ErrorAs(t, err, &failure)
			require.Equal(t, test.class, failure.Class, failure.Detail)
		})
	}
}

// TestCompressedMetadataIsSkipped checks that kilobytes that unpack to megabytes are skipped.
func TestCompressedMetadataIsSkipped(t *testing.T) {
	t.Parallel()
	bomb := mediaboxtest.Zeros(t, 256<<20)
	_, encoded, _ := thumbnail(t, mediaboxtest.InsertPNG(mediaboxtest.PNG(t, mediaboxtest.Scene(30, 20)),
		mediaboxtest.Chunk("zTXt", append([]byte("Comment\x00\x00"), bomb...)),
		mediaboxtest.Chunk("iCCP", append([]byte("profile\x00\x00"), bomb...))))
	require.Equal(t, 30, encoded.Width)
}

func TestThumbnailHasNoMetadata(t *testing.T) {
	t.Parallel()
	exif := mediaboxtest.Segment(0xE1, append([]byte("Exif\x00\x00"), mediaboxtest.EXIF(6)...))
	_, encoded, _ := thumbnail(t, mediaboxtest.InsertJPEG(mediaboxtest.JPEG(t, mediaboxtest.Scene(30, 20)), exif,
		mediaboxtest.Segment(0xFE, []byte(mediaboxtest.Canary))))
	require.NotContains(t, string(encoded.Data), mediaboxtest.Canary)
	_, err := jpeg.Decode(bytes.NewReader(encoded.Data))
	require.NoError(t, err)

	transparent := mediaboxtest.InsertPNG(mediaboxtest.PNG(t, image.NewNRGBA(image.Rect(0, 0, 9, 9))),
		mediaboxtest.Chunk("tEXt", []byte("Author\x00"+mediaboxtest.Canary)))
	_, encoded, _ = thumbnail(t, transparent)
	require.NotContains(t, string(encoded.Data), mediaboxtest.Canary)
	_, err = png.Decode(bytes.NewReader(encoded.Data))
	require.NoError(t, err)
}
