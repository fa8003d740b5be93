package count

import (
	"regexp"
	"strings"
)

// threadsLink matches an address with a protocol, or one that begins with www.
var threadsLink = regexp.MustCompile(`(?i)(?:^|[^\pL\pN@.])((?:https?://|www\.)[^\s<>"./]+\.[^\s<>"]+)`)

// ThreadsLinks returns the number of different links in a text, as Threads counts them. The limit is 5
// (developers.facebook.com/documentation/threads/create-posts/text-attachments).
func ThreadsLinks(text string) int {
	seen := make(map[string]bool)
	for _, found := range threadsLink.FindAllStringSubmatch(text, -1) {
		seen[strings.TrimRight(found[1], ".,;:!?'*~…。、，．！？：；")] = true
	}
	return len(seen)
}
