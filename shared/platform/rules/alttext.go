package rules

import (
	"slices"
	"strings"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
)

// AltText says which attachments a network publishes with an alternative text, and how long it may be.
type AltText struct {
	Of  []media.Type       // kinds of attachments
	As  []post.ContentType // content types; empty: all
	Max int                // characters; zero: as many as the service stores
}

// Takes reports whether an attachment of the type is published with its text.
func (a AltText) Takes(kind media.Type, as post.ContentType) bool {
	return slices.Contains(a.Of, kind) && (len(a.As) == 0 || slices.Contains(a.As, as))
}

// String formats the kinds and the limit: images and GIFs, up to 1,000 characters.
func (a AltText) String() string {
	nouns := make([]string, len(a.Of))
	for i, kind := range a.Of {
		nouns[i] = noun(kind) + "s"
	}
	text := list(nouns, "and")
	if a.Max > 0 && a.Max < media.LongestAltText {
		text += ", up to " + plural(a.Max, "character")
	}
	return text
}

// altTexts checks the alternative texts. A text that the network does not take is omitted, which is a warning.
func (c *checker) altTexts() {
	rule := c.row.AltText
	for i, asset := range c.content.Media {
		length := Characters().Length(asset.AltText)
		switch {
		case strings.TrimSpace(asset.AltText) == "":
		case len(rule.Of) == 0:
			c.warn("mediaIds", "%s takes no alternative texts; those of the attachments will be omitted.", c.row.Name)
			return
		case !rule.Takes(asset.Type, c.content.ContentType):
			c.warn(pointer(i), "%s takes no alternative texts of %ss in a post of type %s; that of attachment %d will be "+
				"omitted.", c.row.Name, noun(asset.Type), c.content.ContentType, i+1)
		case rule.Max > 0 && length > rule.Max:
			c.fault(pointer(i), "The alternative text of attachment %d is %s too long for %s: it has %s, and %s are allowed. "+
				"Shorten it.", i+1, plural(length-rule.Max, "character"), c.row.Name, number(length), number(rule.Max))
		}
	}
}
