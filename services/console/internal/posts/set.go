package posts

import (
	"slices"
	"strings"

	"fencepost.internal/shared/domain/post"
)

// sibling is a post of the same set.
type sibling struct {
	item

	Here bool
}

// Name returns the network, with the name of the channel if the set has several of it.
func (s sibling) Name() string { return s.Channel.Type.Network().Name() }

// Before returns the previous post of the set; nil if there is none.
func (s showPage) Before() *sibling { return s.beside(-1) }

// After returns the next post of the set; nil if there is none.
func (s showPage) After() *sibling { return s.beside(1) }

func (s showPage) beside(by int) *sibling {
	at := slices.IndexFunc(s.Set, func(one sibling) bool { return one.Here }) + by
	if len(s.Set) == 0 || at < 0 || at >= len(s.Set) {
		return nil
	}
	return &s.Set[at]
}

// ownOf says what a post of a set has of its own.
func ownOf(own []post.Member) string {
	names := map[post.Member]string{
		post.MemberContent: "text", post.MemberTitle: "title", post.MemberContentType: "kind", post.MemberMediaIDs: "media",
		post.MemberMediaAltTexts: "descriptions", post.MemberOptions: "options", post.MemberThread: "thread",
		post.MemberFirstComment: "first comment",
	}
	words := make([]string, len(own))
	for i, m := range own {
		words[i] = names[m]
	}
	switch n := len(words); n {
	case 0:
		return "As the other posts of its set."
	case 1:
		return "Its own " + words[0] + "; the rest as in its set."
	default:
		return "Its own " + strings.Join(words[:n-1], ", ") + " and " + words[n-1] + "; the rest as in its set."
	}
}
