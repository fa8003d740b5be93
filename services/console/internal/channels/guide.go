package channels

import (
	"embed"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/kernel/apperr"
)

// guides has copies of the pages of docs/connect, which tools/generate.sh makes.
//
//go:embed guides
var guides embed.FS

// guidePage is the data of a guide to a network's developer console.
type guidePage struct {
	method

	Guide []block
}

// guide shows a guide with the addresses of this installation.
func (c *channels) guide(v *frame.Visit) error {
	w, err := c.methodOf(v)
	if err != nil {
		return err
	}
	raw, err := guides.ReadFile("guides/" + string(w.Type.Network()) + ".md")
	if err != nil {
		return apperr.New(apperr.NotFound, "There is no guide to this network.")
	}
	_, text, _ := strings.Cut(string(raw), "\n") // without its title
	return v.Page(frame.Page{
		Name: "channels/guide", Title: "How to connect " + w.Type.Network().Name(),
		Data: guidePage{w, blocks(strings.ReplaceAll(text, "APP_URL", c.connections.AppURL()))},
	})
}
