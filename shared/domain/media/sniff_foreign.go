package media

import (
	"bytes"
	"strings"
)

// foreign reports whether the head could pass for another format with readers that search for their signature near the
// start of a file: PDF readers within 1,024 bytes, old browsers for markup, web servers for code, FFmpeg for playlists.
//
// A signature must be long enough, because photographs and videos contain practically random bytes, and fewer than one
// in a million may be refused by accident. A head has 2^10 positions, so a signature needs at least 34 bits. A letter
// in either case contributes 7 bits, any other byte 8, and the end of a tag's name 5. All signatures together match one
// of four million random heads by chance. Color tables are not random: in dark ones most bytes are letters and
// punctuation. Therefore signatures of two and three bytes count only if the text after them looks like code.
func foreign(head []byte) bool {
	head = withoutZeros(head)
	if isDocument(head) {
		return true
	}
	lower(head)
	for _, mark := range []string{
		"<?php", "<!doctype", "javascript:", "%!ps-adobe", // programs
		"#extm3u", "#extinf:", "#ext-x-", "ffconcat", "dash:profile", "<compositionplaylist", // playlists
		"\nfile '", "\nfile /", "\nfile http", "\nfile file:", "file '/", "file 'http", "file 'file:",
	} {
		if bytes.Contains(head, []byte(mark)) {
			return true
		}
	}
	for {
		var found bool
		if _, head, found = bytes.Cut(head, []byte("<")); !found {
			return false
		}
		if isTag(head) || handlesEvents(head) || isCode(head) {
			return true
		}
	}
}

// isDocument searches for the PDF signature. Lenient readers do not require its dash, but a version must follow.
func isDocument(head []byte) bool {
	for {
		_, rest, found := bytes.Cut(head, []byte("%PDF"))
		if !found {
			return false
		}
		if len(rest) == 0 || rest[0] == '-' || isBlank(rest[0]) || '0' <= rest[0] && rest[0] <= '9' {
			return true
		}
		head = rest
	}
}

// isTag reports whether the text after a bracket is a tag of a page, a drawing or a manifest.
func isTag(text []byte) bool {
	for _, name := range []string{"html", "head", "body", "script", "iframe", "svg", "img", "object", "embed", "mpd"} {
		if rest, ok := bytes.CutPrefix(text, []byte(name)); ok && (len(rest) == 0 || endsName(rest[0])) {
			return true
		}
	}
	return false
}

// handlesEvents reports whether a tag of any name has an attribute such as onload, which runs code.
func handlesEvents(text []byte) bool {
	const shortest = 3
	if len(text) == 0 || !isLetter(text[0]) {
		return false
	}
	tag := text[:prefix(text, func(b byte) bool { return b != '>' && !isNotText(b) })]
	for {
		at := bytes.Index(tag, []byte("on"))
		if at < 0 {
			return false
		}
		name := tag[at+2:]
		letters := prefix(name, isLetter)
		if letters >= shortest && at > 0 && separates(tag[at-1]) &&
			bytes.HasPrefix(bytes.TrimLeft(name[letters:], blanks), []byte("=")) {
			return true
		}
		tag = name
	}
}

// isCode reports whether a bracket starts code for a web server: "<?" or "<%", followed within a short run of text by
// the end mark, with code between them.
func isCode(text []byte) bool {
	const far, word = 128, 4
	text = text[:min(len(text), far)]
	text = text[:prefix(text, func(b byte) bool { return !isNotText(b) })]
	switch {
	case len(text) > 1 && text[0] == '?' && (text[1] == '=' || isBlank(text[1])):
		code, _, ended := bytes.Cut(text[2:], []byte("?>"))
		return ended && acts(code)
	case len(text) > 1 && text[0] == '%':
		code, _, ended := bytes.Cut(text[1:], []byte("%>"))
		return ended && prefix(bytes.TrimLeft(code, "@=!:"+blanks), isLetter) >= word && acts(code)
	default:
		return false
	}
}

// acts reports whether text calls a function, assigns a value, reads a variable or runs a program.
func acts(code []byte) bool {
	const word = 3
	for len(code) > 0 {
		if code[0] == '`' || len(code) > 1 && code[0] == '$' && (isLetter(code[1]) || code[1] == '_') {
			return true
		}
		letters := prefix(code, isLetter)
		if rest := bytes.TrimLeft(code[letters:], blanks); letters >= word && len(rest) > 0 &&
			strings.IndexByte("(=\"'", rest[0]) >= 0 {
			return true
		}
		code = code[max(1, letters):]
	}
	return false
}

const blanks = " \t\n\v\f\r"

// withoutZeros returns a copy without zero bytes, in which a signature in UTF-16 matches like any other.
func withoutZeros(head []byte) []byte {
	text := make([]byte, 0, len(head))
	for _, b := range head {
		if b != 0 {
			text = append(text, b)
		}
	}
	return text
}

// lower converts ASCII capital letters to lower case and leaves all other bytes unchanged.
func lower(text []byte) {
	for i, b := range text {
		if 'A' <= b && b <= 'Z' {
			text[i] = b + ('a' - 'A')
		}
	}
}

// prefix returns the length of the longest prefix whose bytes all satisfy wanted.
func prefix(text []byte, wanted func(byte) bool) int {
	for i, b := range text {
		if !wanted(b) {
			return i
		}
	}
	return len(text)
}

// isLetter reports whether b is a lower-case letter; callers apply lower first.
func isLetter(b byte) bool { return 'a' <= b && b <= 'z' }

func isBlank(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

func isNotText(b byte) bool { return !isBlank(b) && (b < ' ' || b > '~') }

// endsName reports whether b ends the name of a tag (HTML, 13.2.5.8).
func endsName(b byte) bool { return isBlank(b) || b == '/' || b == '>' }

// separates reports whether b may precede an attribute's name.
func separates(b byte) bool { return isBlank(b) || b == '/' || b == '"' || b == '\'' }
