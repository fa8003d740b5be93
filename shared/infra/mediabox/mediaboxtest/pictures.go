package mediaboxtest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Canary is part of every text that must not be published: in titles, camera names, comments, and the EXIF location.
const Canary = "CANARY"

// Scene returns a picture with different corners: red, green, blue and white, clockwise from the top left, with smooth
// gradients between them.
//
// The race detector, which has nothing to find in a new picture, would make its pixels ten times as expensive.
//
//go:norace
func Scene(width, height int) *image.RGBA {
	scene := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		row := scene.Pix[y*scene.Stride:]
		for x := range width {
			right, down := 255*x/max(1, width-1), 255*y/max(1, height-1)
			row[4*x] = mix(255, 0, 0, 255, right, down)
			row[4*x+1] = mix(0, 255, 0, 255, right, down)
			row[4*x+2] = mix(0, 0, 255, 255, right, down)
			row[4*x+3] = 255
		}
	}
	return scene
}

// mix weighs the values of the corners: top left, top right, bottom right and bottom left.
//
//go:norace
func mix(a, b, c, d, right, down int) uint8 {
	top, bottom := a*(255-right)+b*right, d*(255-right)+c*right
	return uint8((top*(255-down) + bottom*down) / (255 * 255)) //nolint:gosec // a mean of bytes
}

// JPEG encodes a picture.
func JPEG(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, jpeg.Encode(&file, picture, &jpeg.Options{Quality: 90}))
	return file.Bytes()
}

// PNG encodes a picture.
func PNG(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&file, picture))
	return file.Bytes()
}

// EXIF returns EXIF data as a camera writes it: maker, orientation and location, least significant byte first.
func EXIF(orientation int) []byte {
	const firstText, placeDirectory = 64, 80
	order := binary.LittleEndian
	entry := func(data []byte, tag, kind uint16, count, value uint32) []byte {
		data = order.AppendUint16(order.AppendUint16(data, tag), kind)
		return order.AppendUint32(order.AppendUint32(data, count), value)
	}
	data := []byte("II*\x00\x08\x00\x00\x00\x03\x00")
	data = entry(data, 0x010F, 2, 14, firstText)
	data = entry(data, 0x0112, 3, 1, uint32(orientation)) //nolint:gosec // 0 to 9
	data = entry(data, 0x8825, 4, 1, placeDirectory)
	data = append(data, make([]byte, firstText-len(data))...)
	data = append(data, Canary+"-camera\x00\x00\x00"...)
	data = append(data, "\x01\x00"...)
	data = entry(data, 0x001D, 2, 11, placeDirectory+18)
	return append(data, "\x00\x00\x00\x00"+Canary+"-here\x00"...)
}

// Segment returns a JPEG segment.
func Segment(marker byte, data []byte) []byte {
	segment := binary.BigEndian.AppendUint16([]byte{0xFF, marker},
		uint16(len(data)+2)) //nolint:gosec // shorter than 64 KiB
	return append(segment, data...)
}

// InsertJPEG inserts segments after the start of a JPEG file.
func InsertJPEG(file []byte, segments ...[]byte) []byte {
	return slices.Concat(file[:2], slices.Concat(segments...), file[2:])
}

// Chunk returns a PNG chunk.
func Chunk(kind string, data []byte) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data))) //nolint:gosec // of test size
	chunk = append(append(chunk, kind...), data...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}

// InsertPNG inserts chunks after the header of a PNG file.
func InsertPNG(file []byte, chunks ...[]byte) []byte {
	const head = 8 + 25
	return slices.Concat(file[:head], slices.Concat(chunks...), file[head:])
}

// RIFF returns a WebP file with the given chunks.
func RIFF(chunks ...[]byte) []byte {
	content := slices.Concat(chunks...)
	file := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(content)+4)) //nolint:gosec // of test size
	return append(append(file, "WEBP"...), content...)
}

// RIFFChunk returns a chunk of a WebP file, padded to even length.
func RIFFChunk(kind string, data []byte) []byte {
	chunk := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data))) //nolint:gosec // of test size
	chunk = append(chunk, data...)
	if len(data)%2 != 0 {
		chunk = append(chunk, 0)
	}
	return chunk
}

// GIF returns an animation with the given number of frames, each shown for a tenth of a second. The first frame is the
// scene in the nearest of 125 colours.
//
//go:norace
func GIF(t testing.TB, width, height, frames int) []byte {
	t.Helper()
	const step = 63
	colours := make(color.Palette, 0, 125)
	for i := range cap(colours) {
		colours = append(colours, color.RGBA{
			R: uint8(i / 25 * step), G: uint8(i / 5 % 5 * step), B: uint8(i % 5 * step), A: 255,
		})
	}
	first, scene := image.NewPaletted(image.Rect(0, 0, width, height), colours), Scene(width, height)
	for i := range first.Pix {
		of := func(channel int) int { return (min(int(scene.Pix[4*i+channel]), 4*step) + step/2) / step }
		first.Pix[i] = uint8(of(0)*25 + of(1)*5 + of(2)) //nolint:gosec // below 125
	}
	animation := &gif.GIF{Image: []*image.Paletted{first}, Delay: []int{10}}
	small := image.NewPaletted(image.Rect(0, 0, 1, 1), colours[:2])
	for range frames - 1 {
		animation.Image, animation.Delay = append(animation.Image, small), append(animation.Delay, 10)
	}
	var file bytes.Buffer
	require.NoError(t, gif.EncodeAll(&file, animation))
	return file.Bytes()
}
