package media

import (
	"bytes"
	"strings"
)

// foreign tells whether the head would pass for something else with readers that look for their mark anywhere near the
// beginning: those of PDF do within 1,024 bytes, browsers of old for markup, web servers for code, FFmpeg for lists of
// other files.
//
// A mark must be long, for photographs and films hold what is as good as random, and less than one of a million may be
// refused by accident. There are 2^10 places in a head: so a mark has at least 34 bits to it, of which a letter in either
// case gives 7, any other byte 8, and the end of a tag's name 5. All marks together meet by chance in one of four million
// heads of noise. Tables of colours are no noise: in dark ones most bytes are letters and signs. For their sake marks of two
// and three bytes count only where text goes on behind them as code would.
func foreign(head []byte) bool {
	head = withoutZeros(head)
	if isDocument(head) {
		return true
	}
	lower(head)
	for _, mark := range []string{
		"<?php", "<!doctype", "javascript:", "%!ps-adobe", // programs
		"#extm3u", "#extinf:", "#ext-x-", "ffconcat", "dash:profile", "<compositionplaylist", // lists of files
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

// isDocument looks for the mark of PDF. Lenient readers want no dash in it, but a version must come.
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

// isTag tells whether a tag that makes a page, a drawing or a manifest follows its bracket.
func isTag(text []byte) bool {
	for _, name := range []string{"html", "head", "body", "script", "iframe", "svg", "img", "object", "embed", "mpd"} {
		if rest, ok := bytes.CutPrefix(text, []byte(name)); ok && (len(rest) == 0 || endsName(rest[0])) {
			return true
		}
	}
	return false
}

// handlesEvents tells whether a tag of any name has an attribute such as onload, which runs code.
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
		if letters >= shortest && at > 0 && separates(tag[at-1]) && bytes.HasPrefix(bytes.TrimLeft(name[letters:], blanks), []byte("=")) {
			return true
		}
		tag = name
	}
}

// isCode tells whether a bracket begins code for a web server: "<?" or "<%", and in the same run of text not far behind
// the mark that ends it, and between them something that code does.
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

// acts tells whether text calls a function, sets something, reads a variable or runs a program.
func acts(code []byte) bool {
	const word = 3
	for len(code) > 0 {
		if code[0] == '`' || len(code) > 1 && code[0] == '$' && (isLetter(code[1]) || code[1] == '_') {
			return true
		}
		letters := prefix(code, isLetter)
		if rest := bytes.TrimLeft(code[letters:], blanks); letters >= word && len(rest) > 0 && strings.IndexByte("(=\"'", rest[0]) >= 0 {
			return true
		}
		code = code[max(1, letters):]
	}
	return false
}

const blanks = " \t\n\v\f\r"

// withoutZeros is a copy in which a mark in UTF-16 is like any other.
func withoutZeros(head []byte) []byte {
	text := make([]byte, 0, len(head))
	for _, b := range head {
		if b != 0 {
			text = append(text, b)
		}
	}
	return text
}

// lower makes small letters of the capital ones of ASCII, and leaves all else alone.
func lower(text []byte) {
	for i, b := range text {
		if 'A' <= b && b <= 'Z' {
			text[i] = b + ('a' - 'A')
		}
	}
}

// prefix is the length of the part in front whose bytes are all as wanted.
func prefix(text []byte, wanted func(byte) bool) int {
	for i, b := range text {
		if !wanted(b) {
			return i
		}
	}
	return len(text)
}

// isLetter knows the small letters, for heads that lower has been at.
func isLetter(b byte) bool { return 'a' <= b && b <= 'z' }

func isBlank(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

func isNotText(b byte) bool { return !isBlank(b) && (b < ' ' || b > '~') }

// endsName tells what ends the name of a tag (HTML, 13.2.5.8).
func endsName(b byte) bool { return isBlank(b) || b == '/' || b == '>' }

// separates tells what may stand in front of an attribute's name.
func separates(b byte) bool { return isBlank(b) || b == '/' || b == '"' || b == '\'' }
