package linkpage

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/ident"
)

// How long the texts of a page may be, in characters.
const (
	MaxTitle          = 100
	MaxBio            = 500
	MaxSEOTitle       = 100
	MaxSEODescription = 300
)

// New is what a page is made of. Handle and title are required.
type New struct {
	WorkspaceID ident.Workspace
	Handle      string
	Title       string
	Bio         string
	SEO         SEO
	Theme       Theme
}

// Create makes a page whose draft has no blocks yet. VALIDATION_FAILED with every fault at once.
func Create(in New, now time.Time) (Page, error) {
	var f faults
	p := Page{
		ID: ident.New[ident.LinkPage](), WorkspaceID: in.WorkspaceID, Handle: f.handle("/handle", in.Handle), Revision: 1,
		Draft:     Content{Title: f.title(in.Title), Bio: f.text("/bio", in.Bio, MaxBio), SEO: f.seo(in.SEO), Theme: f.theme("/theme", in.Theme), Blocks: []Block{}},
		CreatedAt: now, UpdatedAt: now,
	}
	return p, apperr.Invalid(f)
}

func (f *faults) title(given string) string {
	before := len(*f)
	title := f.line("/title", given, MaxTitle)
	if title == "" && len(*f) == before {
		f.add("/title", "is required")
	}
	return title
}

func (f *faults) seo(given SEO) SEO {
	return SEO{
		Title: f.line("/seo/title", given.Title, MaxSEOTitle), Description: f.line("/seo/description", given.Description, MaxSEODescription),
		Image: given.Image, NoIndex: given.NoIndex,
	}
}

// Edit changes the draft; nil leaves a member as it is. SEO and Theme are replaced as a whole.
type Edit struct {
	Handle *string
	Title  *string
	Bio    *string
	SEO    *SEO
	Theme  *Theme
}

// Edit changes the draft. VALIDATION_FAILED with every fault at once.
func (p Page) Edit(in Edit, now time.Time) (Page, error) {
	var f faults
	next := p
	if in.Handle != nil {
		next.Handle = f.handle("/handle", *in.Handle)
	}
	if in.Title != nil {
		next.Draft.Title = f.title(*in.Title)
	}
	if in.Bio != nil {
		next.Draft.Bio = f.text("/bio", *in.Bio, MaxBio)
	}
	if in.SEO != nil {
		next.Draft.SEO = f.seo(*in.SEO)
	}
	if in.Theme != nil {
		next.Draft.Theme = f.theme("/theme", *in.Theme)
	}
	if err := apperr.Invalid(f); err != nil {
		return Page{}, err
	}
	return next.edited(p, now), nil
}

// edited counts an edit of the draft; one that changes nothing is none.
func (p Page) edited(before Page, now time.Time) Page {
	if p.Handle == before.Handle && p.Draft.equal(before.Draft) {
		return before
	}
	p.Revision++
	p.UpdatedAt = later(now, before.UpdatedAt)
	return p
}

func (c Content) equal(other Content) bool {
	return c.Title == other.Title && c.Bio == other.Bio && c.SEO == other.SEO && c.Theme == other.Theme &&
		slices.EqualFunc(c.Blocks, other.Blocks, Block.equal)
}

func (b Block) equal(other Block) bool {
	one, err := json.Marshal(b)
	two, otherErr := json.Marshal(other)
	return err == nil && otherErr == nil && bytes.Equal(one, two)
}

// later keeps the order of changes when a clock was set back.
func later(now, before time.Time) time.Time {
	if now.Before(before) {
		return before
	}
	return now
}

// NewBlock is what a block is made of.
type NewBlock struct {
	Type      BlockType
	Settings  json.RawMessage
	Hidden    bool
	ShowFrom  time.Time
	ShowUntil time.Time
	Position  *int // from 0 on; nil: at the end
}

// AddBlock puts a block into the draft. VALIDATION_FAILED with every fault at once, also when the page is full.
func (p Page) AddBlock(in NewBlock, now time.Time) (Page, Block, error) {
	var f faults
	block := Block{
		ID: ident.New[ident.LinkBlock](), Visible: !in.Hidden, Settings: f.settings("/settings", in.Type, in.Settings),
		ShowFrom: f.instant("/showFrom", in.ShowFrom), ShowUntil: f.instant("/showUntil", in.ShowUntil),
	}
	if !in.Type.Known() {
		f.add("/type", "%.40q is none of %s", string(in.Type), names(BlockTypes()))
	}
	f.window(block)
	at := len(p.Draft.Blocks)
	if in.Position != nil {
		at = *in.Position
	}
	if at < 0 || at > len(p.Draft.Blocks) {
		f.add("/position", "must be between 0 and %d", len(p.Draft.Blocks))
	}
	if len(p.Draft.Blocks) >= MaxBlocks {
		f.add("", "The page has %d blocks already; at most %d are allowed.", len(p.Draft.Blocks), MaxBlocks)
	}
	if err := apperr.Invalid(f); err != nil {
		return Page{}, Block{}, err
	}
	next := p
	next.Draft.Blocks = slices.Insert(slices.Clone(p.Draft.Blocks), at, block)
	return next.edited(p, now), block, nil
}

// window refuses times between which there is nothing.
func (f *faults) window(b Block) {
	if !b.ShowFrom.IsZero() && !b.ShowUntil.IsZero() && !b.ShowFrom.Before(b.ShowUntil) {
		f.add("/showUntil", "is not after showFrom")
	}
}

// BlockEdit changes a block; nil leaves a member as it is, and a zero time takes a bound away. Settings are replaced as a whole.
type BlockEdit struct {
	Settings  json.RawMessage
	Visible   *bool
	ShowFrom  *time.Time
	ShowUntil *time.Time
}

// EditBlock changes a block of the draft; its type stays. NOT_FOUND, or VALIDATION_FAILED with every fault at once.
func (p Page) EditBlock(id ident.LinkBlock, in BlockEdit, now time.Time) (Page, Block, error) {
	at := p.Draft.find(id)
	if at < 0 {
		return Page{}, Block{}, noBlock()
	}
	var f faults
	block := p.Draft.Blocks[at]
	if in.Settings != nil {
		block.Settings = f.settings("/settings", block.Type(), in.Settings)
	}
	if in.Visible != nil {
		block.Visible = *in.Visible
	}
	if in.ShowFrom != nil {
		block.ShowFrom = f.instant("/showFrom", *in.ShowFrom)
	}
	if in.ShowUntil != nil {
		block.ShowUntil = f.instant("/showUntil", *in.ShowUntil)
	}
	f.window(block)
	if err := apperr.Invalid(f); err != nil {
		return Page{}, Block{}, err
	}
	next := p
	next.Draft.Blocks = slices.Clone(p.Draft.Blocks)
	next.Draft.Blocks[at] = block
	return next.edited(p, now), block, nil
}

func noBlock() error { return apperr.New(apperr.NotFound, "There is no such block.") }

// RemoveBlock takes a block out of the draft; NOT_FOUND when it has none of this id.
func (p Page) RemoveBlock(id ident.LinkBlock, now time.Time) (Page, error) {
	at := p.Draft.find(id)
	if at < 0 {
		return Page{}, noBlock()
	}
	next := p
	next.Draft.Blocks = slices.Delete(slices.Clone(p.Draft.Blocks), at, at+1)
	return next.edited(p, now), nil
}

// Order puts the blocks of the draft into the order of the ids, which must name each of them once: VALIDATION_FAILED otherwise,
// because somebody who does not know a block has not decided where it stands.
func (p Page) Order(ids []ident.LinkBlock, now time.Time) (Page, error) {
	var f faults
	next := p
	next.Draft.Blocks = make([]Block, 0, len(ids))
	seen := make(map[ident.LinkBlock]bool, len(ids))
	for i, id := range ids {
		block, found := p.Draft.Block(id)
		switch at := "/blockIds/" + strconv.Itoa(i); {
		case !found:
			f.add(at, "is no block of this page")
		case seen[id]:
			f.add(at, "stands here twice")
		default:
			next.Draft.Blocks = append(next.Draft.Blocks, block)
		}
		seen[id] = true
	}
	for _, b := range p.Draft.Blocks {
		if !seen[b.ID] {
			f.add("/blockIds", "does not name block %s", b.ID)
		}
	}
	if err := apperr.Invalid(f); err != nil {
		return Page{}, err
	}
	return next.edited(p, now), nil
}

// Publish makes the draft what visitors see. A page whose draft is shown already stays as it is.
func (p Page) Publish(now time.Time) Page {
	if !p.Changed() {
		return p
	}
	p.Versions++
	p.UpdatedAt = later(now, p.UpdatedAt)
	p.Live = &Live{Handle: p.Handle, Content: p.Draft, Version: p.Versions, Revision: p.Revision, PublishedAt: p.UpdatedAt}
	return p
}

// Unpublish takes the page away from visitors; the draft stays. INVALID_STATE when it is not published.
func (p Page) Unpublish(now time.Time) (Page, error) {
	if p.Live == nil {
		return Page{}, &apperr.Error{Code: apperr.InvalidState, Message: "The page is not published.", CurrentStatus: string(Draft)}
	}
	p.Live, p.UpdatedAt = nil, later(now, p.UpdatedAt)
	return p, nil
}

// CheckRevision refuses a change that was decided on an older draft: INVALID_STATE. Zero stands for whatever the draft is.
func (p Page) CheckRevision(expected int) error {
	if expected == 0 || expected == p.Revision {
		return nil
	}
	return &apperr.Error{
		Code: apperr.InvalidState, CurrentStatus: string(p.Status()),
		Message: "The page has changed: it is at revision " + strconv.Itoa(p.Revision) + ", not " + strconv.Itoa(expected) + ". Read it again.",
	}
}
