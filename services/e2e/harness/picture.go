package harness

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"github.com/stretchr/testify/require"
)

// Picture returns a JPEG file that every network accepts. Each n gives a different image.
func Picture(t testing.TB, n int) []byte {
	t.Helper()
	const side = 1080
	drawn := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			drawn.Set(x, y, color.RGBA{R: uint8(x / 5), G: uint8(y / 5), B: uint8(40 * n), A: 255}) //nolint:gosec // a colour
		}
	}
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, drawn, nil))
	return out.Bytes()
}
