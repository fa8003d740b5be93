package textlen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Link is a range of text that networks turn into a link, as byte offsets.
type Link struct {
	Start, End int
}

// Links returns the links in the text by the rules of X's published text library. With a protocol, any valid host is a
// link. Without one, a host of ASCII and accented Latin letters is a link. In both cases the top-level domain must
// exist. A mention, a hashtag, a cashtag or an email address contains no link.
func Links(text string) []Link {
	if !strings.Contains(text, ".") {
		return nil
	}
	var links []Link
	previous := rune(-1)
	for at := 0; at < len(text); {
		if end := linkAt(text, at, previous); end > at {
			links = append(links, Link{Start: at, End: end})
			previous, _ = utf8.DecodeLastRuneInString(text[:end])
			at = end
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		previous = r
		at += size
	}
	return links
}

// FirstURL returns the first link of the text that has a protocol. It returns an empty string if there is none.
func FirstURL(text string) string {
	for _, link := range Links(text) {
		if url := text[link.Start:link.End]; strings.Contains(url, "://") {
			return url
		}
	}
	return ""
}

// linkAt returns the end of the link that starts at the offset, or the offset itself if there is none.
func linkAt(text string, at int, previous rune) int {
	if isASCIIAlphanumeric(previous) || strings.ContainsRune("@＠$#＃", previous) {
		return at
	}
	protocol := protocolAt(text[at:])
	if protocol == 0 && strings.ContainsRune("-_./", previous) {
		return at
	}
	host := hostAt(text[at+protocol:], protocol > 0)
	if host == 0 {
		return at
	}
	end := at + protocol + host
	if protocol > 0 && strings.EqualFold(text[at+protocol:end], "t.co") {
		return shortLinkEnd(text, at, end)
	}
	end += portAt(text[end:])
	end += pathAt(text[end:])
	return end + queryAt(text[end:])
}

func protocolAt(text string) int {
	for _, protocol := range []string{"https://", "http://"} {
		if len(text) >= len(protocol) && strings.EqualFold(text[:len(protocol)], protocol) {
			return len(protocol)
		}
	}
	return 0
}

// shortLinkEnd returns the end of a link of X's own URL shortener. Its path has at most 40 letters and digits.
func shortLinkEnd(text string, start, host int) int {
	const longestSlug = 40
	if host >= len(text) || text[host] != '/' {
		return host
	}
	end := host + 1
	for end < len(text) && isASCIIAlphanumeric(rune(text[end])) {
		end++
	}
	if end-host-1 > longestSlug {
		return start
	}
	return end + queryAt(text[end:])
}

func portAt(text string) int {
	if text == "" || text[0] != ':' {
		return 0
	}
	end := 1
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end == 1 {
		return 0
	}
	return end
}

// pathAt returns the length of the path. It includes path characters and balanced parentheses, and excludes trailing
// punctuation.
func pathAt(text string) int {
	if text == "" || text[0] != '/' {
		return 0
	}
	good := 1
	for at := 1; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == '(':
			size = balancedAt(text[at:])
			if size == 0 {
				return good
			}
			good = at + size
		case isPathRune(r):
			if isPathEnd(r) {
				good = at + size
			}
		default:
			return good
		}
		at += size
	}
	return good
}

// balancedAt returns the length of the leading parenthesized text, with at most one nested level. It returns zero if
// the parenthesis is not closed.
func balancedAt(text string) int {
	const deepest = 2
	depth := 0
	for at, r := range text {
		switch {
		case r == '(':
			if depth++; depth > deepest {
				return 0
			}
		case r == ')':
			if depth--; depth == 0 {
				return at + 1
			}
		case !isPathRune(r):
			return 0
		}
	}
	return 0
}

func queryAt(text string) int {
	if text == "" || text[0] != '?' {
		return 0
	}
	good := 0
	for at := 1; at < len(text); at++ {
		r := rune(text[at])
		if !isASCIIAlphanumeric(r) && !strings.ContainsRune("!?*'@();:&=+$/%#[]-_.,~|", r) {
			return good
		}
		if isASCIIAlphanumeric(r) || strings.ContainsRune("-_&=#/", r) {
			good = at + 1
		}
	}
	return good
}

func isPathRune(r rune) bool {
	return isASCIIAlphanumeric(r) || strings.ContainsRune("!*';:=+,.$/%#[]-–_~@|&", r) || isPathLetter(r)
}

func isPathEnd(r rune) bool {
	return isASCIIAlphanumeric(r) || strings.ContainsRune("+-=_#/", r) || isPathLetter(r)
}

func isPathLetter(r rune) bool { return isLatinAccent(r) || unicode.Is(unicode.Cyrillic, r) }

func isLatinAccent(r rune) bool {
	const firstAccent = 0xC0
	return r >= firstAccent && unicode.Is(unicode.Latin, r)
}

func isASCIIAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
