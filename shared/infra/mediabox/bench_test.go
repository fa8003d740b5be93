package mediabox_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/draw"

	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// photograph returns a JPEG file of twelve megapixels with some detail.
func photograph(b *testing.B) []byte {
	b.Helper()
	scene := mediaboxtest.Scene(4000, 3000)
	for i, noise := 0, uint32(1); i < len(scene.Pix); i += 4 {
		noise = noise*1664525 + 1013904223
		scene.Pix[i+int(noise>>30)%3] ^= byte(noise >> 28)
	}
	return mediaboxtest.JPEG(b, scene)
}

// BenchmarkRender measures the complete path: a child process with all guards for each file.
func BenchmarkRender(b *testing.B) {
	box := setup(b, nil)
	photo := write(b, photograph(b))
	for name, path := range map[string]string{
		"photograph": photo, "small": write(b, mediaboxtest.JPEG(b, mediaboxtest.Scene(64, 48))),
		"video": fixture("video.mp4"), "HEIC": fixture("still.heic"), "PDF": write(b, mediaboxtest.PDF(595, 842, "")),
	} {
		b.Run(name, func(b *testing.B) {
			b.RunParallel(func(loop *testing.PB) {
				for loop.Next() {
					_, err := box.Render(b.Context(), path)
					require.NoError(b, err)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "files/s")
		})
	}
}

// BenchmarkPlainLoop measures the naive alternative: decode, scale and encode in the program itself.
func BenchmarkPlainLoop(b *testing.B) {
	path := write(b, photograph(b))
	b.Run("photograph", func(b *testing.B) {
		b.RunParallel(func(loop *testing.PB) {
			for loop.Next() {
				data, err := os.ReadFile(path)
				require.NoError(b, err)
				decoded, err := jpeg.Decode(bytes.NewReader(data))
				require.NoError(b, err)
				small := image.NewRGBA(image.Rect(0, 0, mediabox.Side, mediabox.Side*3/4))
				draw.CatmullRom.Scale(small, small.Rect, decoded, decoded.Bounds(), draw.Src, nil)
				require.NoError(b, jpeg.Encode(&bytes.Buffer{}, small, &jpeg.Options{Quality: 82}))
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "files/s")
	})
}
