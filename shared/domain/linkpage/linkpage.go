// Package linkpage holds the public link page: its draft, the version that visitors see, and the rules that both obey
// (specification, Link pages; decisions, section 8).
//
// Decisions are pure functions: they take a page as read and return the page as it will be. Edits change the draft alone.
// Publishing copies the draft to a version that nothing changes any more, and that is what visitors see.
package linkpage

import (
	"slices"
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// How many blocks a page may have, and how many bytes they may take in all, as they are stored.
const (
	MaxBlocks = 100
	MaxSize   = 512 << 10
)

// Status says whether visitors can see a page.
type Status string

// The states of a page.
const (
	Draft     Status = "DRAFT"
	Published Status = "PUBLISHED"
)

// Page is a link page of a workspace.
type Page struct {
	ID          ident.LinkPage
	WorkspaceID ident.Workspace
	Handle      string // of the draft: where the page will be once it is published
	Draft       Content
	Revision    int   // counts what was done to the page, from 1 on: edits, publications, withdrawals
	Versions    int   // how often the page was published
	Live        *Live // what visitors see; nil while that is nothing. Never changed, only replaced
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Live is the published version of a page.
type Live struct {
	Handle      string
	Content     Content
	Version     int // of the page's publications; no two have the same
	Revision    int // of the page when it was published
	PublishedAt time.Time
}

// Content is what a page says and how it looks.
type Content struct {
	Title  string  `json:"title"`
	Bio    string  `json:"bio"`
	SEO    SEO     `json:"seo"`
	Theme  Theme   `json:"theme"`
	Blocks []Block `json:"blocks"` // in the order in which they are shown
}

// SEO is what search engines and previews of links are told. What is empty is taken from the page itself.
type SEO struct {
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Image       ident.Media `json:"imageMediaId,omitzero"`
	NoIndex     bool        `json:"noIndex"`
}

// Block is one part of a page.
type Block struct {
	ID       ident.LinkBlock
	Settings Settings // never nil; says the type too
	Visible  bool
	// ShowFrom and ShowUntil bound when the block is shown; zero: without bound.
	ShowFrom  time.Time
	ShowUntil time.Time
}

// Type is the block's type.
func (b Block) Type() BlockType { return b.Settings.Type() }

// ShownAt reports whether visitors see the block at the time.
func (b Block) ShownAt(now time.Time) bool {
	return b.Visible && !now.Before(b.ShowFrom) && (b.ShowUntil.IsZero() || now.Before(b.ShowUntil))
}

// Summary is what a list tells of a page.
type Summary struct {
	ID          ident.LinkPage
	Handle      string
	Title       string
	Blocks      int
	Revision    int
	Live        bool
	LiveHandle  string // of these, only when it is live
	Unpublished bool   // whether publishing would show visitors something else
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

// Status is that of the page.
func (p Page) Status() Status {
	if p.Live == nil {
		return Draft
	}
	return Published
}

// Changed reports whether publishing would show visitors something else.
func (p Page) Changed() bool { return p.Live == nil || p.Live.Revision != p.Revision }

// Handles are the addresses that the page holds: the draft's, and the one it is live at.
func (p Page) Handles() []string {
	if p.Live == nil || p.Live.Handle == p.Handle {
		return []string{p.Handle}
	}
	return []string{p.Handle, p.Live.Handle}
}

// Assets are the media that the draft or the published version shows, each once.
func (p Page) Assets() []ident.Media {
	ids := p.Draft.Assets()
	if p.Live != nil {
		ids = append(ids, p.Live.Content.Assets()...)
	}
	return unique(ids)
}

// Assets are the media that the content shows, each once.
func (c Content) Assets() []ident.Media {
	ids := []ident.Media{c.SEO.Image, c.Theme.Avatar}
	for _, b := range c.Blocks {
		ids = append(ids, b.Settings.asset())
	}
	return unique(ids)
}

// Posts are the posts that the content shows, each once.
func (c Content) Posts() []ident.Post {
	var ids []ident.Post
	for _, b := range c.Blocks {
		if card, ok := b.Settings.(PostCard); ok && !slices.Contains(ids, card.PostID) {
			ids = append(ids, card.PostID)
		}
	}
	return ids
}

// Block finds a block; false when the content has none of this id.
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
