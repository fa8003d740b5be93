package linkpages

import (
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/post"
)

// wording holds the words of a field of blocks.
type wording struct{ Label, Hint string }

// wordingOf returns the words of a field. Fields with the same name have the same words in every block.
func wordingOf(f linkpage.Field) wording {
	if w, known := map[string]wording{
		"url":          {"Link", "Starts with https://, mailto: or tel:."},
		"featured":     {"Fill with the page’s color", ""},
		"postId":       {"Post", "Visitors see it once it is published."},
		"imageMediaId": {"Picture", ""},
		"buttonLabel":  {"Text of the button", ""},
		"price":        {"Price", "Such as 38.00."},
		"currency":     {"Currency", "Such as EUR."},
		"expiresAt":    {"Expires", "Afterwards the code is struck out."},
		"endsAt":       {"Ends", ""},
		"endedText":    {"Text after the end", ""},
		"items":        {"Questions", "Clear both fields to remove a question."},
		"rating":       {"Stars", "1 to 5. Empty shows none."},
		"align":        {"Alignment", ""},
		"visible":      {"Visible", ""},
		"showFrom":     {"Show from", ""},
		"showUntil":    {"Show until", ""},
	}[f.Name]; known {
		return w
	}
	return wording{Label: frame.Words(f.Name)}
}

// choice returns the words of a value of a field.
func choice(value string) string {
	return map[string]string{"START": "At the start", "CENTER": "Centered", "INFO": "Neutral"}[value]
}

// fieldWords are those of the page's own fields, in comparisons.
func fieldWords(name string) string {
	return map[string]string{
		"handle": "Address", "title": "Title", "bio": "Text below the title", "seo": "Search and sharing", "theme": "Look",
	}[name]
}

// labelOf returns the words by which people recognize a block.
func labelOf(b linkpage.Block) string {
	if label := b.Settings.Traits().Label; label != "" {
		return label
	}
	return nameOf(b.Type())
}

func nameOf(t linkpage.BlockType) string {
	d, _ := linkpage.DescriptorOf(t)
	return d.Name
}

func withoutScheme(address string) string {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		return address
	}
	return strings.TrimSuffix(rest, "/")
}

func actorOf(page linkpage.Page) post.Actor { return post.Actor(page.ChangedBy) }
