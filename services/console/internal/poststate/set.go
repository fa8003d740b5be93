package poststate

import (
	"slices"
	"strings"

	"fencepost.internal/shared/domain/channel"
)

// Urgency orders glyphs by how much their posts need a person.
func Urgency(glyph string) int {
	return slices.Index([]string{
		"archived", "published", "draft", "scheduled", "sending", "waiting", "checking", "pending", "held", "failed",
	}, glyph)
}

// Networks returns the names of the networks of channels, each once, for those who do not see marks.
func Networks(channels []channel.Channel) string {
	var names []string
	for _, c := range channels {
		if name := c.Type.Network().Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
