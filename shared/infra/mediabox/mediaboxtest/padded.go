package mediaboxtest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Padded returns an MP4 file with a second sound track that has the given number of bytes of no meaning. Networks get
// them, unlike bytes that belong to no track.
func Padded(t testing.TB, video []byte, padding int) []byte {
	t.Helper()
	if padding == 0 {
		return slices.Clone(video)
	}
	before, after := AroundPadding(t, video, padding)
	return slices.Concat(before, bytes.Repeat([]byte{0x5a}, padding), after)
}

// AroundPadding returns the parts of the file of Padded before and after the padding.
func AroundPadding(t testing.TB, video []byte, padding int) (before, after []byte) {
	t.Helper()
	const head, sample = 8, 1 << 20
	at := bytes.Index(video, []byte("moov")) - 4
	require.Positive(t, at)
	end := at + int(binary.BigEndian.Uint32(video[at:]))
	before = slices.Clone(video)
	copy(before[at+4:], "free") // the tables move behind the padding
	clear(before[at+head : end])
	before = append(append(before, number(uint32(head+padding))...), "mdat"...) //nolint:gosec // less than four gigabytes
	sizes := slices.Repeat([]uint32{sample}, padding/sample)
	if rest := padding % sample; rest > 0 {
		sizes = append(sizes, uint32(rest))
	}
	return before, Box("moov", video[at+head:end], soundTrack(uint32(len(before)), sizes)) //nolint:gosec // of test size
}

// soundTrack returns a track of AAC samples of the given sizes, one after the other at an offset.
func soundTrack(offset uint32, sizes []uint32) []byte {
	const rate, length = 44_100, 64 // of a sample, so that no video becomes longer
	box := func(kind string, values ...uint32) []byte {
		content, _ := binary.Append(make([]byte, 4), binary.BigEndian, values)
		return Box(kind, content)
	}
	count := uint32(len(sizes)) //nolint:gosec // of test size
	header := slices.Concat([]uint32{0, 0, 99, 0, 1, 0, 0, 0, 1 << 24, 1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30, 0, 0})
	coding := Box("mp4a", make([]byte, 7), []byte{1}, make([]byte, 8), []byte{0, 2, 0, 16, 0, 0, 0, 0}, number(rate<<16),
		Box("esds", []byte("\x00\x00\x00\x00\x03\x19\x00\x00\x00\x04\x11\x40\x15"), make([]byte, 11),
			[]byte("\x05\x02\x12\x10\x06\x01\x02")))
	return Box("trak", box("tkhd", header...), Box("mdia",
		box("mdhd", 0, 0, rate, length*count, 0x55c4<<16),
		Box("hdlr", make([]byte, 8), []byte("soun"), make([]byte, 13)),
		Box("minf", box("smhd", 0), Box("dinf", Box("dref", number(0), number(1),
			Box("url ", number(1)))), Box("stbl",
			Box("stsd", number(0), number(1), coding), box("stts", 1, count, length), box("stsc", 1, 1, count, 1),
			box("stsz", append([]uint32{0, count}, sizes...)...), box("stco", 1, offset)))))
}
