package format_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// TestHEICOffsetsAreKept checks that nothing moves, that no metadata remains, and that a clean file stays unchanged.
func TestHEICOffsetsAreKept(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"talkative.heic", "still.heic", "several.heic", "still.avif"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := fixture(t, name)
			if strings.HasPrefix(name, "talkative") {
				require.True(t, bytes.Contains(file, []byte(canary)))
			}
			_, data := scan(t, file, media.ContentTypeHEIC)
			require.Len(t, data, len(file))
			for _, word := range []string{canary, "XMP", "adobe"} {
				require.False(t, bytes.Contains(data, []byte(word)), word)
			}
			_, again := scan(t, data, media.ContentTypeHEIC)
			require.Equal(t, data, again)
		})
	}
}

// number returns a big-endian number of four bytes.
func number(value int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(value)) } //nolint:gosec // of test size

func full(kind string, content ...[]byte) []byte {
	return mediaboxtest.Box(kind, append([][]byte{number(0)}, content...)...)
}

// item returns the description of an item of a HEIC file.
func item(id byte, kind, rest string) []byte {
	return full("infe", []byte{0, id, 0, 0}, []byte(kind), []byte(rest+"\x00"))
}

// heic returns a file with a picture, EXIF and XMP, at the locations given by places.
func heic(places []byte, more ...[]byte) []byte {
	infos := slices.Concat(item(1, "hvc1", canary), item(2, "Exif", canary), item(3, "mime", "\x00application/rdf+xml"))
	for at := bytes.Index(infos, []byte("infe")); at >= 0; {
		infos[at+4] = 2 // the version
		next := bytes.Index(infos[at+4:], []byte("infe"))
		if next < 0 {
			break
		}
		at += 4 + next
	}
	return slices.Concat(mediaboxtest.Box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")),
		full("meta", full("hdlr", number(0), []byte("pict"), make([]byte, 13)), full("pitm", []byte{0, 1}),
			full("iinf", []byte{0, 3}, infos), places, mediaboxtest.Box("uuid", []byte(canary)), slices.Concat(more...)))
}

func TestHEICMetadataItemsAreErased(t *testing.T) {
	t.Parallel()
	const content = "picture.PLACE AND CAMERA 20 bXMPXMP"
	short := func(values ...int) []byte {
		var data []byte
		for _, value := range values {
			data = binary.BigEndian.AppendUint16(data, uint16(value)) //nolint:gosec // of test size
		}
		return data
	}
	first := func(at int) []byte { // version 0, four bytes each
		return full("iloc", []byte{0x44, 0}, short(3), short(1, 0, 1), number(at), number(8),
			short(2, 0, 1), number(at+8), number(21), short(3, 0, 2), number(at+29), number(3), number(at+32), number(3))
	}
	second := func(at int) []byte { // version 2, a base and an index
		box := full("iloc", []byte{0x44, 0x44}, number(3),
			number(1), short(0, 0), number(at), short(1), number(9), number(0), number(8),
			number(2), short(0, 0), number(at), short(1), number(9), number(8), number(21),
			number(3), short(0, 0), number(at), short(1), number(9), number(29), number(6))
		box[8] = 2
		return box
	}
	inside := func(int) []byte { // version 1, in the items' data
		box := full("iloc", []byte{0x44, 0}, short(3), short(1, 1, 0, 1), number(0), number(8),
			short(2, 1, 0, 1), number(8), number(21), short(3, 1, 0, 1), number(29), number(6))
		box[8] = 1
		return box
	}
	for name, test := range map[string]struct {
		places func(at int) []byte
		inside bool
	}{"first version": {first, false}, "second version": {second, false}, "in the box": {inside, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assemble := func(at int) []byte {
				if test.inside {
					return heic(test.places(at), mediaboxtest.Box("idat", []byte(content)))
				}
				return append(heic(test.places(at)), mediaboxtest.Box("mdat", []byte(content))...)
			}
			file := assemble(len(assemble(0)) - len(content))
			_, data := scan(t, file, media.ContentTypeHEIC)
			require.Len(t, data, len(file))
			for _, gone := range []string{canary, "PLACE", "CAMERA", "XMP", " b"} {
				require.NotContains(t, string(data), gone)
			}
			require.Contains(t, string(data), "picture.\x00\x00\x00\x00MM\x00*\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00",
				"EXIF that says nothing")
			_, again := scan(t, data, media.ContentTypeHEIC)
			require.Equal(t, data, again)
		})
	}
}

// TestHEICKeepsOnlyPictures checks that data that belong to no picture are erased, wherever they are.
func TestHEICKeepsOnlyPictures(t *testing.T) {
	t.Parallel()
	secret := []byte(canary)
	places := func(at int) []byte {
		return full("iloc", []byte{0x44, 0, 0, 1, 0, 1, 0, 0, 0, 2}, number(at), number(8), number(at+14), number(4))
	}
	assemble := func(at int) []byte {
		return slices.Concat(heic(places(at)), mediaboxtest.Box("mdat", []byte("picture."), []byte(canary), []byte("more"), secret),
			mediaboxtest.Box("moov", secret), mediaboxtest.Box("mpvd", secret), mediaboxtest.Box("mdat", secret), []byte("CAN"))
	}
	file := assemble(bytes.Index(assemble(0), []byte("picture.")))
	_, data := scan(t, file, media.ContentTypeHEIC)
	require.Len(t, data, len(file)-3, "nothing moves, and what follows the last box is cut")
	require.NotContains(t, string(data), canary)
	require.NotContains(t, string(data), "CAN")
	require.Contains(t, string(data), "mdatpicture.\x00\x00\x00\x00\x00\x00more\x00")
}

func TestUnparsableStills(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file  []byte
		class format.Class
	}{
		"without a picture": {mediaboxtest.Box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")), format.Broken},
		"without places":    {heic(nil), format.Broken},
		"too many places":   {heic(full("iloc", []byte{0x44, 0, 0xFF, 0xFF})), format.Broken},
		"places of no width": {
			heic(full("iloc", []byte{0x40, 0, 0, 1, 0, 1, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0})), format.Broken,
		},
		"a place outside": {
			heic(full("iloc", []byte{0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1}, number(9), number(1<<30))), format.Broken,
		},
		"images in another file": {
			heic(nil, mediaboxtest.Box("dinf", full("dref", number(1), full("url ", []byte("/home"))))), format.Broken,
		},
		"a handler that is too short": {
			slices.Concat(mediaboxtest.Box("ftyp", []byte("heic")), full("meta", mediaboxtest.Box("hdlr", []byte{0}))), format.Broken,
		},
		"a crowd of boxes": {heic(nil, bytes.Repeat(mediaboxtest.Box("udta"), 200_000)), format.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := format.Scan(bytes.NewReader(test.file), int64(len(test.file)), media.ContentTypeHEIC)
			requireClass(t, test.class, err)
		})
	}
}

func requireClass(t testing.TB, wanted format.Class, err error) {
	t.Helper()
	var failure *format.Failure
	require.ErrorAs(t, err, &failure)
	require.Equal(t, wanted, failure.Class, failure.Detail)
}

// TestLongStillsUseBoundedMemory checks that memory does not grow with the length of the removed parts.
func TestLongStillsUseBoundedMemory(t *testing.T) {
	t.Parallel()
	const long = 1 << 40
	start := slices.Concat(heic(full("iloc", []byte{0x44, 0, 0, 0})), number(1), []byte("free"), number(long>>32), number(0))
	size := int64(long + len(start) - 16)
	clean, err := format.Scan(sparse(start), size, media.ContentTypeHEIC)
	require.NoError(t, err)
	require.Equal(t, size, clean.Size)
	data, err := io.ReadAll(io.LimitReader(clean.NewReader(), 1<<20))
	require.NoError(t, err)
	require.Len(t, data, 1<<20)
}

// FuzzStills checks that for any input, nothing moves and a clean file stays unchanged.
func FuzzStills(f *testing.F) {
	f.Add(fixture(f, "talkative.heic"))
	f.Add(heic(full("iloc", []byte{0x44, 0, 0, 1, 0, 2, 0, 0, 0, 1}, number(9), number(9))))
	f.Fuzz(func(t *testing.T, file []byte) {
		clean, err := format.Scan(bytes.NewReader(file), int64(len(file)), media.ContentTypeHEIC)
		if err != nil {
			var failure *format.Failure
			require.ErrorAs(t, err, &failure)
			return
		}
		require.LessOrEqual(t, clean.Size, int64(len(file)))
		data, err := io.ReadAll(clean.NewReader())
		require.NoError(t, err)
		require.Len(t, data, int(clean.Size))
		_, same := scan(t, data, media.ContentTypeHEIC)
		require.True(t, bytes.Equal(data, same), "a clean file is clean")
	})
}

// TestCrowdedPictures checks that memory does not grow with the number of a file's parts.
func TestCrowdedPictures(t *testing.T) {
	t.Parallel()
	const many = 100_000
	text, data := mediaboxtest.Chunk("tEXt", nil), mediaboxtest.Chunk("IDAT", nil)
	for contentType, file := range map[string][]byte{
		media.ContentTypePNG: mediaboxtest.InsertPNG(mediaboxtest.HugePNG(1, 1), bytes.Repeat(append(text, data...), many)),
		media.ContentTypeJPEG: mediaboxtest.InsertJPEG(mediaboxtest.JPEG(t, mediaboxtest.Scene(8, 8)),
			bytes.Repeat(append(mediaboxtest.Segment(0xFE, nil), mediaboxtest.Segment(0xDD, nil)...), many)),
		media.ContentTypeWebP: mediaboxtest.RIFF(bytes.Repeat(append(mediaboxtest.RIFFChunk("odd ", nil),
			mediaboxtest.RIFFChunk("ALPH", nil)...), many)),
	} {
		_, err := format.Scan(bytes.NewReader(file), int64(len(file)), contentType)
		var failure *format.Failure
		require.ErrorAs(t, err, &failure, contentType)
		require.Equal(t, format.TooLarge, failure.Class, contentType)
	}
}

// sparse is a file that continues with zeros forever.
type sparse []byte

func (s sparse) ReadAt(data []byte, offset int64) (int, error) {
	clear(data)
	if offset < int64(len(s)) {
		copy(data, s[offset:])
	}
	return len(data), nil
}

// eager returns io.EOF together with the last bytes, as io.ReaderAt allows.
type eager struct{ *bytes.Reader }

func (e eager) ReadAt(data []byte, offset int64) (int, error) {
	n, err := e.Reader.ReadAt(data, offset)
	if offset+int64(n) == e.Size() {
		err = io.EOF
	}
	return n, err
}

func TestReaderContinuesAfterSource(t *testing.T) {
	t.Parallel()
	whole := mediaboxtest.JPEG(t, mediaboxtest.Scene(40, 30))
	cut := whole[:len(whole)-2] // the added bytes follow the source's last byte
	clean, err := format.Scan(eager{bytes.NewReader(cut)}, int64(len(cut)), media.ContentTypeJPEG)
	require.NoError(t, err)
	data, err := io.ReadAll(clean.NewReader())
	require.NoError(t, err)
	require.Equal(t, whole, data)
}
