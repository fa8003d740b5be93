package jsonbody

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// edit replaces a part of the body.
type edit struct {
	start, end int64
	with       []byte
}

func (w *walker) change(start, end int64, with []byte) {
	w.changes = append(w.changes, edit{start: start, end: end, with: with})
}

// changed returns the body with the changes, or the body itself without any.
func (w *walker) changed() []byte {
	if len(w.changes) == 0 {
		return w.body
	}
	slices.SortStableFunc(w.changes, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	out, at := make([]byte, 0, len(w.body)), int64(0)
	for _, c := range w.changes {
		if c.start < at { // within a part that is left out
			continue
		}
		out = append(append(out, w.body[at:c.start]...), c.with...)
		at = c.end
	}
	return append(out, w.body[at:]...)
}

// cuts is the state of an object whose members are left out or kept.
type cuts struct{ first, kept bool } // first: the first member was left out

// leave leaves the member out that was just read and begins at start, with the comma before it. The first member that
// is kept loses the comma of the members before it.
func (w *walker) leave(c *cuts, start int64, out bool) {
	switch {
	case out:
		for n := len(w.changes); n > 0 && w.changes[n-1].start > start; n-- { // changes within the member
			w.changes = w.changes[:n-1]
		}
		w.change(start, w.dec.InputOffset(), nil)
		c.first = c.first || !c.kept
	case c.first && !c.kept:
		w.change(start, start+int64(bytes.IndexByte(w.body[start:], ','))+1, nil)
		fallthrough
	default:
		c.kept = true
	}
}

// absent reports whether the next value counts as a member that was not sent (docs/contract.md, Bodies): null, or an
// empty text where the member cannot be empty.
func (w *walker) absent(n *node) bool {
	switch kind := w.dec.PeekKind(); {
	case w.patch:
		return false
	case kind == 'n':
		return !n.nullable
	case kind != '"':
		return false
	default:
		rest := bytes.TrimLeft(w.body[w.dec.InputOffset():], " \t\r\n:")
		return bytes.HasPrefix(rest, []byte(`""`)) && !n.mayBeEmpty()
	}
}

// unless returns nil, which checks nothing, for an absent value.
func (n *node) unless(absent bool) *node {
	if absent {
		return nil
	}
	return n
}

// mayBeEmpty reports whether an empty text is a valid value.
func (n *node) mayBeEmpty() bool {
	return n.kind == huma.TypeString && n.minLength == 0 && n.enum == nil && n.format == nil
}
