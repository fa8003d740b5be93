package figures

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Link is a range of a text that X turns into a link, in bytes.
type Link struct{ Start, End int }

// The character classes of X's text library.
const (
	accents = `\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{24F}\x{253}\x{254}\x{256}\x{257}\x{259}\x{25B}\x{263}\x{268}\x{26F}` +
		`\x{272}\x{289}\x{28B}\x{2BB}\x{300}-\x{36F}\x{1E00}-\x{1EFF}`
	anyHost   = `(?:[0-9A-Za-z_-]|[^\x00-\x7F\pP\pZ\pC])+`
	latinHost = `[0-9A-Za-z_` + accents + `-]+`

	inPath   = `[a-z\p{Cyrillic}0-9!*';:=+,.$/%#\[\]\x{2013}_~@|&` + accents + `-]`
	endPath  = `[a-z\p{Cyrillic}0-9=_#/+` + accents + `-]`
	brackets = `\((?:` + inPath + `+|` + inPath + `*\(` + inPath + `+\)` + inPath + `*)\)`
	inQuery  = `[a-z0-9!?*'@();:&=+$/%#\[\]_.,~|-]`
	endQuery = `[a-z0-9_&=#/-]`
	query    = `(?:\?` + inQuery + `*` + endQuery + `)?`

	// The classes of Mastodon, which changes those of paths and queries.
	tootPath     = `[^\s\pZ<>()?]`
	tootBrackets = `\((?:` + tootPath + `+|` + tootPath + `*\(` + tootPath + `+\)` + tootPath + `*)\)`
	tootEnd      = `(?:[^\s\pZ()?!*"'「」<>;:=,.$%\[\]~&|@]|` + tootBrackets + `)`
	tootQuery    = `(?:\?[a-z0-9!?*'();:&=+$/%#\[\]_.,~|@^\x{A0}-\x{10FFFD}-]*[a-z0-9_&=#/\x{A0}-\x{10FFFD}-])?`
)

var (
	// hostPattern finds what may be a host: after a protocol in any script, otherwise in Latin letters.
	hostPattern = regexp.MustCompile(`(?i:https?://)(` + anyHost + `(?:\.` + anyHost + `)+)|(` + latinHost + `(?:\.` +
		latinHost + `)+)`)
	// restPattern matches the port, the path and the query after a host.
	restPattern = regexp.MustCompile(`^(?i:(?::[0-9]+)?(?:/(?:` + inPath + `*(?:` + brackets + inPath + `*)*(?:` + endPath +
		`|` + brackets + `)|@` + inPath + `+/)?)?` + query + `)`)
	// tootPattern does so on Mastodon.
	tootPattern = regexp.MustCompile(`^(?i:(?::[0-9]+)?(?:/(?:` + tootPath + `*(?:` + tootBrackets + tootPath + `*)*` +
		tootEnd + `)?)?` + tootQuery + `)`)
	// shortPattern matches a link of X's own URL shortener from its host on.
	shortPattern = regexp.MustCompile(`^(?i:t\.co/([a-z0-9]+)` + query + `)`)
	// beforeLink matches the character before text that is no link, because it belongs to a word or a name.
	beforeLink = regexp.MustCompile(`[A-Za-z0-9@＠$#＃]$`)
	// beforeBare does so for text without a protocol.
	beforeBare = regexp.MustCompile(`[A-Za-z0-9@＠$#＃_./-]$`)
	topLevel   = regexp.MustCompile(`^[0-9A-Za-z-]+`)
)

const (
	longestSlug  = 40
	longestLabel = 63
	longestHost  = 2048
)

// Links returns the links in the text by the rules of X's text library.
func Links(text string) []Link { return find(text, restPattern) }

// MastodonLinks returns the links in the text by the rules of Mastodon, each with a protocol.
func MastodonLinks(text string) []Link {
	return slices.DeleteFunc(find(text, tootPattern), func(link Link) bool {
		return !strings.Contains(text[link.Start:link.End], "://")
	})
}

// find returns the links whose part after the host matches the pattern.
func find(text string, rest *regexp.Regexp) []Link {
	var links []Link
	for at := 0; at < len(text); {
		found := hostPattern.FindStringSubmatchIndex(text[at:])
		if found == nil {
			break
		}
		start, bare := at+found[0], found[4] >= 0
		from, until := at+max(found[2], found[4]), at+found[1]
		end := 0
		if before := text[:start]; bare && !beforeBare.MatchString(tail(before)) ||
			!bare && !beforeLink.MatchString(tail(before)) {
			end = linkEnd(text, from, until, bare, rest)
		}
		if end > 0 {
			links = append(links, Link{start, end})
			until = end
		}
		at = until
	}
	return links
}

// tail returns the last character.
func tail(text string) string {
	_, size := utf8.DecodeLastRuneInString(text)
	return text[len(text)-size:]
}

// linkEnd returns the end of the link with the host that starts within the range, or zero if there is none.
func linkEnd(text string, from, until int, bare bool, rest *regexp.Regexp) int {
	host := hostLength(text[from:until], text[until:])
	if host == 0 {
		return 0
	}
	if rest == restPattern && strings.EqualFold(text[from:from+host], "t.co") && !bare {
		if short := shortPattern.FindStringSubmatch(text[from:]); short != nil {
			if len(short[1]) > longestSlug {
				return 0
			}
			return from + len(short[0])
		}
	}
	return from + host + len(rest.FindString(text[from+host:]))
}

// hostLength returns the length of the longest host at the start of the run of host characters.
func hostLength(run, after string) int {
	if len(run) > longestHost {
		return 0
	}
	labels := strings.Split(run, ".")
	for last := len(labels) - 1; last > 0; last-- {
		if size := suffix(labels[last], after); size > 0 && named(labels[:last]) {
			return len(strings.Join(labels[:last], ".")) + len(".") + size
		}
		after = "."
	}
	return 0
}

// named reports whether the labels before a top-level domain are valid: the last without underscores, all without a
// hyphen or an underscore at an end, and within the limit of the DNS.
func named(labels []string) bool {
	for i, label := range labels {
		ascii, err := idna.Punycode.ToASCII(label)
		if err != nil || label == "" || len(ascii) > longestLabel || label != strings.Trim(label, "-_") ||
			i == len(labels)-1 && strings.Contains(label, "_") {
			return false
		}
	}
	return true
}

// suffix returns the length of the top-level domain that starts the label. A domain in ASCII may be followed by text in
// another script.
func suffix(label, next string) int {
	candidate, after := label, next
	if ascii := topLevel.FindString(label); ascii != "" {
		candidate, after = ascii, label[len(ascii):]+next
	}
	if strings.ContainsAny(head(after), "@+_") {
		return 0
	}
	punycode, err := idna.Punycode.ToASCII(strings.ToLower(candidate))
	if err != nil || punycode == "" {
		return 0
	}
	if _, icann := publicsuffix.PublicSuffix("example." + punycode); !icann {
		return 0
	}
	return len(candidate)
}

// head returns the first character.
func head(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}
