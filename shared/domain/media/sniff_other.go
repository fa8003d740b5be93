package media

import (
	"bytes"
)

// IsPage reports whether a file that has no supported type could run in a browser: a page, a drawing, or XML of any kind.
func IsPage(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(withoutZeros(head), []byte("\xef\xbb\xbf")), blanks)
	return bytes.HasPrefix(text, []byte("<")) || foreign(head)
}

// IsSound reports whether a file that has no supported type is a sound in boxes: MPEG-4 audio, as phones record it.
func IsSound(head []byte) bool {
	major, _, ok := brands(head)
	return ok && (major == "M4A " || major == "M4B ")
}
