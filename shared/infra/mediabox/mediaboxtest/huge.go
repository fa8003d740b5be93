package mediaboxtest

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// HugePNG returns a small PNG file that claims to be width × height pixels.
func HugePNG(width, height uint32) []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), Chunk("IHDR", append(header, 8, 6, 0, 0, 0)),
		Chunk("IDAT", []byte("\x78\x9c\x63\x00\x00\x00\x01\x00\x01")), Chunk("IEND", nil))
}

// HugeJPEG returns a small JPEG file that claims to be width × height pixels.
func HugeJPEG(t testing.TB, width, height uint16) []byte {
	t.Helper()
	file := JPEG(t, Scene(8, 8))
	frame := bytes.Index(file, []byte{0xFF, 0xC0})
	require.Positive(t, frame)
	binary.BigEndian.PutUint16(file[frame+5:], height)
	binary.BigEndian.PutUint16(file[frame+7:], width)
	return file
}

// Zeros returns n zero bytes, deflated to about a thousandth of the size. Only the first megabyte is compressed; its
// compressed bytes are repeated.
func Zeros(t testing.TB, n int) []byte {
	t.Helper()
	const block, adlerModulus = 1 << 20, 65_521
	file := append([]byte{0x78, 0x9C}, bytes.Repeat(deflated(t, block), n/block)...)
	file = append(file, deflated(t, n%block)...)
	file = append(file, 0x01, 0x00, 0x00, 0xFF, 0xFF)                        // the last block, which is empty
	return binary.BigEndian.AppendUint32(file, uint32(n%adlerModulus)<<16|1) //nolint:gosec // of test size
}

// deflated returns n zero bytes as deflate blocks that end at a byte boundary, none of them the last block.
func deflated(t testing.TB, n int) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	require.NoError(t, err)
	_, err = w.Write(make([]byte, n))
	require.NoError(t, err)
	require.NoError(t, w.Flush())
	return packed.Bytes()
}

// DeepPNG returns a black picture with sixteen bits per channel, which takes eight bytes per pixel in memory and almost
// none in the file.
func DeepPNG(t testing.TB, width, height int) []byte {
	t.Helper()
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height)) //nolint:gosec // of test size
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), Chunk("IHDR", append(header, 16, 6, 0, 0, 0)),
		Chunk("IDAT", Zeros(t, height*(1+8*width))), Chunk("IEND", nil))
}

// EndlessJPEG returns a progressive JPEG of some thousand pixels per side whose scans refine nothing. Each scan costs a
// hundred bytes of file and a pass over the whole picture.
func EndlessJPEG(width, height uint16, scans int) []byte {
	frame := []byte{8}
	frame = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(frame, height), width)
	frame = append(frame, 1, 1, 0x11, 0) // one component
	// A single one-bit code, the zero bit. It encodes an end-of-band run of 16,384 blocks or more, given by fourteen
	// bits.
	codes := append([]byte{0x10, 1}, make([]byte, 15)...)
	codes = append(codes, 0xE0)
	const run = 1<<14 | 0b10101010101010
	blocks := (int(width) + 7) / 8 * ((int(height) + 7) / 8)
	var bits strings.Builder
	for range blocks/run + 1 {
		bits.WriteString("010101010101010")
	}
	for bits.Len()%8 != 0 {
		bits.WriteByte('0')
	}
	data := make([]byte, 0, bits.Len()/8)
	for text := bits.String(); text != ""; text = text[8:] {
		var value byte
		for _, bit := range text[:8] {
			value = value<<1 | byte(bit-'0') //nolint:gosec // 0 or 1
		}
		data = append(data, value)
	}
	scan := append(Segment(0xDA, []byte{1, 1, 0x00, 1, 63, 0}), data...)
	return slices.Concat([]byte{0xFF, 0xD8}, Segment(0xDB, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)),
		Segment(0xC2, frame), Segment(0xC4, codes), bytes.Repeat(scan, scans), []byte{0xFF, 0xD9})
}

// CrowdedGIF returns an animation with the given number of one-pixel frames, twenty bytes each.
func CrowdedGIF(frames int) []byte {
	frame := []byte("\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00")
	return slices.Concat([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xFF\xFF\xFF"), bytes.Repeat(frame, frames),
		[]byte{0x3b})
}

// PDF returns a document with one page of the given size in points, half of it black, with extra in its catalogue.
func PDF(width, height float64, extra string, objects ...string) []byte {
	content := fmt.Sprintf("0 0 %f %f re f", width/2, height)
	all := append([]string{
		"<</Type/Catalog/Pages 2 0 R" + extra + ">>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %f %f]/Contents 4 0 R/Resources<<>>>>", width, height),
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content),
	}, objects...)
	file := bytes.NewBufferString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	offsets := make([]int, 0, len(all))
	for i, object := range all {
		offsets = append(offsets, file.Len())
		fmt.Fprintf(file, "%d 0 obj%sendobj\n", i+1, object)
	}
	table := file.Len()
	fmt.Fprintf(file, "xref\n0 %d\n0000000000 65535 f \n", len(all)+1)
	for _, offset := range offsets {
		fmt.Fprintf(file, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(file, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(all)+1, table)
	return file.Bytes()
}

// LockedPDF returns a document that requires a password, which is not known (ISO 32000-1, 7.6.3).
func LockedPDF() []byte {
	key := strings.Repeat("5A", 32)
	file := PDF(300, 200, "", "<</Filter/Standard/V 1/R 2/P -4/O<"+key+">/U<"+key+">>>")
	return bytes.Replace(file, []byte("/Root 1 0 R"), []byte("/Root 1 0 R/ID[<00><00>]/Encrypt 5 0 R"), 1)
}

// Box returns a box of an MP4 file.
func Box(kind string, content ...[]byte) []byte {
	data := slices.Concat(content...)
	box := binary.BigEndian.AppendUint32(nil, uint32(len(data)+8)) //nolint:gosec // of test size
	return append(append(box, kind...), data...)
}

// EditBoxes rebuilds an MP4 file. edit returns the replacement for each box that is not a container.
func EditBoxes(file []byte, edit func(kind string, content []byte) []byte) []byte {
	var result []byte
	for len(file) >= 8 {
		size, kind := int(binary.BigEndian.Uint32(file)), string(file[4:8])
		content := file[8:size]
		switch kind {
		case "moov", "trak", "mdia", "minf", "dinf", "stbl":
			content = EditBoxes(content, edit)
		default:
			content = edit(kind, content)
		}
		result = append(result, Box(kind, content)...)
		file = file[size:]
	}
	return result
}

// ExternalMP4 returns an MP4 file whose samples are at another address.
func ExternalMP4(file []byte, address string) []byte {
	return EditBoxes(file, func(kind string, content []byte) []byte {
		if kind != "dref" {
			return content
		}
		noFlags := []byte{0, 0, 0, 0}
		return slices.Concat(noFlags, []byte{0, 0, 0, 1}, Box("url ", noFlags, []byte(address+"\x00")))
	})
}

// CrowdedMP4 returns an MP4 file whose tables claim a thousand million samples of one size.
func CrowdedMP4(file []byte) []byte {
	const many = 1_000_000_000
	return EditBoxes(file, func(kind string, content []byte) []byte {
		content = slices.Clone(content)
		switch kind {
		case "stsz":
			binary.BigEndian.PutUint32(content[4:], 1)
			binary.BigEndian.PutUint32(content[8:], many)
		case "stts", "ctts":
			binary.BigEndian.PutUint32(content[8:], many)
		case "stsc":
			binary.BigEndian.PutUint32(content[12:], many)
		}
		return content
	})
}
