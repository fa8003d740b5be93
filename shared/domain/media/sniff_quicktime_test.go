package media_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
)

// atom returns an atom with a header of that size, followed by rest.
func atom(size uint32, kind, rest string) []byte {
	return append(append(binary.BigEndian.AppendUint32(nil, size), kind...), rest...)
}

// movie returns the start of a movie whose header has this length and version.
func movie(length uint32, version byte) []byte {
	return slices.Concat(atom(4096, "moov", ""), atom(length, "mvhd", string([]byte{version})+strings.Repeat("\x00", 200)))
}

func TestSniffAcceptsVideosWithoutFileType(t *testing.T) {
	t.Parallel()
	sound := strings.Repeat("\x7F", 100)
	for name, head := range map[string][]byte{
		"movie":                  movie(108, 0),
		"movie of long times":    movie(120, 1),
		"media":                  atom(0x00A00000, "mdat", sound),
		"large media":            atom(0xE0000000, "mdat", sound),
		"media of 64 bits":       atom(1, "mdat", "\x00\x00\x00\x02\x00\x00\x00\x00"+sound),
		"room for a longer size": slices.Concat(atom(8, "wide", ""), atom(0x00A00000, "mdat", sound)),
		"room and letters":       slices.Concat(atom(8, "wide", ""), atom(0x61626364, "mdat", sound)),
		"free space":             slices.Concat(atom(108, "skip", sound), atom(108, "free", sound), movie(108, 0)),
		"preview": slices.Concat(atom(20, "pnot", "\x00\x00\x00\x00\x00\x00PICT\x00\x01"),
			atom(0x00A00000, "mdat", sound)),
		"movie behind some media": slices.Concat(atom(108, "mdat", sound), movie(108, 0)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, contentType, ok := media.Sniff(head)
			require.True(t, ok)
			require.Equal(t, media.Video, kind)
			require.Equal(t, "video/quicktime", contentType)
		})
	}
}

func TestSniffRejectsOtherQuickTimeFiles(t *testing.T) {
	t.Parallel()
	sound := strings.Repeat("\x7F", 100)
	for name, head := range map[string][]byte{
		"size that is text":         atom(0x3C612062, "mdat", sound),
		"size that is blank":        atom(0x0A0A0A0A, "mdat", sound),
		"media to the end":          atom(0, "mdat", sound),
		"media without content":     atom(8, "mdat", ""),
		"media smaller than a head": atom(7, "mdat", sound),
		"media alone":               atom(108, "mdat", sound),
		"64 bits of nothing":        atom(1, "mdat", "\x00\x00\x00\x00\x00\x00\x00\x0F"+sound),
		"64 bits of everything":     atom(1, "mdat", "\x00\x00\x01\x00\x00\x00\x00\x00"+sound),
		"64 bits, cut":              atom(1, "mdat", "\x00\x00\x00"),
		"free space alone":          atom(108, "free", sound),
		"free space beyond sight":   slices.Concat(atom(2000, "free", strings.Repeat("\x00", 1992)), movie(108, 0)),
		"room, and another file":    slices.Concat(atom(8, "wide", ""), atom(16, "ftyp", "qt  \x00\x00\x00\x00")),
		"movie without a header":    atom(4096, "moov", strings.Repeat("\x00", 200)),
		"movie that is packed":      slices.Concat(atom(4096, "moov", ""), atom(2048, "cmov", sound)),
		"movie of no size":          slices.Concat(atom(0, "moov", ""), movie(108, 0)[8:]),
		"movie of a gigabyte":       slices.Concat(atom(1<<30, "moov", ""), movie(108, 0)[8:]),
		"header of another length":  movie(109, 0),
		"header of another version": movie(108, 1),
		"movie, cut":                movie(108, 0)[:16],
		"page in the media":         atom(0x00A00000, "mdat", "<script>alert(1)</script>"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, contentType, ok := media.Sniff(head)
			require.False(t, ok, "taken as %s", contentType)
		})
	}
}
