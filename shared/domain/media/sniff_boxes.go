package media

import (
	"encoding/binary"
	"slices"
)

// baseMedia distinguishes the formats that consist of boxes (ISO/IEC 14496-12). It returns "" for unsupported formats.
// The first box must be ftyp. Its major brand decides whether the file is a video. An image must declare HEVC as its
// coding, among the compatible brands if the major brand is the generic mif1. Thus Canon raw images, audio books and
// image sequences are refused, although they also declare some brands of the supported formats. A file that declares
// AVIF among the brands of another format is refused, because readers that support AVIF treat it as AVIF.
func baseMedia(head []byte) string {
	major, compatible, ok := brands(head)
	if !ok {
		return ""
	}
	if slices.Contains(compatible, "avif") || slices.Contains(compatible, "avis") {
		return avif(major, compatible)
	}
	switch major {
	case "avif":
		return ContentTypeAVIF
	case "heic", "heix", "heim", "heis":
		return ContentTypeHEIC
	case "mif1":
		if slices.ContainsFunc(compatible, isHEVCStill) {
			return ContentTypeHEIC
		}
		return ""
	case "qt  ":
		return ContentTypeMOV
	case "M4A ", "M4B ", "M4P ", "crx ", "msf1", "hevc", "hevx", "jp2 ", "jpx ", "jpm ", "mjp2": // sound and pictures
		return ""
	}
	// A coding, a profile or a vendor: MP4 if declared as compatible. Old phones declare only the edition of 3GPP.
	if isMP4(major) || is3GPP(major) || slices.ContainsFunc(compatible, isMP4) {
		return ContentTypeMP4
	}
	return ""
}

// avif returns the type of a file that declares AVIF: that of an image if its major brand is AVIF or the generic one,
// and it declares no other format.
func avif(major string, compatible []string) string {
	if major != "avif" && major != "mif1" || slices.ContainsFunc(compatible, isHEVCStill) ||
		!slices.Contains(compatible, "avif") {
		return ""
	}
	return ContentTypeAVIF
}

// is3GPP reports whether a brand is an edition of 3GPP or 3GPP2: the base format with codecs of phones.
func is3GPP(brand string) bool {
	const edition = 3
	return brand[:edition] == "3gp" || brand[:edition] == "3g2" || brand[:edition] == "3gr" || brand[:edition] == "3gs"
}

func isHEVCStill(brand string) bool {
	switch brand {
	case "heic", "heix", "heim", "heis":
		return true
	default:
		return false
	}
}

// isMP4 reports whether a brand is one of the base format, of MP4 itself, or of a format that guarantees the same.
func isMP4(brand string) bool {
	switch brand {
	case "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "isoa", "isob", "isoc", "mp41", "mp42", "avc1",
		"M4V ", "M4VH", "M4VP", "MSNV", "XAVC", "dash", "cmfc":
		return true
	default:
		return false
	}
}

// brands parses the file type box.
func brands(head []byte) (major string, compatible []string, ok bool) {
	const header, brand = 16, 4
	if len(head) < header || string(head[4:8]) != "ftyp" {
		return "", nil, false
	}
	size := binary.BigEndian.Uint32(head)
	if size < header || size%brand != 0 || uint64(size) > uint64(len(head)) {
		return "", nil, false
	}
	for at := header; at < int(size); at += brand {
		compatible = append(compatible, string(head[at:at+brand]))
	}
	return string(head[8:12]), compatible, true
}

// isWebM parses the EBML header (RFC 8794): its document type must be webm, given once. Matroska is refused.
func isWebM(head []byte) bool {
	const idDocType = 0x4282
	id, size, rest, ok := element(head)
	if !ok || id != 0x1A45DFA3 || size > uint64(len(rest)) {
		return false
	}
	header, documentTypes, webm := rest[:size], 0, false
	for len(header) > 0 {
		id, size, rest, ok = element(header)
		if !ok || size > uint64(len(rest)) {
			return false
		}
		if id == idDocType {
			documentTypes++
			webm = string(rest[:size]) == "webm"
		}
		header = rest[size:]
	}
	return webm && documentTypes == 1
}

// element parses one element's ID and size and returns the bytes after them.
func element(data []byte) (id, size uint64, rest []byte, ok bool) {
	const longestID, longestSize = 4, 8
	id, n := variableInt(data, longestID, true)
	if n == 0 {
		return 0, 0, nil, false
	}
	size, m := variableInt(data[n:], longestSize, false)
	if m == 0 || size == 1<<(7*m)-1 { // all ones: unknown size, which is invalid for a header
		return 0, 0, nil, false
	}
	return id, size, data[n+m:], true
}

// variableInt parses a number whose leading zero bits encode its length; an ID keeps the bit that ends them. The
// returned length is 0 if there is no such number.
func variableInt(data []byte, longest int, keepMarker bool) (value uint64, length int) {
	if len(data) == 0 || data[0] == 0 {
		return 0, 0
	}
	length = 1
	for marker := byte(0x80); data[0]&marker == 0; marker >>= 1 {
		length++
	}
	if length > longest || length > len(data) {
		return 0, 0
	}
	value = uint64(data[0])
	if !keepMarker {
		value &= 1<<(8-length) - 1
	}
	for _, b := range data[1:length] {
		value = value<<8 | uint64(b)
	}
	return value, length
}
