// Package textpost checks posts of text alone against a network's rules, the same way and in the same words for
// every network.
package textpost

import (
	"fmt"
	"strings"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/post"
)

// Rules are what one network demands of a text.
type Rules struct {
	Name    string           // the network's name as people write it
	Limit   int              // the longest text
	Measure func(string) int // how the network counts
	Hint    string           // what a reader must know about the counting, as a sentence; may be empty
}

// Check reports every finding about the content.
func (r Rules) Check(content platform.Content) []platform.Finding {
	var findings []platform.Finding
	add := func(member, format string, args ...any) {
		findings = append(findings, platform.Finding{Member: member, Message: fmt.Sprintf(format, args...)})
	}
	if content.ContentType != post.ContentPost {
		add("contentType", "%s takes posts of type POST; this one is %s. Change the type.", r.Name, content.ContentType)
	}
	if n := len(content.MediaIDs); n > 0 {
		add("mediaIds", "Posts to %s are text only at present; remove the %s.", r.Name, plural(n, "attachment"))
	}
	if strings.TrimSpace(content.Text) == "" {
		add("content", "%s does not publish an empty post; write some text.", r.Name)
	}
	if length := r.Measure(content.Text); length > r.Limit {
		add("content", "%s", r.tooLong(length))
	}
	if content.Title != "" {
		findings = append(findings, platform.Finding{
			Member: "title", Warning: true, Message: fmt.Sprintf("Posts on %s have no title; it will be left out.", r.Name),
		})
	}
	return findings
}

func (r Rules) tooLong(length int) string {
	message := fmt.Sprintf("The text is %s too long for %s: it counts as %d, and %d are allowed. Shorten it.",
		plural(length-r.Limit, "character"), r.Name, length, r.Limit)
	if r.Hint != "" {
		message += " " + r.Hint
	}
	return message
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
