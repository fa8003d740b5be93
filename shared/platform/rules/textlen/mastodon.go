package textlen

import (
	"cmp"
	"regexp"
	"strings"
)

// mastodonLink is the length of a link on Mastodon, unless a server names another one.
const mastodonLink = 23

// remoteServer matches a mention of an account on another server.
var remoteServer = regexp.MustCompile(`(^|[^\p{L}\p{N}_/])(@[A-Za-z0-9_]+)@[A-Za-z0-9.-]+[A-Za-z0-9]`)

// Mastodon returns the length of the text on Mastodon: graphemes, with each link that has a protocol counted as perURL (23
// if it is zero) and each mention without its server. The usual limit is 500.
func Mastodon(text string, perURL int) int {
	var rest strings.Builder
	length, at := 0, 0
	for _, link := range Links(text) {
		if !strings.Contains(text[link.Start:link.End], "://") {
			continue
		}
		rest.WriteString(text[at:link.Start])
		length += cmp.Or(perURL, mastodonLink)
		at = link.End
	}
	rest.WriteString(text[at:])
	return length + Graphemes(remoteServer.ReplaceAllString(rest.String(), "$1$2"))
}
