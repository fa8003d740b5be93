package metadata

import (
	"encoding/binary"
)

// stills keeps the pictures of a HEIC file (ISO/IEC 23008-12), which the meta box describes, and removes their EXIF and
// XMP items, which are stored with the media data.
func (b *boxes) stills(meta box) error {
	const flags = 4
	if _, err := b.content(meta, flags); err != nil {
		return err
	}
	var tables itemTables
	inner := meta
	inner.body += flags
	err := b.each(inner, func(child box) error {
		switch child.kind {
		case "hdlr":
			return b.handler(child, new(string))
		case "dinf":
			return b.children(child)
		case "iinf":
			tables.infos = child
		case "iloc":
			tables.places = child
		case "idat":
			tables.data = child
		case "pitm", "iprp", "iref", "ipro", "grpl":
		default:
			return b.erase(child)
		}
		return nil
	})
	if err != nil || tables.infos.kind == "" {
		return err
	}
	gone, err := b.otherItems(tables.infos)
	if err != nil || len(gone) == 0 {
		return err
	}
	if tables.places.kind == "" {
		return broken(meta.start, "items without a location")
	}
	return b.eraseItems(tables, gone)
}

// itemTables are the boxes that describe items.
type itemTables struct{ infos, places, data box }

// otherItems returns the numbers and types of the items that are not pictures. It counts the pictures and removes their
// names.
func (b *boxes) otherItems(infos box) (map[uint32]string, error) {
	const flags, short, long, most = 4, 2, 4, 1 << 12
	head, err := b.content(infos, flags)
	if err != nil {
		return nil, err
	}
	inner := infos
	inner.body += flags + short
	if head[0] != 0 {
		inner.body += long - short
	}
	gone := map[uint32]string{}
	err = b.each(inner, func(child box) error {
		if child.kind != "infe" {
			return b.erase(child)
		}
		number, kind, name, err := b.itemInfo(child)
		if err != nil {
			return err
		}
		switch kind {
		case "hvc1", "hev1", "lhv1", "avc1", "av01", "vvc1", "jpeg", "j2k1", "unci", // coded
			"grid", "iovl", "iden", "tmap": // composed of others
			b.pictures++
			b.zero(name, child.end)
			return b.full()
		}
		if len(gone) >= most {
			return crowded()
		}
		gone[number] = kind
		if kind == "Exif" { // for other types, the content type follows the name
			b.zero(name, child.end)
		}
		return b.full()
	})
	return gone, err
}

// itemInfo returns the number and type of an item (ISO/IEC 14496-12, 8.11.6) and the position of its name.
func (b *boxes) itemInfo(infe box) (number uint32, kind string, name int64, err error) {
	const flags, shortest, longest, kindLength = 4, 12, 14, 4
	head, err := b.content(infe, shortest)
	if err != nil {
		return 0, "", 0, err
	}
	switch version := head[0]; version {
	case 2:
		return uint32(binary.BigEndian.Uint16(head[flags:])), string(head[shortest-kindLength:]), infe.body + shortest, nil
	case 3:
		if head, err = b.content(infe, longest); err != nil {
			return 0, "", 0, err
		}
		return binary.BigEndian.Uint32(head[flags:]), string(head[longest-kindLength:]), infe.body + longest, nil
	default: // from before items had types
		return uint32(binary.BigEndian.Uint16(head[flags:])), "", infe.end, nil
	}
}

// Locations of an item's data (ISO/IEC 14496-12, 8.11.3).
const (
	inFile = iota
	inItemData
)

// eraseItems overwrites items at all of their locations.
func (b *boxes) eraseItems(tables itemTables, gone map[uint32]string) error {
	const head, half = 6, 4
	content, err := b.content(tables.places, head)
	if err != nil {
		return err
	}
	version, row := content[0], b.fields(tables.places, head)
	layout := itemLayout{
		number: 2, offset: int(content[4] >> half), length: int(content[4] & 0xF), base: int(content[5] >> half),
	}
	if version > 0 {
		layout.method, layout.index = 2, int(content[5]&0xF)
	}
	if version > 1 {
		layout.number = 4
	}
	count, err := row.next(layout.number)
	if err != nil {
		return err
	}
	for range count {
		if err := b.itemPlace(row, layout, tables, gone); err != nil {
			return err
		}
	}
	return nil
}

// itemLayout holds the widths of the numbers in the location table, in bytes.
type itemLayout struct{ number, method, base, index, offset, length int }

// itemPlace reads the location of the next item and overwrites the item if it is to be removed.
func (b *boxes) itemPlace(row fields, layout itemLayout, tables itemTables, gone map[uint32]string) error {
	const short, methods = 2, 0xF
	var number, method, base, extents uint64
	var reference uint64
	for _, field := range []struct {
		value *uint64
		width int
	}{{&number, layout.number}, {&method, layout.method}, {&reference, short}, {&base, layout.base}, {&extents, short}} {
		var err error
		if *field.value, err = row.next(field.width); err != nil {
			return err
		}
	}
	kind, goes := gone[uint32(number)]
	for i := range extents {
		var values [3]uint64
		for j, width := range []int{layout.index, layout.offset, layout.length} {
			var err error
			if values[j], err = row.next(width); err != nil {
				return err
			}
		}
		if !goes {
			continue
		}
		offset, length := base+values[1], values[2]
		if length == 0 {
			return broken(tables.places.start, "an item that is the whole file")
		}
		var instead []byte
		if kind == "Exif" && i == 0 {
			instead = emptyEXIF()
		}
		if err := b.eraseItem(tables, int(method&methods), offset, length, instead); err != nil {
			return err
		}
	}
	return nil
}

// eraseItem overwrites a part of an item.
func (b *boxes) eraseItem(tables itemTables, method int, offset, length uint64, instead []byte) error {
	switch method {
	case inFile:
		return b.eraseData(offset, length, instead)
	case inItemData:
		size := uint64(tables.data.end - tables.data.body) //nolint:gosec // not negative
		if offset > size || length > size-offset {
			return broken(tables.places.start, "an item outside the item data")
		}
		b.replace(span{tables.data.body + int64(offset), tables.data.body + int64(offset+length)}, instead) //nolint:gosec // within a box
		return b.full()
	default:
		return broken(tables.places.start, "an item inside another")
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
