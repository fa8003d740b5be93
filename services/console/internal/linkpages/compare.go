package linkpages

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/linkpage"
)

// difference is a field that differs, with both values as people read them.
type difference struct{ Label, Before, After string }

// changesPage is the data of the page that compares the draft with what visitors see.
type changesPage struct {
	head

	Fields         []difference
	Added, Removed []string
	Edited         []changedBlock
	Reordered      bool
}

// changedBlock is a block that differs.
type changedBlock struct {
	Name        string
	Differences []difference
}

func (p *pages) changes(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	h, err := p.head(v, page, "changes")
	if err != nil {
		return err
	}
	data := changesPage{head: h, Reordered: h.Changes.Reordered}
	for _, name := range h.Changes.Fields {
		data.Fields = append(data.Fields, pageDifference(page, name))
	}
	name := func(b linkpage.Block) string { return nameOf(b.Type()) + " “" + labelOf(b) + "”" }
	for _, b := range h.Changes.Added {
		data.Added = append(data.Added, name(b))
	}
	for _, b := range h.Changes.Removed {
		data.Removed = append(data.Removed, name(b))
	}
	for _, c := range h.Changes.Changed {
		now, before := valuesOf(c.Block, v.Zone()), valuesOf(c.Before, v.Zone())
		one := changedBlock{Name: name(c.Block)}
		for _, field := range c.Fields {
			one.Differences = append(one.Differences, difference{
				wordingOf(linkpage.Field{Name: field}).Label, readable(before, field), readable(now, field),
			})
		}
		data.Edited = append(data.Edited, one)
	}
	return show(v, http.StatusOK, "changes", "Changes of "+page.Draft.Title, data)
}

func pageDifference(page linkpage.Page, name string) difference {
	d := difference{Label: fieldWords(name)}
	switch before, now := page.Live.Content, page.Draft; name {
	case "handle":
		d.Before, d.After = page.Live.Handle, page.Handle
	case "title":
		d.Before, d.After = before.Title, now.Title
	case "bio":
		d.Before, d.After = before.Bio, now.Bio
	case "theme":
		d.Before, d.After = frame.Words(before.Theme.Name), frame.Words(now.Theme.Name)
		if d.Before == d.After {
			d.Before, d.After = "", ""
		}
	}
	return d
}

// readable returns the value of a setting, or of the visibility, as people read it.
func readable(values url.Values, name string) string {
	at := prefix + name
	if _, own := values[at]; !own {
		at = name
	}
	text := values.Get(at)
	if hour := values.Get(at + clock); hour != "" {
		text += " " + hour
	}
	var entries []string // of a list
	for n := range rowsIn(values, at) {
		entries = append(entries, entry(values, at+"."+strconv.Itoa(n)+"."))
	}
	switch {
	case len(entries) > 0:
		return strings.Join(entries, "; ")
	case text == "yes":
		return "on"
	case name == "visible":
		return "off"
	}
	return text
}

// entry returns the values of a row of a list.
func entry(values url.Values, from string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if strings.HasPrefix(name, from) {
			parts = append(parts, values.Get(name))
		}
	}
	return strings.Join(parts, " ")
}

// differing lists the fields of a block that differ from what a form has, with the value of the block as the former one.
func differing(b linkpage.Block, mine url.Values, zone *time.Location) (list []difference) {
	now := valuesOf(b, zone)
	names := []string{"visible", "showFrom", "showUntil"}
	for _, f := range b.Settings.Fields() {
		names = append(names, f.Name)
	}
	for _, name := range names {
		theirs, own := readable(now, name), readable(mine, name)
		if theirs != own {
			list = append(list, difference{wordingOf(linkpage.Field{Name: name}).Label, cmp.Or(theirs, "empty"), own})
		}
	}
	return list
}
