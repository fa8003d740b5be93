package format

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// still is a HEIC or AVIF file (ISO/IEC 23008-12). Its parts stay in place.
type still struct {
	boxes
	edits

	pictures int   // items that are pictures
	data     []box // parts with the data of items
	kept     edits // ranges of the data that are needed
	reach    int64 // the end of the item that ends last in the file
}

// scanStill copies the pictures of a file, which its meta box describes, and overwrites everything else: EXIF and XMP,
// movies, the private boxes of camera makers, and all data that belong to no picture. Bytes after the last box are cut.
func scanStill(clean *Clean, file *walker) error {
	s := &still{boxes: boxes{walker: file}}
	size, err := s.topLevel(s.part, func() bool { return s.pictures > 0 })
	if err != nil {
		return err
	}
	if s.pictures == 0 {
		return broken(0, "no image")
	}
	if s.reach > size {
		return broken(size, "an item outside the data")
	}
	s.zeroGaps()
	s.apply(clean, size)
	return s.full()
}

func (s *still) part(top box) error {
	switch top.kind {
	case "ftyp":
		return nil
	case "meta":
		return s.meta(top)
	case "mdat", "imda":
		s.data = append(s.data, top)
		return s.count()
	default:
		return s.erase(top)
	}
}

// erase turns a box into free space without content.
func (s *still) erase(gone box) error {
	const kindAt = 4
	s.write(gone.start+kindAt, []byte("free"))
	s.zero(gone.body, gone.end)
	return s.full()
}

// itemTables are the boxes that describe items.
type itemTables struct{ infos, places, data box }

func (s *still) meta(meta box) error {
	const flags = 4
	if _, err := s.content(meta, flags); err != nil {
		return err
	}
	var tables itemTables
	inner := meta
	inner.body += flags
	padding, err := s.each(inner, func(child box) error {
		switch child.kind {
		case "hdlr":
			return s.handler(child)
		case "dinf":
			return s.dataReferences(child)
		case "iinf":
			tables.infos = child
		case "iloc":
			tables.places = child
		case "idat":
			tables.data = child
			s.data = append(s.data, child)
		case "pitm", "iprp", "iref", "ipro", "grpl":
		default:
			return s.erase(child)
		}
		return nil
	})
	s.zero(padding, meta.end)
	if err != nil || tables.infos.kind == "" {
		return err
	}
	kinds, err := s.items(tables.infos)
	if err != nil {
		return err
	}
	if tables.places.kind == "" {
		return broken(meta.start, "items without a location")
	}
	return s.places(tables, kinds)
}

// handler removes the maker and the name, which often identify the camera.
func (s *still) handler(hdlr box) error {
	const maker, shortest = 12, 24
	_, err := s.content(hdlr, shortest)
	s.zero(hdlr.body+maker, hdlr.end)
	return err
}

// dataReferences refuses images in other files and removes the path on the creator's machine.
func (s *still) dataReferences(dinf box) error {
	const counted, flags = 8, 4
	_, err := s.each(dinf, func(dref box) error {
		if dref.kind != "dref" {
			return s.erase(dref)
		}
		dref.body = min(dref.body+counted, dref.end)
		_, err := s.each(dref, func(entry box) error {
			s.zero(entry.body+flags, entry.end)
			return s.checkReference(entry)
		})
		return err
	})
	return err
}

// Kinds of items whose data are kept or replaced.
const (
	pictureItem = "picture"
	exifItem    = "Exif"
)

// items returns the kinds of the items by number. It counts the pictures and removes their names.
func (s *still) items(infos box) (map[uint32]string, error) {
	const flags, short, long = 4, 2, 4
	head, err := s.content(infos, flags)
	if err != nil {
		return nil, err
	}
	infos.body += flags + short
	if head[0] != 0 {
		infos.body += long - short
	}
	kinds := map[uint32]string{}
	_, err = s.each(infos, func(child box) error {
		if child.kind != "infe" {
			return s.erase(child)
		}
		number, kind, name, err := s.itemInfo(child)
		if err != nil {
			return err
		}
		switch kind {
		case "hvc1", "hev1", "lhv1", "avc1", "av01", "vvc1", "jpeg", "j2k1", "unci", // coded
			"grid", "iovl", "iden", "tmap": // composed of others
			s.pictures++
			kinds[number] = pictureItem
			s.zero(name, child.end)
		case exifItem:
			kinds[number] = exifItem
			s.zero(name, child.end)
		default: // for other types, the content type follows the name
		}
		return s.full()
	})
	return kinds, err
}

// itemInfo returns the number and type of an item (ISO/IEC 14496-12, 8.11.6) and the position of its name.
func (s *still) itemInfo(infe box) (number uint32, kind string, name int64, err error) {
	const flags, shortest, longest, kindLength = 4, 12, 14, 4
	head, err := s.content(infe, shortest)
	if err != nil {
		return 0, "", 0, err
	}
	switch version := head[0]; version {
	case 2:
		return uint32(binary.BigEndian.Uint16(head[flags:])), string(head[shortest-kindLength:]), infe.body + shortest, nil
	case 3:
		if head, err = s.content(infe, longest); err != nil {
			return 0, "", 0, err
		}
		return binary.BigEndian.Uint32(head[flags:]), string(head[longest-kindLength:]), infe.body + longest, nil
	default: // from before items had types
		return uint32(binary.BigEndian.Uint16(head[flags:])), "", infe.end, nil
	}
}

// places reads the location of each item (ISO/IEC 14496-12, 8.11.3).
func (s *still) places(tables itemTables, kinds map[uint32]string) error {
	const head, half = 6, 4
	content, err := s.content(tables.places, head)
	if err != nil {
		return err
	}
	row := &walker{source: s.source, size: tables.places.end, at: tables.places.body + head}
	layout := itemLayout{
		number: 2, offset: int(content[4] >> half), length: int(content[4] & 0xF), base: int(content[5] >> half),
	}
	version := content[0]
	if version > 0 {
		layout.method, layout.index = 2, int(content[5]&0xF)
	}
	if version > 1 {
		layout.number = 4
	}
	count, err := row.numbers(layout.number)
	if err != nil {
		return err
	}
	for range count[0] {
		if err := s.place(row, layout, tables, kinds); err != nil {
			return err
		}
	}
	return nil
}

// Methods of locating an item's data.
const (
	inFile = iota
	inItemData
)

// itemLayout holds the widths of the numbers in the location table, in bytes.
type itemLayout struct{ number, method, base, index, offset, length int }

// place reads the location of the next item, and keeps the data of a picture.
func (s *still) place(row *walker, layout itemLayout, tables itemTables, kinds map[uint32]string) error {
	const short, methods = 2, 0xF
	item, err := row.numbers(layout.number, layout.method, short, layout.base, short)
	if err != nil {
		return err
	}
	number, method, base, extents := item[0], item[1]&methods, item[3], item[4]
	for i := range extents {
		extent, err := row.numbers(layout.index, layout.offset, layout.length)
		if err != nil {
			return err
		}
		switch kind := kinds[uint32(number)]; { //nolint:gosec // at most four bytes
		case layout.length == 0:
			return broken(tables.places.start, "an item that is the whole file")
		case method > inItemData:
			return broken(tables.places.start, "an item inside another")
		case kind == pictureItem, kind == exifItem && i == 0:
			if err := s.keep(tables, method, base+extent[1], extent[2], kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep records that a range contains data of a picture, or where EXIF data are replaced.
func (s *still) keep(tables itemTables, method, offset, length uint64, kind string) error {
	begin, end := uint64(0), uint64(s.size) //nolint:gosec // not negative
	if method == inItemData {
		begin, end = uint64(tables.data.body), uint64(tables.data.end) //nolint:gosec // not negative
	}
	if offset > end-begin || length > end-begin-offset {
		return broken(tables.places.start, "an item outside the data")
	}
	needed := edit{span: span{int64(begin + offset), int64(begin + offset + length)}} //nolint:gosec // within the file
	s.reach = max(s.reach, needed.end)
	if kind == exifItem {
		needed.literal = emptyEXIF()
		if length < uint64(len(needed.literal)) {
			return nil
		}
		needed.end = needed.start + int64(len(needed.literal))
	}
	s.kept = append(s.kept, needed)
	return s.kept.full()
}

// zeroGaps overwrites the data that no picture needs.
func (s *still) zeroGaps() {
	slices.SortFunc(s.kept, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	next := 0
	for _, part := range s.data {
		at := part.body
		for ; next < len(s.kept) && s.kept[next].start < part.end; next++ {
			needed := s.kept[next]
			s.zero(at, needed.start)
			if needed.literal != nil && at <= needed.start && needed.end <= part.end {
				s.write(needed.start, needed.literal)
			}
			at = max(at, needed.end)
		}
		s.zero(at, part.end)
	}
}

// emptyEXIF returns an EXIF item without entries, so that readers report no error for it.
func emptyEXIF() []byte {
	return []byte{
		0, 0, 0, 0, // the header follows immediately
		'M', 'M', 0, '*', 0, 0, 0, 8, // most significant byte first; the first directory follows
		0, 0, // no entries
		0, 0, 0, 0, // no other directory
	}
}
