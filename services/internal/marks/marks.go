// Package marks has the marks of networks, for the pages of every program. Those in npm come from simple-icons (CC0), by
// tools/assets.sh.
package marks

import (
	"embed"
	"strings"
)

//go:embed npm/*.svg linkedin.svg
var files embed.FS

// Body returns the mark of a network by its identifier: the content of an SVG element of 24 by 24, and the element's end. It is
// empty if there is none.
func Body(network string) string {
	raw, err := files.ReadFile("npm/" + network + ".svg")
	if err != nil {
		if raw, err = files.ReadFile(network + ".svg"); err != nil {
			return ""
		}
	}
	_, text, _ := strings.Cut(string(raw), "<svg") // without the comment with the licence
	_, body, _ := strings.Cut(text, ">")
	return strings.TrimSpace(body)
}
