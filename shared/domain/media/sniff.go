package media

import (
	"bytes"
	"encoding/binary"
)

// Supported content types (docs/contract.md, Formats). Every format has one name here, whatever its other names: a HEIF
// image encoded with HEVC is always image/heic.
const (
	ContentTypeJPEG = "image/jpeg"
	ContentTypePNG  = "image/png"
	ContentTypeWebP = "image/webp"
	ContentTypeGIF  = "image/gif"
	ContentTypeHEIC = "image/heic"
	ContentTypeMP4  = "video/mp4"
	ContentTypeMOV  = "video/quicktime"
	ContentTypeWebM = "video/webm"
	ContentTypeAVIF = "image/avif"
	ContentTypePDF  = "application/pdf"
	ContentTypeDOC  = "application/msword"
	ContentTypeDOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	ContentTypePPT  = "application/vnd.ms-powerpoint"
	ContentTypePPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
)

// Formats lists the supported formats for users.
const Formats = "JPEG, PNG, WebP, GIF, HEIC, AVIF, MP4, MOV, WebM, PDF, DOC, DOCX, PPT and PPTX"

// HeadSize is the number of bytes at the start of a file that Sniff examines. Pass that many bytes, or the whole file
// if it is shorter: with fewer, Sniff refuses files that it would accept, and accepts some that it would refuse. It is
// 1,024, the range in which PDF readers search for their signature, plus the length of a signature that starts in the
// last of these bytes.
const HeadSize = 1024 + 8

// ContentTypes lists every supported content type.
func ContentTypes() []string {
	return []string{
		ContentTypeJPEG, ContentTypePNG, ContentTypeWebP, ContentTypeGIF, ContentTypeHEIC, ContentTypeAVIF,
		ContentTypeMP4, ContentTypeMOV, ContentTypeWebM,
		ContentTypePDF, ContentTypeDOC, ContentTypeDOCX, ContentTypePPT, ContentTypePPTX,
	}
}

// TypeOf returns the asset type of a content type, or false if it is not supported.
func TypeOf(contentType string) (Type, bool) {
	switch contentType {
	case ContentTypeJPEG, ContentTypePNG, ContentTypeWebP, ContentTypeHEIC, ContentTypeAVIF:
		return Image, true
	case ContentTypeGIF:
		return GIF, true
	case ContentTypeMP4, ContentTypeMOV, ContentTypeWebM:
		return Video, true
	case ContentTypePDF, ContentTypeDOC, ContentTypeDOCX, ContentTypePPT, ContentTypePPTX:
		return Document, true
	default:
		return "", false
	}
}

// Sniff determines the type of a file from its first bytes alone (docs/contract.md, Formats). It accepts only the
// supported formats and never guesses. It refuses documents of Office, which only SniffFile recognizes.
//
// It is strict, because a lenient reader elsewhere may interpret the same bytes as another format: the signature must
// be at byte zero, the header after it must be plausible, and an image or video whose head also contains the signature
// of a PDF, an HTML page, a script or a playlist is refused. Sniff does not detect later content, such as an archive
// appended to a small image. This is safe because files are served with the sniffed type and nosniff, so that no
// browser looks for another format in them.
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

// isJPEG requires a table, frame, application or comment segment with a plausible length after the start of image and
// any fill bytes that precede a marker (ITU-T T.81, B.1.1.2).
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
	case marker == 0xDB, marker == 0xDD, marker == 0xFE: // quantization, restart interval, comment
	default:
		return false
	}
	return length >= 2
}

// isPNG requires the header chunk first, as the format does, with a nonzero size.
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

// isGIF requires a screen of nonzero size, and an image or an extension after the global color table.
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

// isPDF requires the signature at byte zero. Readers find it after other data too, but a file that starts differently
// may be of another type.
func isPDF(head []byte) bool {
	const shortest = 8
	if len(head) < shortest || string(head[:5]) != "%PDF-" || head[6] != '.' {
		return false
	}
	return (head[5] == '1' || head[5] == '2') && head[7] >= '0' && head[7] <= '9'
}
