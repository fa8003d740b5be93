package media

import (
	"bytes"
	"encoding/binary"
)

// The content types of the files that are taken (decisions, section 6). Every format has one name here, whatever else
// it is called in the wild: a HEIF picture coded with HEVC is always image/heic.
const (
	ContentTypeJPEG = "image/jpeg"
	ContentTypePNG  = "image/png"
	ContentTypeWebP = "image/webp"
	ContentTypeGIF  = "image/gif"
	ContentTypeHEIC = "image/heic"
	ContentTypeMP4  = "video/mp4"
	ContentTypeMOV  = "video/quicktime"
	ContentTypeWebM = "video/webm"
	ContentTypePDF  = "application/pdf"
)

// HeadSize is the number of bytes from a file's beginning that Sniff looks at. Give it that many, or the whole file when
// it is shorter: with fewer, Sniff refuses files that it would take, and takes some that it would refuse. It is 1,024,
// where readers of PDF begin to look for their mark, and the mark that begins in the last of these.
const HeadSize = 1024 + 8

// ContentTypes lists every content type that is taken.
func ContentTypes() []string {
	return []string{
		ContentTypeJPEG, ContentTypePNG, ContentTypeWebP, ContentTypeGIF, ContentTypeHEIC,
		ContentTypeMP4, ContentTypeMOV, ContentTypeWebM, ContentTypePDF,
	}
}

// TypeOf is the type of an asset with this content type; false for one that is not taken.
func TypeOf(contentType string) (Type, bool) {
	switch contentType {
	case ContentTypeJPEG, ContentTypePNG, ContentTypeWebP, ContentTypeHEIC:
		return Image, true
	case ContentTypeGIF:
		return GIF, true
	case ContentTypeMP4, ContentTypeMOV, ContentTypeWebM:
		return Video, true
	case ContentTypePDF:
		return Document, true
	default:
		return "", false
	}
}

// Sniff tells what a file is from its first bytes, and from nothing else (decisions, section 6). It knows the formats
// that are taken and refuses all others; there is no best guess.
//
// It is strict, because a lenient reader elsewhere may see another file in the same bytes: the signature stands at byte
// zero, the header behind it must make sense, and a picture or film whose head also holds the mark of a PDF, a page, a
// script or a list of other files is refused. What stands further back, as an archive behind a small picture does, is not
// seen here: bytes are served with the sniffed type and nosniff, so that no one looks for another file in them.
func Sniff(head []byte) (kind Type, contentType string, ok bool) {
	head = head[:min(len(head), HeadSize)]
	contentType = signature(head)
	kind, ok = TypeOf(contentType)
	if !ok || (contentType != ContentTypePDF && foreign(head)) {
		return "", "", false
	}
	return kind, contentType, true
}

func signature(head []byte) string {
	switch {
	case isJPEG(head):
		return ContentTypeJPEG
	case isPNG(head):
		return ContentTypePNG
	case isWebP(head):
		return ContentTypeWebP
	case isGIF(head):
		return ContentTypeGIF
	case isWebM(head):
		return ContentTypeWebM
	case isPDF(head):
		return ContentTypePDF
	case isQuickTime(head):
		return ContentTypeMOV
	default:
		return baseMedia(head)
	}
}

// isJPEG wants a table, frame, application or comment segment with a plausible length behind the start of image, and
// behind the fill bytes that may precede a marker (ITU-T T.81, B.1.1.2).
func isJPEG(head []byte) bool {
	if !bytes.HasPrefix(head, []byte{0xFF, 0xD8, 0xFF}) {
		return false
	}
	at := 2
	for at < len(head) && head[at] == 0xFF {
		at++
	}
	if len(head)-at < 3 {
		return false
	}
	marker, length := head[at], binary.BigEndian.Uint16(head[at+1:])
	switch {
	case marker >= 0xE0 && marker <= 0xEF: // application data
	case marker >= 0xC0 && marker <= 0xC4: // frame headers and Huffman tables
	case marker == 0xDB, marker == 0xDD, marker == 0xFE: // quantisation, restart interval, comment
	default:
		return false
	}
	return length >= 2
}

// isPNG wants the header chunk first, as the format does, with a size that is not nothing.
func isPNG(head []byte) bool {
	const sizes = 16
	if len(head) < sizes+8 || !bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")) {
		return false
	}
	width, height := binary.BigEndian.Uint32(head[sizes:]), binary.BigEndian.Uint32(head[sizes+4:])
	return width-1 < 1<<31-1 && height-1 < 1<<31-1
}

func isWebP(head []byte) bool {
	const shortest = 20
	if len(head) < shortest || string(head[:4]) != "RIFF" || string(head[8:12]) != "WEBP" {
		return false
	}
	if binary.LittleEndian.Uint32(head[4:]) < shortest-8 {
		return false
	}
	switch string(head[12:16]) {
	case "VP8 ", "VP8L", "VP8X":
		return true
	default:
		return false
	}
}

// isGIF wants a screen that is not nothing, and behind the global colours a picture or an extension.
func isGIF(head []byte) bool {
	const screen = 13
	if len(head) <= screen || (string(head[:6]) != "GIF87a" && string(head[:6]) != "GIF89a") {
		return false
	}
	if binary.LittleEndian.Uint16(head[6:]) == 0 || binary.LittleEndian.Uint16(head[8:]) == 0 {
		return false
	}
	next := screen
	if flags := head[10]; flags&0x80 != 0 {
		next += 3 << (flags&7 + 1)
	}
	return next < len(head) && (head[next] == ',' || head[next] == '!')
}

// isPDF wants the mark at byte zero, though readers find it behind junk as well: what starts with something else may be
// something else.
func isPDF(head []byte) bool {
	const shortest = 8
	if len(head) < shortest || string(head[:5]) != "%PDF-" || head[6] != '.' {
		return false
	}
	return (head[5] == '1' || head[5] == '2') && head[7] >= '0' && head[7] <= '9'
}
