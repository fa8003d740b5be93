package bluesky

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"fencepost.internal/shared/platform/rules/textlen"
)

// facet marks a range of the text as a link, a mention or a tag (lexicon app.bsky.richtext.facet). Offsets count bytes
// of UTF-8.
type facet struct {
	Index    byteRange `json:"index"`
	Features []feature `json:"features"`
}

type byteRange struct {
	Start int `json:"byteStart"`
	End   int `json:"byteEnd"` // exclusive
}

// feature is the meaning of a facet. Exactly one of its values is set.
type feature struct {
	Type string `json:"$type"`
	URI  string `json:"uri,omitempty"`
	DID  string `json:"did,omitempty"`
	Tag  string `json:"tag,omitempty"`
}

// Limits of tags (lexicon app.bsky.richtext.facet) and of handles (atproto.com/specs/handle).
const (
	longestTag      = 64 // graphemes
	longestTagBytes = 640
	longestHandle   = 253
)

// The patterns of links, mentions and tags. The first group is the range of the facet, the second its value. Bluesky's
// clients read nothing from a text but its facets. The link pattern is therefore that of its app (packages/api of
// bluesky-social/atproto, rich-text/detection.ts); its second group is the host of a link without a protocol. An email
// address, which the app takes for a link if its name has a dot, stays text.
var (
	linkPattern = regexp.MustCompile(
		`(?i)(?:^|[\s\p{Z}(])(https?://[^\s\p{Z}]+|([a-z][a-z0-9]*(?:\.[a-z0-9]+)+)[^\s\p{Z}]*)`)
	mentionPattern = regexp.MustCompile(
		`(?:^|[\s\p{Z}(])(@((?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?))`)
	tagPattern = regexp.MustCompile(
		`(?:^|[\s\p{Z}])([#＃]([^\s\p{Z}\x{00AD}\x{200B}-\x{200D}\x{2060}\x{20E2}#＃]+))`)
)

// mentioned returns the handles that the text mentions, in lower case, each once.
func mentioned(text string) []string {
	var handles []string
	for _, at := range mentionPattern.FindAllStringSubmatchIndex(text, -1) {
		handle := strings.ToLower(text[at[4]:at[5]])
		if len(handle) <= longestHandle && !slices.Contains(handles, handle) {
			handles = append(handles, handle)
		}
	}
	return handles
}

// facetsOf returns the facets of the text, in its order. The map has the DIDs of the mentioned handles; a handle that
// does not exist remains plain text.
func facetsOf(text string, dids map[string]string) []facet {
	var found []facet
	add := func(start, end int, of feature) {
		overlaps := slices.ContainsFunc(found, func(f facet) bool { return start < f.Index.End && f.Index.Start < end })
		if !overlaps {
			found = append(found, facet{Index: byteRange{start, end}, Features: []feature{of}})
		}
	}
	for _, at := range linkPattern.FindAllStringSubmatchIndex(text, -1) {
		address := trimmedLink(text[at[2]:at[3]])
		end := at[2] + len(address)
		if host := at[4]; host >= 0 {
			if rest := text[at[5]:]; strings.HasPrefix(rest, "@") || !textlen.TopLevel(text[host:at[5]]) {
				continue
			}
			address = "https://" + address
		}
		add(at[2], end, feature{Type: "app.bsky.richtext.facet#link", URI: address})
	}
	for _, at := range mentionPattern.FindAllStringSubmatchIndex(text, -1) {
		if did := dids[strings.ToLower(text[at[4]:at[5]])]; did != "" {
			add(at[2], at[3], feature{Type: "app.bsky.richtext.facet#mention", DID: did})
		}
	}
	for _, at := range tagPattern.FindAllStringSubmatchIndex(text, -1) {
		if tag := trimmedTag(text[at[4]:at[5]]); tag != "" {
			add(at[2], at[4]+len(tag), feature{Type: "app.bsky.richtext.facet#tag", Tag: tag})
		}
	}
	slices.SortFunc(found, func(a, b facet) int { return cmp.Compare(a.Index.Start, b.Index.Start) })
	return found
}

// trimmedLink returns the link without one punctuation mark, and without a parenthesis around it, as Bluesky's app does.
func trimmedLink(link string) string {
	if strings.ContainsRune(".,;:!?", rune(link[len(link)-1])) {
		link = link[:len(link)-1]
	}
	if strings.HasSuffix(link, ")") && !strings.Contains(link, "(") {
		link = link[:len(link)-1]
	}
	return link
}

// trimmedTag returns the tag without trailing punctuation. It returns an empty string if no tag is left: a number, an
// emoji such as #️⃣, or a text beyond the limits.
func trimmedTag(tag string) string {
	tag = strings.TrimRightFunc(tag, unicode.IsPunct)
	if strings.HasPrefix(tag, "\uFE0F") || len(tag) > longestTagBytes || textlen.Graphemes(tag) > longestTag {
		return ""
	}
	if !strings.ContainsFunc(tag, func(r rune) bool { return !unicode.IsDigit(r) && !unicode.IsPunct(r) }) {
		return ""
	}
	return tag
}
