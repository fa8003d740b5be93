package media

import "bytes"

// foreign tells whether the head would pass for something else with readers that look for their mark anywhere near the
// beginning: those of PDF do within 1,024 bytes, browsers of old for markup, web servers for code, FFmpeg for lists of
// other files.
//
// A mark must be long, for photographs and films hold what is as good as random, and at most one of a million may be
// refused by accident. There are 2^10 places in a head: so a mark has at least 32 bits to it, of which a letter in either
// case gives 7, any other byte 8, and the end of a tag's name 5. All marks together meet by chance in one of two million
// heads of noise. Marks of two and three bytes count only where text goes on behind them as code would.
func foreign(head []byte) bool {
	if head = withoutZeros(head); bytes.Contains(head, []byte("%PDF")) { // in either case 3 letters would be too few
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

// isCode tells whether a bracket begins code for a web server: "<?" or "<%", of which colour tables have some, and in the
// same run of text not far behind the mark that ends it, and the names that code is made of.
func isCode(text []byte) bool {
	const far, word = 128, 3
	text = text[:min(len(text), far)]
	text = text[:prefix(text, func(b byte) bool { return !isNotText(b) })]
	var code []byte
	var ended bool
	switch {
	case len(text) > 2 && text[0] == '?' && (text[1] == '=' || isBlank(text[1])):
		code, _, ended = bytes.Cut(text[2:], []byte("?>"))
	case len(text) > 2 && text[0] == '%':
		code, _, ended = bytes.Cut(text[1:], []byte("%>"))
		code = bytes.TrimLeft(code, "@=!:"+blanks)
		ended = ended && prefix(code, isLetter) > word // a table of dark colours has the rest
	}
	for ended && len(code) > 0 {
		if prefix(code, isLetter) >= word {
			return true
		}
		code = code[1:]
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
