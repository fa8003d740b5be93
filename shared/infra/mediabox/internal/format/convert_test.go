package format_test

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/jpeg"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox/internal/format"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// colourProfile returns a profile of the given size, whose header names a colour space.
func colourProfile(space string, size int) []byte {
	data := bytes.Repeat([]byte{0x5A}, size)
	copy(data[16:], space)
	copy(data[36:], "acsp")
	return data
}

// segments splits a profile into JPEG segments.
func segments(profile []byte, longest int) (all [][]byte) {
	count := (len(profile) + longest - 1) / longest
	for n := range count {
		part := profile[n*longest : min((n+1)*longest, len(profile))]
		mark := append([]byte("ICC_PROFILE\x00"), byte((n+1)&0xFF), byte(count&0xFF))
		all = append(all, mediaboxtest.Segment(0xE2, append(mark, part...)))
	}
	return all
}

func convert(t testing.TB, data []byte) format.Encoded {
	t.Helper()
	file := fileOf(t, data)
	info, err := format.Inspect(file, limits())
	require.NoError(t, err)
	created, err := format.Convert(file, info, format.Target{})
	require.NoError(t, err)
	_, err = jpeg.Decode(bytes.NewReader(created.Data))
	require.NoError(t, err)
	return created
}

// profileIn joins the profile of a JPEG file.
func profileIn(t testing.TB, data []byte) []byte {
	t.Helper()
	var whole []byte
	for at := 2; data[at+1] == 0xE2; {
		length := int(data[at+2])<<8 | int(data[at+3])
		segment := data[at+4 : at+2+length]
		require.Equal(t, "ICC_PROFILE\x00", string(segment[:12]))
		whole = append(whole, segment[14:]...)
		at += 2 + length
	}
	return whole
}

// TestConvertKeepsColourProfile checks that a picture from a phone keeps its colours, whatever its format.
func TestConvertKeepsColourProfile(t *testing.T) {
	t.Parallel()
	small, large := colourProfile("RGB ", 600), colourProfile("RGB ", 150_000)
	scene := mediaboxtest.Scene(40, 30)
	plain, still := mediaboxtest.JPEG(t, scene), pictureFixture(t, "still.webp")
	var packed bytes.Buffer
	writer := zlib.NewWriter(&packed)
	_, err := writer.Write(small)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	parts := segments(large, 60_000)
	swapped := [][]byte{parts[2], parts[0], parts[1]}
	for name, test := range map[string]struct{ file, want []byte }{
		"JPEG":                  {mediaboxtest.InsertJPEG(plain, segments(small, 60_000)...), small},
		"JPEG, several":         {mediaboxtest.InsertJPEG(plain, parts...), large},
		"JPEG, in disorder":     {mediaboxtest.InsertJPEG(plain, swapped...), large},
		"JPEG, a part missing":  {mediaboxtest.InsertJPEG(plain, parts[0], parts[2]), nil},
		"JPEG, none":            {plain, nil},
		"JPEG, for print":       {mediaboxtest.InsertJPEG(plain, segments(colourProfile("CMYK", 600), 60_000)...), nil},
		"JPEG, too short":       {mediaboxtest.InsertJPEG(plain, segments(small[:100], 60_000)...), nil},
		"JPEG, other signature": {mediaboxtest.InsertJPEG(plain, segments(bytes.Repeat([]byte("RGB "), 50), 60_000)...), nil},
		"PNG": {
			mediaboxtest.InsertPNG(mediaboxtest.PNG(t, scene), mediaboxtest.Chunk("iCCP", append([]byte("P3\x00\x00"), packed.Bytes()...))),
			small,
		},
		"PNG, damaged": {
			mediaboxtest.InsertPNG(mediaboxtest.PNG(t, scene), mediaboxtest.Chunk("iCCP", []byte("P3\x00\x00damaged"))), nil,
		},
		"PNG, none": {mediaboxtest.PNG(t, scene), nil},
		"WebP": {
			mediaboxtest.RIFF(extended(0x20, 800, 600), mediaboxtest.RIFFChunk("ICCP", small),
				still[12:]),
			small,
		},
		"WebP, none": {still, nil},
		"GIF":        {mediaboxtest.GIF(t, 40, 30, 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, profileIn(t, convert(t, test.file).Data))
		})
	}
}

// TestConvertRefusesPictureBeyondDeclaredSize checks that a declared size is enforced.
func TestConvertRefusesPictureBeyondDeclaredSize(t *testing.T) {
	t.Parallel()
	file := fileOf(t, mediaboxtest.PNG(t, image.NewRGBA(image.Rect(0, 0, 20, 20))))
	_, err := format.Convert(file, format.Info{Width: 10, Height: 10, Orientation: 1}, format.Target{})
	require.Error(t, err)
}
