package format_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/webp"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

const canary = mediaboxtest.Canary

func scan(t testing.TB, file []byte, contentType string) (*format.Clean, []byte) {
	t.Helper()
	clean, err := format.Scan(bytes.NewReader(file), int64(len(file)), contentType)
	require.NoError(t, err)
	data, err := io.ReadAll(clean.NewReader())
	require.NoError(t, err)
	require.Len(t, data, int(clean.Size))
	return clean, data
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "mediaboxtest", "testdata", name))
	require.NoError(t, err)
	return data
}

// talkativeJPEG returns a JPEG file with every kind of metadata segment.
func talkativeJPEG(t testing.TB, orientation int) []byte {
	t.Helper()
	file := mediaboxtest.InsertJPEG(mediaboxtest.JPEG(t, mediaboxtest.Scene(40, 30)),
		mediaboxtest.Segment(0xE0, []byte("JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x01\x02"+canary)),
		mediaboxtest.Segment(0xE0, []byte("JFXX\x00\x10"+canary)),
		mediaboxtest.Segment(0xE1, append([]byte("Exif\x00\x00"), mediaboxtest.EXIF(orientation)...)),
		mediaboxtest.Segment(0xE1, []byte("http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta>"+canary)),
		mediaboxtest.Segment(0xE2, []byte("ICC_PROFILE\x00\x01\x01profile")),
		mediaboxtest.Segment(0xE2, []byte("MPF\x00"+canary)),
		mediaboxtest.Segment(0xED, []byte("Photoshop 3.0\x008BIM\x04\x04"+canary)),
		mediaboxtest.Segment(0xEB, []byte(canary)),
		mediaboxtest.Segment(0xFE, []byte("made by "+canary)))
	return slices.Concat(file, []byte("\xFF\xD8 a second picture, "+canary), make([]byte, 9000), []byte(canary))
}

func talkativePNG(t testing.TB, orientation int) []byte {
	t.Helper()
	file := mediaboxtest.InsertPNG(mediaboxtest.PNG(t, mediaboxtest.Scene(40, 30)),
		mediaboxtest.Chunk("gAMA", []byte{0, 0, 0xB1, 0x8F}),
		mediaboxtest.Chunk("tEXt", []byte("Author\x00"+canary)),
		mediaboxtest.Chunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+canary)),
		mediaboxtest.Chunk("zTXt", []byte("Comment\x00\x00"+canary)),
		mediaboxtest.Chunk("tIME", []byte{7, 0xEA, 1, 1, 1, 1, 1}),
		mediaboxtest.Chunk("eXIf", mediaboxtest.EXIF(orientation)),
		mediaboxtest.Chunk("caNv", []byte(canary)))
	return append(file, "<?php "+canary...)
}

// chunks returns the chunks of a WebP file.
func chunks(file []byte) []byte { return file[12:] }

func talkativeWebP(t testing.TB, orientation int) []byte {
	t.Helper()
	file := mediaboxtest.RIFF(
		mediaboxtest.RIFFChunk("VP8X", []byte{0x04 | 0x08 | 0x20, 0, 0, 0, 0x1F, 0x03, 0, 0x57, 0x02, 0}),
		mediaboxtest.RIFFChunk("ICCP", []byte("profile")),
		chunks(fixture(t, "still.webp")),
		mediaboxtest.RIFFChunk("EXIF", mediaboxtest.EXIF(orientation)),
		mediaboxtest.RIFFChunk("XMP ", []byte(canary)),
		mediaboxtest.RIFFChunk("odd ", []byte(canary)))
	return append(file, canary...)
}

func talkativeGIF(t testing.TB) []byte {
	t.Helper()
	file := mediaboxtest.GIF(t, 40, 30, 3)
	first := bytes.Index(file, []byte{0x21, 0xF9}) // after the colours and the loop count
	require.Positive(t, first)
	comment := append(append([]byte{0x21, 0xFE, byte(len(canary))}, canary...), 0)
	xmp := append(append([]byte("\x21\xFF\x0bXMP DataXMP"), append([]byte{byte(len(canary))}, canary...)...), 0)
	return slices.Concat(file[:first], comment, xmp, file[first:], []byte(canary))
}

// TestScanRemovesAllMetadata checks that no metadata remains and that the picture is the same.
func TestScanRemovesAllMetadata(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file        []byte
		contentType string
		decode      func(io.Reader) (image.Image, error)
		stays       string
	}{
		"JPEG": {talkativeJPEG(t, 6), media.ContentTypeJPEG, jpeg.Decode, "ICC_PROFILE\x00\x01\x01profile"},
		"JPEG, upright": {
			talkativeJPEG(t, 1), media.ContentTypeJPEG, jpeg.Decode, "JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x00\x00",
		},
		"PNG":  {talkativePNG(t, 8), media.ContentTypePNG, png.Decode, "gAMA"},
		"WebP": {talkativeWebP(t, 3), media.ContentTypeWebP, webp.Decode, "ICCP\x07\x00\x00\x00profile"},
		"GIF":  {talkativeGIF(t), media.ContentTypeGIF, gif.Decode, "NETSCAPE2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, string(test.file), canary)
			before, err := test.decode(bytes.NewReader(test.file))
			require.NoError(t, err)

			_, data := scan(t, test.file, test.contentType)
			require.NotContains(t, string(data), canary)
			require.NotContains(t, string(data), "Exif\x00\x00II")
			require.Contains(t, string(data), test.stays)
			after, err := test.decode(bytes.NewReader(data))
			require.NoError(t, err)
			require.Equal(t, before, after)

			_, again := scan(t, data, test.contentType)
			require.Equal(t, data, again, "a clean file stays as it is")
		})
	}
}

func TestScanKeepsOrientation(t *testing.T) {
	t.Parallel()
	for orientation := range 10 {
		wanted := orientation
		if orientation < 1 || orientation > 8 {
			wanted = 1
		}
		for contentType, file := range map[string][]byte{
			media.ContentTypeJPEG: talkativeJPEG(t, orientation),
			media.ContentTypePNG:  talkativePNG(t, orientation),
			media.ContentTypeWebP: talkativeWebP(t, orientation),
		} {
			clean, data := scan(t, file, contentType)
			require.Equal(t, wanted, clean.Orientation, contentType)
			again, _ := scan(t, data, contentType)
			require.Equal(t, wanted, again.Orientation, contentType)
		}
	}
}

func TestScanUpdatesWebPFlags(t *testing.T) {
	t.Parallel()
	const flags = 20
	_, upright := scan(t, talkativeWebP(t, 1), media.ContentTypeWebP)
	require.Equal(t, byte(0x20), upright[flags], "a colour profile and nothing else")
	_, turned := scan(t, talkativeWebP(t, 6), media.ContentTypeWebP)
	require.Equal(t, byte(0x28), turned[flags])
}

func TestScanKeepsAnimations(t *testing.T) {
	t.Parallel()
	moving := fixture(t, "moving.webp")
	_, data := scan(t, moving, media.ContentTypeWebP)
	require.Equal(t, bytes.Count(moving, []byte("ANMF")), bytes.Count(data, []byte("ANMF")))
	require.Equal(t, moving, data, "nothing to remove")

	inFrame := mediaboxtest.RIFF(
		mediaboxtest.RIFFChunk("VP8X", []byte{0x02, 0, 0, 0, 0x1F, 0x03, 0, 0x57, 0x02, 0}),
		mediaboxtest.RIFFChunk("ANIM", make([]byte, 6)),
		mediaboxtest.RIFFChunk("ANMF", slices.Concat(make([]byte, 16), chunks(fixture(t, "still.webp")),
			mediaboxtest.RIFFChunk("odd ", []byte(canary)))))
	_, data = scan(t, inFrame, media.ContentTypeWebP)
	require.NotContains(t, string(data), canary)
	_, again := scan(t, data, media.ContentTypeWebP)
	require.Equal(t, data, again)
}

func TestScanCountsFrames(t *testing.T) {
	t.Parallel()
	clean, _ := scan(t, mediaboxtest.GIF(t, 20, 10, 7), media.ContentTypeGIF)
	require.Equal(t, 7, clean.Frames)
	require.Equal(t, int64(70), clean.Hundredths)
}

func TestScanEndsUnfinishedFiles(t *testing.T) {
	t.Parallel()
	whole := mediaboxtest.JPEG(t, mediaboxtest.Scene(400, 300))
	_, data := scan(t, whole[:len(whole)/2], media.ContentTypeJPEG)
	require.Equal(t, append(whole[:len(whole)/2:len(whole)/2], 0xFF, 0xD9), data)

	animation := mediaboxtest.GIF(t, 20, 10, 3)
	_, data = scan(t, animation[:len(animation)-1], media.ContentTypeGIF)
	require.Equal(t, animation, data)
}

func TestScanRefusesUnparsableFiles(t *testing.T) {
	t.Parallel()
	plain := mediaboxtest.JPEG(t, mediaboxtest.Scene(8, 8))
	for name, test := range map[string]struct {
		file        []byte
		contentType string
		class       format.Class
	}{
		"another type":          {mediaboxtest.PDF(10, 10, ""), media.ContentTypePDF, format.Unsupported},
		"nothing":               {nil, media.ContentTypeJPEG, format.Broken},
		"JPEG that is none":     {[]byte("hello"), media.ContentTypeJPEG, format.Broken},
		"JPEG cut in a segment": {plain[:30], media.ContentTypeJPEG, format.Broken},
		"JPEG, segment of length 1": {
			mediaboxtest.InsertJPEG(plain, []byte{0xFF, 0xE1, 0, 1}), media.ContentTypeJPEG, format.Broken,
		},
		"JPEG with junk in between": {mediaboxtest.InsertJPEG(plain, []byte("junk")), media.ContentTypeJPEG, format.Broken},
		"JPEG with an odd marker": {
			mediaboxtest.InsertJPEG(plain, mediaboxtest.Segment(0x02, nil)), media.ContentTypeJPEG, format.Broken,
		},
		"JPEG that starts twice": {mediaboxtest.InsertJPEG(plain, []byte{0xFF, 0xD8}), media.ContentTypeJPEG, format.Broken},
		"PNG that is none":       {[]byte("\x89PNX\r\n\x1a\n12345678"), media.ContentTypePNG, format.Broken},
		"PNG without a header": {
			append([]byte("\x89PNG\r\n\x1a\n"), mediaboxtest.Chunk("IEND", nil)...), media.ContentTypePNG, format.Broken,
		},
		"PNG without an end": {mediaboxtest.HugePNG(1, 1)[:40], media.ContentTypePNG, format.Broken},
		"PNG, chunk of 4 GiB": {
			mediaboxtest.InsertPNG(mediaboxtest.HugePNG(1, 1), []byte("\xFF\xFF\xFF\xFFtEXt")), media.ContentTypePNG, format.Broken,
		},
		"WebP that is none": {[]byte("RIFF\x04\x00\x00\x00WAVE"), media.ContentTypeWebP, format.Broken},
		"WebP without a picture": {
			mediaboxtest.RIFF(mediaboxtest.RIFFChunk("XMP ", nil)), media.ContentTypeWebP, format.Broken,
		},
		"WebP, chunk too long": {mediaboxtest.RIFF([]byte("VP8 \xFF\xFF\xFF\xFF")), media.ContentTypeWebP, format.Broken},
		"WebP, frame too short": {
			mediaboxtest.RIFF(mediaboxtest.RIFFChunk("ANMF", []byte("short"))), media.ContentTypeWebP, format.Broken,
		},
		"WebP, chunk leaves a frame": {
			mediaboxtest.RIFF(mediaboxtest.RIFFChunk("ANMF", append(make([]byte, 16), "VP8 \x08\x00\x00\x00"...)), make([]byte, 20)),
			media.ContentTypeWebP, format.Broken,
		},
		"GIF that is none":    {[]byte("GIG89a\x01\x00\x01\x00\x00\x00\x00\x3b"), media.ContentTypeGIF, format.Broken},
		"GIF with junk":       {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00junk"), media.ContentTypeGIF, format.Broken},
		"GIF without a frame": {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00"), media.ContentTypeGIF, format.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := format.Scan(bytes.NewReader(test.file), int64(len(test.file)), test.contentType)
			var failure *format.Failure
			require.ErrorAs(t, err, &failure)
			require.Equal(t, test.class, failure.Class)
		})
	}
}

// brokenDisk fails to read.
type brokenDisk struct{}

func (brokenDisk) ReadAt([]byte, int64) (int, error) { return 0, os.ErrPermission }

func TestScanDistinguishesReadErrors(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{
		media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeWebP, media.ContentTypeGIF,
	} {
		_, err := format.Scan(brokenDisk{}, 1000, contentType)
		require.ErrorIs(t, err, os.ErrPermission)
	}
}

// FuzzScan checks that for any input, the result has the announced length, can be walked, and is already clean.
func FuzzScan(f *testing.F) {
	for kind, seed := range [][]byte{talkativeJPEG(f, 6), talkativePNG(f, 8), talkativeWebP(f, 3), talkativeGIF(f)} {
		f.Add(uint8(kind), seed)
	}
	f.Add(uint8(2), fixture(f, "moving.webp"))
	types := []string{media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeWebP, media.ContentTypeGIF}
	f.Fuzz(func(t *testing.T, kind uint8, file []byte) {
		contentType := types[int(kind)%len(types)]
		clean, err := format.Scan(bytes.NewReader(file), int64(len(file)), contentType)
		if err != nil {
			var failure *format.Failure
			require.ErrorAs(t, err, &failure)
			return
		}
		data, err := io.ReadAll(clean.NewReader())
		require.NoError(t, err)
		require.Len(t, data, int(clean.Size))
		again, same := scan(t, data, contentType)
		require.Equal(t, data, same)
		require.Equal(t, clean.Orientation, again.Orientation)
		require.Equal(t, clean.Frames, again.Frames)
	})
}
