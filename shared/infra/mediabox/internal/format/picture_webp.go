package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"io"

	"golang.org/x/image/riff"
	"golang.org/x/image/webp"
)

// animationBit is the flag of the extended header for pictures in frames (RFC 9649, 2.7.1).
const animationBit = 1 << 1

// decodeWebP decodes a still picture, or the first frame of an animation. The decoder does not support animations, so
// the chunks of the frame are passed to it as a still picture.
func decodeWebP(file File) (image.Image, image.Point, error) {
	still := func() (image.Image, image.Point, error) {
		decoded, err := webp.Decode(file.reader())
		return decoded, image.Point{}, err
	}
	_, chunks, err := riff.NewReader(file.reader())
	if err != nil {
		return nil, image.Point{}, err
	}
	for first := true; ; first = false {
		kind, length, data, err := chunks.Next()
		if err != nil {
			return nil, image.Point{}, noFrame(err)
		}
		switch string(kind[:]) {
		case "VP8X":
			var flags [1]byte
			if _, err := io.ReadFull(data, flags[:]); err != nil {
				return nil, image.Point{}, err
			}
			if flags[0]&animationBit == 0 {
				return still()
			}
		case "ANMF":
			return decodeFrame(data, length)
		default:
			if first {
				return still()
			}
		}
	}
}

func noFrame(err error) error {
	if errors.Is(err, io.EOF) {
		return Fail(Broken, "an animation without frames")
	}
	return err
}

// decodeFrame decodes the content of an ANMF chunk: position and size in their own units, then the picture's chunks.
func decodeFrame(data io.Reader, length uint32) (image.Image, image.Point, error) {
	const head = 16
	var place [head]byte
	if _, err := io.ReadFull(data, place[:]); err != nil {
		return nil, image.Point{}, err
	}
	at := image.Pt(2*uint24(place[0:]), 2*uint24(place[3:]))
	content := int64(length) - head

	// Prepend RIFF and VP8X headers. The alpha bit must match the presence of an ALPH chunk.
	peeked := make([]byte, 4)
	if _, err := io.ReadFull(data, peeked); err != nil {
		return nil, image.Point{}, err
	}
	const front = 30
	extended := make([]byte, 0, front)
	extended = append(extended, "RIFF"...)
	extended = binary.LittleEndian.AppendUint32(extended,
		uint32(front-8+content)) //nolint:gosec // shorter than the file, whose length has 32 bits
	extended = append(extended, "WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00"...)
	extended = append(extended, place[6:12]...)
	if string(peeked) == "ALPH" {
		const alphaBit = 1 << 4
		extended[20] = alphaBit
	}
	decoded, err := webp.Decode(io.MultiReader(bytes.NewReader(extended), bytes.NewReader(peeked),
		io.LimitReader(data, content-int64(len(peeked)))))
	return decoded, at, err
}

func uint24(data []byte) int { return int(data[0]) | int(data[1])<<8 | int(data[2])<<16 }
