package textlen

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
)

// mastodonLink is the length of a link on Mastodon, unless a server names another one.
const mastodonLink = 23

// MastodonMention matches a mention on Mastodon (Account::MENTION_RE of its source). Its groups are the preceding
// character, and the mention without the server. User names of other servers have dots and hyphens, as those of accounts
// that are bridged from Bluesky.
var MastodonMention = regexp.MustCompile(
	`(^|[^=/\p{L}\p{M}\p{N}\p{Pc}])(@[A-Za-z0-9_]+(?:[A-Za-z0-9_.-]+[A-Za-z0-9_]+)?)(?:@[\p{L}\p{M}\p{N}\p{Pc}.-]+[\p{L}\p{M}\p{N}\p{Pc}])?`)

// Mastodon returns the length of the text on Mastodon: graphemes, with each link that has a protocol counted as perURL (23
// if it is zero) and each mention without its server. The usual limit is 500.
func Mastodon(text string, perURL int) int {
	var rest strings.Builder
	length, at := 0, 0
	for _, link := range withProtocol(text, links(text, endMastodon)) {
		rest.WriteString(text[at:link.Start])
		length += cmp.Or(perURL, mastodonLink)
		at = link.End
	}
	rest.WriteString(text[at:])
	return length + Graphemes(MastodonMention.ReplaceAllString(rest.String(), "$1$2"))
}

// endMastodon follows config/initializers/twitter_regex.rb of Mastodon's source, which allows any letter in paths and
// queries.
func endMastodon(_, rest string, _ bool) int {
	length := portAt(rest)
	length += pathAt(rest[length:], func(r rune) bool {
		return !unicode.IsSpace(r) && !strings.ContainsRune("<>()?", r)
	}, func(r rune) bool {
		return !strings.ContainsRune("!*\"'「」;:=,.$%[]~&|@", r)
	})
	return length + queryAt(rest[length:], func(r rune) bool {
		return isQueryRune(r) || r == '^' || r > lastASCII
	}, func(r rune) bool { return isQueryEnd(r) || r > lastASCII })
}

// lastASCII is the last code point that queries restrict. The blank U+00A0 is the first of Mastodon's list beyond it.
const lastASCII = 0x9F
