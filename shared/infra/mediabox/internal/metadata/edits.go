package metadata

import (
	"cmp"
	"slices"

	"socialpub.internal/shared/infra/mediabox/internal/fault"
)

// mostEdits bounds what changes in a file, and so the memory that a file made of tiny parts can cost: some megabytes. A
// telephone that notes what it sees makes two a second, on each of some tracks.
const mostEdits = 1 << 17

// edit replaces a range of the file by bytes of the same number, so that everything stays where the file's own tables say.
type edit struct {
	span
	literal []byte // nil is zeros
}

// span is a range of the file.
type span struct{ start, end int64 }

func (s span) overlaps(other span) bool { return s.start < other.end && other.start < s.end }

// edits collects what changes in a file whose parts cannot move.
type edits []edit

// zero overwrites a range with zeros; an empty one is nothing.
func (e *edits) zero(start, end int64) {
	if start < end {
		*e = append(*e, edit{span: span{start, end}})
	}
}

// write overwrites what stands at start.
func (e *edits) write(start int64, literal []byte) {
	*e = append(*e, edit{span{start, start + int64(len(literal))}, literal})
}

// replace overwrites a range with zeros, or with instead and zeros behind it when it is long enough for that.
func (e *edits) replace(gone span, instead []byte) {
	if int64(len(instead)) <= gone.end-gone.start && len(instead) > 0 {
		e.write(gone.start, instead)
		gone.start += int64(len(instead))
	}
	e.zero(gone.start, gone.end)
}

// full fails when there are too many edits to be kept in memory.
func (e *edits) full() error {
	if len(*e) > mostEdits {
		return crowded()
	}
	return nil
}

func crowded() error { return fault.New(fault.TooLarge, "the file consists of too many parts") }

// apply makes the clean file of size bytes. Where edits overlap, the one that begins first counts, and of two that begin
// together the longer one: a part that goes takes with it whatever was to be changed inside it.
func (e *edits) apply(clean *Clean, size int64) {
	slices.SortStableFunc(*e, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	at := int64(0)
	for _, change := range *e {
		start, end := max(at, change.start), min(size, change.end)
		if start >= end {
			continue
		}
		if at < start {
			clean.keep(at, start-at)
		}
		if change.literal == nil {
			clean.blank(end - start)
		} else {
			clean.write(change.literal[start-change.start : end-change.start])
		}
		at = end
	}
	if at < size {
		clean.keep(at, size-at)
	}
}
