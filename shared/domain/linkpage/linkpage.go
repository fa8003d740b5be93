// Package linkpage defines public link pages: the draft, the live version that visitors see, and the rules for both
// (docs/contract.md, Link pages).
//
// Decisions are pure functions: they take the current page and return the new page. Edits change only the draft.
// Publishing copies the draft to an immutable version, which visitors see.
package linkpage

import (
	"slices"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Maximum number of blocks of a page, and their maximum total size in bytes as stored.
const (
	MaxBlocks = 100
	MaxSize   = 512 << 10
)

// Status reports whether a page is visible to visitors.
type Status string

// States of a page.
const (
	Draft     Status = "DRAFT"
	Published Status = "PUBLISHED"
)

// Page is a link page of a workspace.
type Page struct {
	ID          ident.LinkPage
	WorkspaceID ident.Workspace
	Handle      string // of the draft: the URL of the page once it is published
	Draft       Content
	Revision    int    // counts changes of the page, from 1: edits, publications, withdrawals
	Versions    int    // number of publications
	Live        *Live  // the version that visitors see; nil if none. Immutable: it is only replaced
	ChangedBy   string // the actor of the last change; empty: not known
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Live is the published version of a page.
type Live struct {
	Handle      string
	Content     Content
	Version     int // number of the publication; unique within the page
	Revision    int // of the page when it was published
	PublishedAt time.Time
}

// Content is the content and the design of a page.
type Content struct {
	Title  string  `json:"title"`
	Bio    string  `json:"bio"`
	SEO    SEO     `json:"seo"`
	Theme  Theme   `json:"theme"`
	Blocks []Block `json:"blocks"` // in display order
}

// SEO holds the data for search engines and link previews. Empty fields are derived from the page.
type SEO struct {
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Image       ident.Media `json:"imageMediaId,omitzero"`
	NoIndex     bool        `json:"noIndex"`
}

// Block is one part of a page.
type Block struct {
	ID       ident.LinkBlock
	Settings Settings // never nil; also determines the type
	Visible  bool
	// ShowFrom and ShowUntil limit the display period of the block; zero: no limit.
	ShowFrom  time.Time
	ShowUntil time.Time
}

// Type returns the block's type.
func (b Block) Type() BlockType { return b.Settings.Type() }

// ShownAt reports whether visitors see the block at the given time.
func (b Block) ShownAt(now time.Time) bool {
	return b.Visible && !now.Before(b.ShowFrom) && (b.ShowUntil.IsZero() || now.Before(b.ShowUntil))
}

// Summary is a page in a list.
type Summary struct {
	ID          ident.LinkPage
	Handle      string
	Title       string
	Blocks      int
	Revision    int
	Live        bool
	LiveHandle  string // set only if the page is live
	Unpublished bool   // whether publishing would change what visitors see
	PublishedAt time.Time
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Refers lists the posts and the media that the block shows.
func (b Block) Refers() (posts []ident.Post, assets []ident.Media) {
	if b.Settings == nil {
		return nil, nil
	}
	alone := Content{Blocks: []Block{b}}
	return alone.Posts(), alone.Assets()
}

// Status returns the status of the page.
func (p Page) Status() Status {
	if p.Live == nil {
		return Draft
	}
	return Published
}

// Changed reports whether publishing would change what visitors see.
func (p Page) Changed() bool { return p.Live == nil || p.Live.Revision != p.Revision }

// Handles lists the handles that the page occupies: that of the draft and that of the live version.
func (p Page) Handles() []string {
	if p.Live == nil || p.Live.Handle == p.Handle {
		return []string{p.Handle}
	}
	return []string{p.Handle, p.Live.Handle}
}

// Assets lists the media of the draft and the live version without duplicates.
func (p Page) Assets() []ident.Media {
	ids := p.Draft.Assets()
	if p.Live != nil {
		ids = append(ids, p.Live.Content.Assets()...)
	}
	return unique(ids)
}

// Assets lists the media of the content without duplicates.
func (c Content) Assets() []ident.Media {
	ids := []ident.Media{c.SEO.Image, c.Theme.Avatar}
	for _, b := range c.Blocks {
		ids = append(ids, b.Settings.Traits().Asset)
	}
	return unique(ids)
}

// Posts lists the posts of the content without duplicates.
func (c Content) Posts() []ident.Post {
	var ids []ident.Post
	for _, b := range c.Blocks {
		if id := b.Settings.Traits().Post; id != nil && !slices.Contains(ids, *id) {
			ids = append(ids, *id)
		}
	}
	return ids
}

// Block returns the block with the ID, or false if the content does not have it.
func (c Content) Block(id ident.LinkBlock) (Block, bool) {
	at := c.find(id)
	if at < 0 {
		return Block{}, false
	}
	return c.Blocks[at], true
}

func (c Content) find(id ident.LinkBlock) int {
	return slices.IndexFunc(c.Blocks, func(b Block) bool { return b.ID == id })
}

func unique(ids []ident.Media) []ident.Media {
	out := make([]ident.Media, 0, len(ids))
	for _, id := range ids {
		if !id.IsZero() && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
