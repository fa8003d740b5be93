package format

import (
	"encoding/binary"
)

// mostParts bounds the parts of a file that are no frames, and so the time that it can cost.
const mostParts = 1 << 17

// box is a part of a file in the ISO base media format (ISO/IEC 14496-12, 4.2), which HEIC, MP4 and MOV use, or an
// element of a WebM file (RFC 8794), whose kind is its ID.
type box struct {
	kind             string
	start, body, end int64
}

// boxes reads the parts of such a file.
type boxes struct {
	*walker
	parts int
	cut   bool // the media data end with the file, and early
}

// count counts a part that is no frame.
func (b *boxes) count() error {
	if b.parts++; b.parts > mostParts {
		return crowded()
	}
	return nil
}

// next reads the header of the box at the current position, which must end at limit or before, and moves into its
// content. The media data of a video whose transfer was interrupted end with the file.
func (b *boxes) next(limit int64) (box, error) {
	const head, longHead = 8, 16
	start := b.at
	if limit-start < head {
		return box{}, truncated(start)
	}
	data, err := b.read(head)
	if err != nil {
		return box{}, err
	}
	found, size := box{kind: string(data[4:]), start: start}, int64(binary.BigEndian.Uint32(data))
	switch size {
	case 0: // extends to the limit
		size = limit - start
	case 1:
		if limit-start < longHead {
			return box{}, truncated(start)
		}
		if data, err = b.read(longHead - head); err != nil {
			return box{}, err
		}
		size = int64(min(binary.BigEndian.Uint64(data), 1<<62))
	}
	found.body = b.at
	if found.kind == "mdat" && limit == b.size && size > limit-start {
		size, b.cut = limit-start, true
	}
	if size < found.body-start || size > limit-start {
		return box{}, broken(start, "a box of invalid length")
	}
	found.end = start + size
	switch found.kind {
	case "moof", "mdat", "styp", "sidx":
		return found, nil
	default:
		return found, b.count()
	}
}

// each calls visit for the boxes inside another and returns the end of the last one. Fewer bytes than a box header are
// padding.
func (b *boxes) each(parent box, visit func(child box) error) (end int64, err error) {
	const head = 8
	for end = parent.body; parent.end-end >= head; end = b.at {
		b.at = end
		child, err := b.next(parent.end)
		if err != nil {
			return end, err
		}
		if err := visit(child); err != nil {
			return end, err
		}
		b.at = child.end
	}
	return end, nil
}

// topLevel calls visit for the boxes of the file. Once complete reports true, something that is not a box is other data
// after the file, where topLevel stops. It returns the end of the last box.
func (b *boxes) topLevel(visit func(top box) error, complete func() bool) (end int64, err error) {
	var refused error
	end, err = b.each(box{end: b.size}, func(top box) error {
		refused = visit(top)
		return refused
	})
	if refused == nil && complete() && IsBroken(err) {
		err = nil
	}
	return end, err
}

// content reads the first n bytes of a box; n is a small constant, never a number from the file.
func (b *boxes) content(from box, n int) ([]byte, error) {
	if from.end-from.body < int64(n) {
		return nil, broken(from.start, "a box that is too short")
	}
	b.at = from.body
	return b.read(n)
}

func crowded() error { return Fail(TooLarge, "the file has too many parts") }
