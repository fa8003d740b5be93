package picture_test

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/jpeg"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox/internal/corpustest"
	"fencepost.internal/shared/infra/mediabox/internal/picture"
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
		all = append(all, corpustest.Segment(0xE2, append(mark, part...)))
	}
	return all
}

func convert(t testing.TB, data []byte) picture.Encoded {
	t.Helper()
	file := fileOf(t, data)
	info, err := picture.Inspect(file, limits())
	require.NoError(t, err)
	created, err := picture.Convert(file, info, picture.Target{})
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
	scene := corpustest.Scene(40, 30)
	plain, still := corpustest.JPEG(t, scene), fixture(t, "still.webp")
	var packed bytes.Buffer
	writer := zlib.NewWriter(&packed)
	_, err := writer.Write(small)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	parts := segments(large, 60_000)
	swapped := [][]byte{parts[2], parts[0], parts[1]}
	for name, test := range map[string]struct{ file, want []byte }{
		"JPEG":                  {corpustest.InsertJPEG(plain, segments(small, 60_000)...), small},
		"JPEG, several":         {corpustest.InsertJPEG(plain, parts...), large},
		"JPEG, in disorder":     {corpustest.InsertJPEG(plain, swapped...), large},
		"JPEG, a part missing":  {corpustest.InsertJPEG(plain, parts[0], parts[2]), nil},
		"JPEG, none":            {plain, nil},
		"JPEG, for print":       {corpustest.InsertJPEG(plain, segments(colourProfile("CMYK", 600), 60_000)...), nil},
		"JPEG, too short":       {corpustest.InsertJPEG(plain, segments(small[:100], 60_000)...), nil},
		"JPEG, other signature": {corpustest.InsertJPEG(plain, segments(bytes.Repeat([]byte("RGB "), 50), 60_000)...), nil},
		"PNG": {
			corpustest.InsertPNG(corpustest.PNG(t, scene), corpustest.Chunk("iCCP", append([]byte("P3\x00\x00"), packed.Bytes()...))),
			small,
		},
		"PNG, damaged": {
			corpustest.InsertPNG(corpustest.PNG(t, scene), corpustest.Chunk("iCCP", []byte("P3\x00\x00damaged"))), nil,
		},
		"PNG, none": {corpustest.PNG(t, scene), nil},
		"WebP": {
			corpustest.RIFF(extended(0x20, 800, 600), corpustest.RIFFChunk("ICCP", small),
				still[12:]),
			small,
		},
		"WebP, none": {still, nil},
		"GIF":        {corpustest.GIF(t, 40, 30, 1), nil},
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
	file := fileOf(t, corpustest.PNG(t, image.NewRGBA(image.Rect(0, 0, 20, 20))))
	_, err := picture.Convert(file, picture.Info{Width: 10, Height: 10, Orientation: 1}, picture.Target{})
	require.Error(t, err)
}
