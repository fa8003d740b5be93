package format

import (
	"cmp"
	"slices"
)

// mostEdits bounds the number of changes in a file, and so the memory that a file of many tiny parts can use: some
// megabytes.
const mostEdits = 1 << 17

// edit replaces a range of the file with the same number of bytes, so that all offsets in the file's tables stay valid.
type edit struct {
	span
	literal []byte // nil means zeros
}

// span is a range of the file.
type span struct{ start, end int64 }

// edits collects the changes of a file whose parts cannot move.
type edits []edit

// zero overwrites a range with zeros; an empty range is ignored.
func (e *edits) zero(start, end int64) {
	if start < end {
		*e = append(*e, edit{span: span{start, end}})
	}
}

// write overwrites the bytes at start.
func (e *edits) write(start int64, literal []byte) {
	*e = append(*e, edit{span{start, start + int64(len(literal))}, literal})
}

// full fails if there are too many edits to keep in memory.
func (e *edits) full() error {
	if len(*e) > mostEdits {
		return crowded()
	}
	return nil
}

// apply creates the clean file of size bytes. Where edits overlap, the one that starts first applies, and of two with
// the same start the longer one: an erased part includes all edits inside it.
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
