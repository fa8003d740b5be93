package linkpage

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// NewBlock is the input of a new block.
type NewBlock struct {
	ID        ident.LinkBlock // zero: a new one
	Type      BlockType
	Settings  json.RawMessage
	Hidden    bool
	ShowFrom  time.Time
	ShowUntil time.Time
	Position  *int // from 0; nil: at the end
}

// Check returns the faults of a block that do not depend on the page: VALIDATION_FAILED with every fault at once.
func (in NewBlock) Check() error {
	var f faults
	f.block(in)
	return apperr.Invalid(f)
}

func (f *faults) block(in NewBlock) Block {
	block := Block{
		ID: orNew(in.ID), Visible: !in.Hidden, Settings: f.settings("/settings", in.Type, in.Settings),
		ShowFrom: f.instant("/showFrom", in.ShowFrom), ShowUntil: f.instant("/showUntil", in.ShowUntil),
	}
	if !in.Type.Known() {
		f.add("/type", "%.40q is not one of %s", string(in.Type), names(BlockTypes()))
	}
	f.window(block)
	return block
}

// AddBlock inserts a block into the draft, unless the draft has a block with the ID. It returns VALIDATION_FAILED with
// every fault at once, also if the page is full.
func (p Page) AddBlock(in NewBlock, now time.Time) (Page, Block, error) {
	if known, found := p.Draft.Block(in.ID); found {
		return p, known, nil
	}
	var f faults
	block := f.block(in)
	at := len(p.Draft.Blocks)
	if in.Position != nil {
		at = *in.Position
	}
	if at < 0 || at > len(p.Draft.Blocks) {
		f.add("/position", "must be between 0 and %d", len(p.Draft.Blocks))
	}
	if len(p.Draft.Blocks) >= MaxBlocks {
		f.add("", "The page has %d blocks; at most %d are allowed. Delete a block first.", len(p.Draft.Blocks), MaxBlocks)
	}
	if err := apperr.Invalid(f); err != nil {
		return Page{}, Block{}, err
	}
	next := p
	next.Draft.Blocks = slices.Insert(slices.Clone(p.Draft.Blocks), at, block)
	if err := next.Draft.checkSize(); err != nil {
		return Page{}, Block{}, err
	}
	return next.edited(p, now), block, nil
}

// checkSize limits the total size of the blocks, because a page is read and rendered as a whole.
func (c Content) checkSize() error {
	raw, err := json.Marshal(c.Blocks)
	if err != nil {
		return err
	}
	if len(raw) <= MaxSize {
		return nil
	}
	return apperr.Invalid([]apperr.Field{{
		Pointer: "/settings",
		Message: fmt.Sprintf("makes the blocks of the page %d bytes large in all; at most %d are allowed", len(raw), MaxSize),
	}})
}

// window refuses an empty display period.
func (f *faults) window(b Block) {
	if !b.ShowFrom.IsZero() && !b.ShowUntil.IsZero() && !b.ShowFrom.Before(b.ShowUntil) {
		f.add("/showUntil", "is not after showFrom")
	}
}

// BlockEdit is a change of a block; nil leaves a field unchanged, and a zero time removes a bound. Settings is a merge
// patch (RFC 7396) of the block's settings.
type BlockEdit struct {
	Settings  json.RawMessage
	Visible   *bool
	ShowFrom  *time.Time
	ShowUntil *time.Time
}

// EditBlock changes a block of the draft but not its type. It returns NOT_FOUND, or VALIDATION_FAILED with every fault
// at once.
func (p Page) EditBlock(id ident.LinkBlock, in BlockEdit, now time.Time) (Page, Block, error) {
	at := p.Draft.find(id)
	if at < 0 {
		return Page{}, Block{}, noBlock()
	}
	var f faults
	block := p.Draft.Blocks[at]
	if in.Settings != nil {
		block.Settings = f.merged("/settings", block.Settings, in.Settings)
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
	if err := next.Draft.checkSize(); err != nil {
		return Page{}, Block{}, err
	}
	return next.edited(p, now), block, nil
}

// merged applies a merge patch to settings and validates the result.
func (f *faults) merged(at string, before Settings, patch []byte) Settings {
	o, ok := newObject(at, patch, f)
	if !ok {
		return nil
	}
	raw, err := json.Marshal(before)
	members := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(raw, &members)
	}
	if err != nil {
		f.add(at, "cannot be changed; delete the block and add it again")
		return nil
	}
	for name, value := range members {
		if text := string(value); text == `""` || text == "0" { // represents an absent field
			delete(members, name)
		}
	}
	maps.Copy(members, o.members) // null also means absent; an unknown field remains unknown
	if raw, err = json.Marshal(members); err != nil {
		f.add(at, "must be an object")
		return nil
	}
	return f.settings(at, before.Type(), raw)
}

func noBlock() error { return apperr.New(apperr.NotFound, "There is no such block.") }

// RemoveBlock removes a block from the draft. It returns NOT_FOUND if the draft does not have the block.
func (p Page) RemoveBlock(id ident.LinkBlock, now time.Time) (Page, error) {
	at := p.Draft.find(id)
	if at < 0 {
		return Page{}, noBlock()
	}
	next := p
	next.Draft.Blocks = slices.Delete(slices.Clone(p.Draft.Blocks), at, at+1)
	return next.edited(p, now), nil
}

// MoveBlock moves a block of the draft behind another one, or to the beginning if after is zero. The places of the other
// blocks do not matter, so that no move undoes that of another person. It returns NOT_FOUND if the draft has not both.
func (p Page) MoveBlock(id, after ident.LinkBlock, now time.Time) (Page, error) {
	at, to := p.Draft.find(id), 0
	if at < 0 {
		return Page{}, noBlock()
	}
	if id == after {
		return p, nil
	}
	next := p
	next.Draft.Blocks = slices.Delete(slices.Clone(p.Draft.Blocks), at, at+1)
	if !after.IsZero() {
		if to = next.Draft.find(after) + 1; to == 0 {
			return Page{}, noBlock()
		}
	}
	next.Draft.Blocks = slices.Insert(next.Draft.Blocks, to, p.Draft.Blocks[at])
	return next.edited(p, now), nil
}

// ShiftBlock moves a block of the draft by one place, up or down. At the end it stays. It returns NOT_FOUND if the draft
// does not have the block.
func (p Page) ShiftBlock(id ident.LinkBlock, up bool, now time.Time) (Page, error) {
	at := p.Draft.find(id)
	other := at + 1
	if up {
		other = at - 1
	}
	switch {
	case at < 0:
		return Page{}, noBlock()
	case other < 0 || other == len(p.Draft.Blocks):
		return p, nil
	}
	next := p
	next.Draft.Blocks = slices.Clone(p.Draft.Blocks)
	next.Draft.Blocks[at], next.Draft.Blocks[other] = next.Draft.Blocks[other], next.Draft.Blocks[at]
	return next.edited(p, now), nil
}

// Order sorts the blocks of the draft by the given IDs, which must contain each block once. Otherwise it returns
// VALIDATION_FAILED, because a client that does not know a block cannot have chosen its position. It returns NOT_FOUND
// for a block of another page.
func (p Page) Order(ids []ident.LinkBlock, now time.Time) (Page, error) {
	var f faults
	next := p
	next.Draft.Blocks = make([]Block, 0, len(ids))
	seen := make(map[ident.LinkBlock]bool, len(ids))
	for i, id := range ids {
		block, found := p.Draft.Block(id)
		if !found {
			return Page{}, apperr.New(apperr.NotFound, "The page has no block %s.", id)
		}
		if seen[id] {
			f.add("/blockIds/"+strconv.Itoa(i), "is listed twice")
		}
		seen[id] = true
		next.Draft.Blocks = append(next.Draft.Blocks, block)
	}
	for _, b := range p.Draft.Blocks {
		if !seen[b.ID] {
			f.add("/blockIds", "lacks block %s", b.ID)
		}
	}
	if err := apperr.Invalid(f); err != nil {
		return Page{}, err
	}
	return next.edited(p, now), nil
}
