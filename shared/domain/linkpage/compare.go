package linkpage

import (
	"bytes"
	"encoding/json"
	"slices"

	"fencepost.internal/shared/kernel/ident"
)

// Comparison lists how a content differs from an earlier one.
type Comparison struct {
	Fields         []string // names of the fields of the page that differ, such as title or theme
	Added, Removed []Block
	Changed        []BlockChange
	Reordered      bool // the blocks that both have are in another order
}

// BlockChange is a block that differs from its earlier state.
type BlockChange struct {
	Block  Block
	Before Block
	Fields []string // names of the settings that differ, and visible, showFrom, showUntil
}

// Empty reports whether nothing differs.
func (c Comparison) Empty() bool { return c.Count() == 0 }

// Count returns the number of differences.
func (c Comparison) Count() int {
	n := len(c.Fields) + len(c.Added) + len(c.Removed) + len(c.Changed)
	if c.Reordered {
		n++
	}
	return n
}

// Compare compares the draft with the live version; a page that is not published is compared with an empty page.
func (p Page) Compare() Comparison {
	if p.Live == nil {
		return Comparison{Added: p.Draft.Blocks}
	}
	before, now := p.Live.Content, p.Draft
	var c Comparison
	for _, field := range []struct {
		name    string
		differs bool
	}{
		{"handle", p.Live.Handle != p.Handle},
		{"title", before.Title != now.Title},
		{"bio", before.Bio != now.Bio},
		{"seo", before.SEO != now.SEO},
		{"theme", before.Theme != now.Theme},
	} {
		if field.differs {
			c.Fields = append(c.Fields, field.name)
		}
	}
	var kept []ident.LinkBlock // in the order of the draft
	for _, b := range now.Blocks {
		was, found := before.Block(b.ID)
		if !found {
			c.Added = append(c.Added, b)
			continue
		}
		kept = append(kept, b.ID)
		if fields := b.Differs(was); len(fields) > 0 {
			c.Changed = append(c.Changed, BlockChange{Block: b, Before: was, Fields: fields})
		}
	}
	var order []ident.LinkBlock // of the live version
	for _, b := range before.Blocks {
		if _, found := now.Block(b.ID); found {
			order = append(order, b.ID)
		} else {
			c.Removed = append(c.Removed, b)
		}
	}
	c.Reordered = !slices.Equal(kept, order)
	return c
}

// Differs lists the names of the settings that differ from another state of the block, and visible, showFrom and
// showUntil.
func (b Block) Differs(other Block) []string {
	var names []string
	mine, theirs := b.members(), other.members()
	for _, f := range b.Settings.Fields() {
		if !bytes.Equal(mine[f.Name], theirs[f.Name]) {
			names = append(names, f.Name)
		}
	}
	if b.Visible != other.Visible {
		names = append(names, "visible")
	}
	if !b.ShowFrom.Equal(other.ShowFrom) {
		names = append(names, "showFrom")
	}
	if !b.ShowUntil.Equal(other.ShowUntil) {
		names = append(names, "showUntil")
	}
	return names
}

// members returns the settings as stored, by name.
func (b Block) members() map[string]json.RawMessage {
	members := map[string]json.RawMessage{}
	if raw, err := json.Marshal(b.Settings); err == nil {
		_ = json.Unmarshal(raw, &members) // the settings are an object
	}
	return members
}
