package metadata

import (
	"cmp"
	"encoding/binary"
	"slices"

	"fencepost.internal/shared/infra/mediabox/internal/fault"
)

// mostSteps bounds the boxes, samples and table entries that are read in one file, and so the time that it can cost. A
// day of video in fragments of one second has an eighth as many.
const mostSteps = 1 << 24

// box is a part of a file in the ISO base media format (ISO/IEC 14496-12, 4.2), which HEIC, MP4 and MOV use.
type box struct {
	kind             string
	start, body, end int64
}

// mostTops bounds the number of top-level boxes.
const mostTops = 1 << 18

// boxes walks through such a file. It keeps the few parts that are known to be needed and overwrites all others,
// renaming them to free. This also removes the private boxes of camera makers.
type boxes struct {
	*walker
	edits
	steps int

	structure  []span // parts that locate everything else, in order; the tables must not point into them
	data       edits  // edits of the media data
	references []box  // from one track to another
	movies     int
	kept       int    // number of video and audio tracks
	track      *track // the track that is being read
	removed    map[uint32]bool
	defaults   map[uint32]uint32 // sample size by track, for fragments that do not specify one
	early      bool              // a fragment came before the movie
	pictures   int
	cut        bool // the media data end with the file, and early
}

// scanBoxes copies a HEIC, MP4 or MOV file without user data, XMP, EXIF, times and names. It also removes all tracks
// other than video and audio, because cameras record locations in them. Bytes after the last box are cut.
func scanBoxes(clean *Clean, file *walker) error {
	b := &boxes{walker: file, removed: map[uint32]bool{}, defaults: map[uint32]uint32{}}
	size, err := b.topLevel()
	if err != nil {
		return err
	}
	if err := b.finish(); err != nil {
		return err
	}
	b.apply(clean, size)
	clean.Cut = b.cut
	return nil
}

// topLevel walks the boxes of the file and returns the end of the last one.
func (b *boxes) topLevel() (size int64, err error) {
	for b.left() > 0 {
		start := b.at
		top, err := b.next(b.size)
		if b.movies+b.pictures > 0 && isBroken(err) {
			return start, nil // not a box: other data after the file
		}
		if err != nil {
			return 0, err
		}
		if len(b.structure) > mostTops {
			return 0, crowded()
		}
		if err := b.topBox(top); err != nil {
			return 0, err
		}
		b.at = top.end
	}
	return b.size, nil
}

func (b *boxes) topBox(top box) error {
	whole, head := span{top.start, top.end}, span{top.start, top.body}
	switch top.kind {
	case "ftyp", "styp", "sidx", "ssix", "mfra", "pdin":
		b.structure = append(b.structure, whole)
		return nil
	case "moov":
		b.structure = append(b.structure, whole)
		b.movies++
		return b.children(top)
	case "moof":
		b.structure = append(b.structure, whole)
		return b.fragment(top)
	case "meta":
		b.structure = append(b.structure, whole)
		return b.stills(top)
	case "mdat", "imda": // video and audio, located by the tables
		b.structure = append(b.structure, head)
		return nil
	default:
		b.structure = append(b.structure, head)
		return b.erase(top)
	}
}

// finish makes the decisions that depend on the whole file.
func (b *boxes) finish() error {
	switch {
	case b.movies > 0 && b.kept == 0, b.movies+b.pictures == 0:
		return broken(0, "neither a video nor an image")
	case b.early && len(b.removed) > 0:
		return broken(0, "a fragment before its movie box")
	}
	if len(b.removed) > 0 { // some references lead nowhere now, and video and audio need none
		for _, references := range b.references {
			if err := b.erase(references); err != nil {
				return err
			}
		}
	}
	for _, gone := range b.data {
		at, _ := slices.BinarySearchFunc(b.structure, gone.start,
			func(s span, start int64) int { return cmp.Compare(s.end, start+1) })
		if at < len(b.structure) && b.structure[at].overlaps(gone.span) {
			return broken(gone.start, "invalid data box")
		}
	}
	b.edits = append(b.edits, b.data...)
	return b.full()
}

// next reads the header of the box at the current position, which must end at limit or before, and moves into its
// content. The media data of a video whose transfer was interrupted end with the file.
func (b *boxes) next(limit int64) (box, error) {
	const head, longHead = 8, 16
	if err := b.step(1); err != nil {
		return box{}, err
	}
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
	return found, nil
}

// step counts the parts that are read.
func (b *boxes) step(n int64) error {
	if n > int64(mostSteps-b.steps) {
		return crowded()
	}
	b.steps += int(n)
	return b.full()
}

// each calls decide for the boxes inside another. Fewer bytes than a box header are padding.
func (b *boxes) each(parent box, decide func(child box) error) error {
	const head = 8
	at := parent.body
	for ; parent.end-at >= head; at = b.at {
		b.at = at
		child, err := b.next(parent.end)
		if err != nil {
			return err
		}
		if err := decide(child); err != nil {
			return err
		}
		b.at = child.end
	}
	b.zero(at, parent.end)
	return nil
}

// children handles each box inside another by its path.
func (b *boxes) children(parent box) error {
	return b.each(parent, func(child box) error { return b.child(parent.kind, child) })
}

// child handles a box by its path: boxes needed to show video and audio are kept, all others are erased.
func (b *boxes) child(parent string, child box) error {
	switch parent + "/" + child.kind {
	case "trak/mdia", "mdia/minf", "minf/dinf":
		return b.children(child)
	case "minf/stbl":
		return b.tables(child)
	case "moov/trak":
		return b.readTrack(child)
	case "moov/mvhd", "trak/tkhd", "mdia/mdhd":
		return b.header(child)
	case "mdia/hdlr":
		return b.handler(child, &b.track.handler)
	case "minf/hdlr":
		return b.handler(child, new(string))
	case "dinf/dref":
		return b.dataReferences(child)
	case "moov/mvex":
		return b.fragmentDefaults(child)
	case "trak/tref":
		b.references = append(b.references, child)
	case "moov/iods", "moov/clip", "moov/ctab",
		"trak/edts", "trak/tapt", "trak/clip", "trak/matt", "trak/load", "trak/trgr",
		"mdia/elng",
		"minf/vmhd", "minf/smhd", "minf/hmhd", "minf/nmhd", "minf/sthd", "minf/gmhd":
	case "moov/cmov", "moov/rmra":
		return fault.New(fault.Unsupported, "a compressed or external movie header, at byte %d", child.start)
	default:
		return b.erase(child)
	}
	return nil
}

// erase turns a box into free space without content.
func (b *boxes) erase(gone box) error {
	const kindAt = 4
	switch gone.kind {
	case "free", "skip", "wide":
	default:
		b.write(gone.start+kindAt, []byte("free"))
	}
	b.zero(gone.body, gone.end)
	return b.full()
}

// header removes the creation and modification times from the header of a movie, track or media, and records a track's
// number.
func (b *boxes) header(h box) error {
	const flags, short, long = 4, 4, 8
	head, err := b.content(h, flags)
	if err != nil {
		return err
	}
	width := int64(short)
	if head[0] == 1 {
		width = long
	}
	times := h.body + flags
	if times+3*width > h.end {
		return broken(h.start, "a header that is too short")
	}
	b.zero(times, times+2*width)
	if h.kind == "tkhd" && b.track != nil {
		b.at = times + 2*width
		number, err := b.read(short)
		if err != nil {
			return err
		}
		b.track.number = binary.BigEndian.Uint32(number)
	}
	return nil
}

// handler reads the kind of media and removes the maker and the name, which often identify the camera.
func (b *boxes) handler(h box, kind *string) error {
	const kindAt, maker, shortest = 8, 12, 24
	head, err := b.content(h, shortest)
	if err != nil {
		return err
	}
	*kind = string(head[kindAt:maker])
	b.zero(h.body+maker, h.end)
	return nil
}

// dataReferences rejects videos with data in other files and removes the path on the creator's machine.
func (b *boxes) dataReferences(references box) error {
	const counted, flags = 8, 4
	if _, err := b.content(references, counted); err != nil {
		return err
	}
	references.body += counted
	return b.each(references, func(entry box) error {
		head, err := b.content(entry, flags)
		if err != nil {
			return err
		}
		if head[flags-1]&1 == 0 {
			return broken(entry.start, "images or audio in another file")
		}
		b.zero(entry.body+flags, entry.end)
		return b.full()
	})
}

// eraseData overwrites a range of the media data that the file's tables point to, starting with instead if there is
// room. Ranges outside the file are ignored.
func (b *boxes) eraseData(offset, length uint64, instead []byte) error {
	size := uint64(b.size) //nolint:gosec // not negative
	if offset >= size || length == 0 {
		return nil
	}
	end := offset + min(length, size-offset)
	gone := span{int64(offset), int64(end)} //nolint:gosec // within the file
	if last := len(b.data) - 1; instead == nil && last >= 0 && b.data[last].literal == nil &&
		b.data[last].end == gone.start {
		b.data[last].end = gone.end
		return nil
	}
	b.data.replace(gone, instead)
	return b.data.full()
}

// content reads the first n bytes of a box; n is a small constant, never a number from the file.
func (b *boxes) content(from box, n int) ([]byte, error) {
	if from.end-from.body < int64(n) {
		return nil, broken(from.start, "a box that is too short")
	}
	b.at = from.body
	return b.read(n)
}
