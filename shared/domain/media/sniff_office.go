package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// SniffFile determines the type of a whole file. Beside the formats of Sniff, it recognizes the documents of Word and
// PowerPoint, old (compound files) and new (ZIP archives), from the names of their parts. It reads at most a few
// kilobytes of other files and a megabyte of these. Documents with macros are refused. The error is that of the reader.
func SniffFile(file io.ReaderAt, size int64) (kind Type, contentType string, ok bool, err error) {
	head, err := readUpTo(file, 0, min(HeadSize, size))
	if err != nil {
		return "", "", false, err
	}
	kind, contentType, ok = Sniff(head)
	switch {
	case ok:
	case IsArchive(head):
		contentType, err = archive(file, size)
		kind, ok = TypeOf(contentType)
	case IsCompound(head):
		contentType, err = compound(file, head)
		kind, ok = TypeOf(contentType)
	}
	return kind, contentType, ok, err
}

// NeedsFile reports whether only SniffFile can determine the type of a file that starts with these bytes.
func NeedsFile(head []byte) bool { return IsArchive(head) || IsCompound(head) }

// IsArchive reports whether a file starts as a ZIP archive does.
func IsArchive(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// IsCompound reports whether a file starts as a compound file does (MS-CFB).
func IsCompound(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"))
}

// archive returns the type of a document whose parts are files in a ZIP archive (ECMA-376, part 2), "" for any other
// archive. The directory at the end of an archive has their names.
func archive(file io.ReaderAt, size int64) (string, error) {
	const (
		shortest, longestComment = 22, 1 << 16
		directory                = 1 << 20 // that of a presentation with thousands of pictures has half
	)
	tail, err := readUpTo(file, max(0, size-shortest-longestComment), shortest+longestComment)
	if err != nil {
		return "", err
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < shortest {
		return "", nil
	}
	length, start := int64(binary.LittleEndian.Uint32(tail[at+12:])), int64(binary.LittleEndian.Uint32(tail[at+16:]))
	if length > directory || start+length > size {
		return "", nil
	}
	entries, err := readUpTo(file, start, length)
	if err != nil {
		return "", err
	}
	return ofParts(entries), nil
}

// ofParts returns the type of a document with these directory entries.
func ofParts(entries []byte) string {
	const head = 46
	contents, found := false, ""
	for len(entries) >= head && bytes.HasPrefix(entries, []byte("PK\x01\x02")) {
		n, extra := int(binary.LittleEndian.Uint16(entries[28:])), int(binary.LittleEndian.Uint16(entries[30:]))
		comment := int(binary.LittleEndian.Uint16(entries[32:]))
		if len(entries) < head+n+extra+comment {
			return ""
		}
		name := strings.ToLower(string(entries[head:][:n]))
		entries = entries[head+n+extra+comment:]
		switch {
		case name == "[content_types].xml":
			contents = true
		case strings.HasSuffix(name, "/vbaproject.bin"):
			return ""
		case strings.HasPrefix(name, "word/"):
			found = ContentTypeDOCX
		case strings.HasPrefix(name, "ppt/"):
			found = ContentTypePPTX
		}
	}
	if !contents {
		return ""
	}
	return found
}

// ignoreEnd ignores that a file ends before a part that it refers to.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// readUpTo reads n bytes, or fewer at the end of the file.
func readUpTo(file io.ReaderAt, at, n int64) ([]byte, error) {
	data := make([]byte, n)
	read, err := file.ReadAt(data, at)
	return data[:read], ignoreEnd(err)
}
