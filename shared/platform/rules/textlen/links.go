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

// ending returns the length of a link after its host, or a negative number if the host starts no link. Networks differ in
// it alone.
type ending func(host, rest string, protocol bool) int

// Links returns the links in the text by the rules of X's published text library. With a protocol, any valid host is a
// link. Without one, a host of ASCII and accented Latin letters is a link. In both cases the top-level domain must
// exist. A mention, a hashtag, a cashtag or an email address contains no link. X's links are for counting: they end
// before many characters of an address, such as 日 or {. The target of a link is one of Addresses.
func Links(text string) []Link { return links(text, endX) }

func links(text string, end ending) []Link {
	if !strings.Contains(text, ".") {
		return nil
	}
	var found []Link
	previous := rune(-1)
	for at := 0; at < len(text); {
		if until := linkAt(text, at, previous, end); until > at {
			found = append(found, Link{Start: at, End: until})
			previous, _ = utf8.DecodeLastRuneInString(text[:until])
			at = until
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		previous = r
		at += size
	}
	return found
}

// linkAt returns the end of the link that starts at the offset, or the offset itself if there is none.
func linkAt(text string, at int, previous rune, end ending) int {
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
	start := at + protocol + host
	rest := end(text[at+protocol:start], text[start:], protocol > 0)
	if rest < 0 {
		return at
	}
	return start + rest
}

func protocolAt(text string) int {
	for _, protocol := range []string{"https://", "http://"} {
		if len(text) >= len(protocol) && strings.EqualFold(text[:len(protocol)], protocol) {
			return len(protocol)
		}
	}
	return 0
}

func endX(host, rest string, protocol bool) int {
	if protocol && strings.EqualFold(host, "t.co") {
		return shortLinkAt(rest)
	}
	length := portAt(rest)
	length += pathAt(rest[length:], isPathRune, isPathEnd)
	return length + queryAt(rest[length:], isQueryRune, isQueryEnd)
}

// shortLinkAt returns the length of the rest of a link of X's own URL shortener. Its path has at most 40 letters and
// digits.
func shortLinkAt(rest string) int {
	const longestSlug = 40
	if rest == "" || rest[0] != '/' {
		return 0
	}
	end := 1
	for end < len(rest) && isASCIIAlphanumeric(rune(rest[end])) {
		end++
	}
	if end-1 > longestSlug {
		return -1
	}
	return end + queryAt(rest[end:], isQueryRune, isQueryEnd)
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
func pathAt(text string, inside, ends func(rune) bool) int {
	if text == "" || text[0] != '/' {
		return 0
	}
	good := 1
	for at := 1; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == '(':
			size = balancedAt(text[at:], inside)
			if size == 0 {
				return good
			}
			good = at + size
		case inside(r):
			if ends(r) {
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
func balancedAt(text string, inside func(rune) bool) int {
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
		case !inside(r):
			return 0
		}
	}
	return 0
}

func queryAt(text string, inside, ends func(rune) bool) int {
	if text == "" || text[0] != '?' {
		return 0
	}
	good := 0
	for at := 1; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !inside(r) {
			return good
		}
		if at += size; ends(r) {
			good = at
		}
	}
	return good
}

func isQueryRune(r rune) bool {
	return isASCIIAlphanumeric(r) || strings.ContainsRune("!?*'@();:&=+$/%#[]-_.,~|", r)
}

func isQueryEnd(r rune) bool { return isASCIIAlphanumeric(r) || strings.ContainsRune("-_&=#/", r) }

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
