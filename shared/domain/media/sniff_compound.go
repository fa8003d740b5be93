package media

import (
	"encoding/binary"
	"io"
	"unicode/utf16"
)

// compoundFile is a file that contains streams in chains of sectors (MS-CFB).
type compoundFile struct {
	file   io.ReaderAt
	head   []byte
	sector int64 // bytes
}

// endOfChain and all greater numbers are not sectors.
const endOfChain = 0xFFFFFFFA

// compound returns the type of a document whose parts are the streams of a compound file, "" for any other.
func compound(file io.ReaderAt, head []byte) (string, error) {
	const header, shortShift, longShift = 512, 9, 12
	if len(head) < header {
		return "", nil
	}
	shift := binary.LittleEndian.Uint16(head[30:])
	if shift != shortShift && shift != longShift {
		return "", nil
	}
	c := compoundFile{file: file, head: head, sector: 1 << shift}
	entries, err := c.directory()
	if err != nil {
		return "", ignoreEnd(err)
	}
	found := ""
	for _, name := range topNames(entries) {
		switch name {
		case "WordDocument":
			found = ContentTypeDOC
		case "PowerPoint Document":
			found = ContentTypePPT
		case "Macros":
			return "", nil
		}
	}
	return found, nil
}

// directory reads the entries that name all streams; none if there are too many.
func (c compoundFile) directory() ([]byte, error) {
	const mostSectors = 1 << 10
	var entries []byte
	at := binary.LittleEndian.Uint32(c.head[48:])
	for range mostSectors {
		if at >= endOfChain {
			return entries, nil
		}
		sector, err := c.read(at)
		if err != nil {
			return nil, err
		}
		entries = append(entries, sector...)
		if at, err = c.next(at); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// topNames returns the names of the streams and folders that are in no folder: the tree below the first entry. An
// embedded document is in a folder.
func topNames(entries []byte) []string {
	const leftAt, rightAt, childAt = 68, 72, 76
	if len(entries) < directoryEntry {
		return nil
	}
	var names []string
	remaining := []uint32{binary.LittleEndian.Uint32(entries[childAt:])}
	for range 2*len(entries)/directoryEntry + 1 {
		if len(remaining) == 0 {
			break
		}
		at := remaining[len(remaining)-1]
		remaining = remaining[:len(remaining)-1]
		if uint64(at) >= uint64(len(entries)/directoryEntry) {
			continue
		}
		entry := entries[at*directoryEntry:]
		names = append(names, streamName(entry))
		remaining = append(remaining, binary.LittleEndian.Uint32(entry[leftAt:]), binary.LittleEndian.Uint32(entry[rightAt:]))
	}
	return names
}

// directoryEntry is the length of an entry that names a stream.
const directoryEntry = 128

func streamName(entry []byte) string {
	const longest, lengthAt = 64, 64
	length := int(binary.LittleEndian.Uint16(entry[lengthAt:]))
	if length < 2 || length > longest {
		return ""
	}
	units := make([]uint16, length/2-1) // without the zero at the end
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(entry[2*i:])
	}
	return string(utf16.Decode(units))
}

// read reads a sector.
func (c compoundFile) read(number uint32) ([]byte, error) {
	data := make([]byte, c.sector)
	n, err := c.file.ReadAt(data, (int64(number)+1)*c.sector)
	if n == len(data) {
		err = nil
	}
	return data, err
}

// next returns the sector after another one in its chain. The sectors of the allocation table are listed in the header,
// and then in a chain of their own.
func (c compoundFile) next(number uint32) (uint32, error) {
	const listAt, inHeader, word, mostLists = 76, 109, 4, 1 << 10
	perSector := uint32(c.sector / word) //nolint:gosec // 128 or 1,024
	index := number / perSector
	list := c.head[listAt:][:inHeader*word]
	if index >= inHeader {
		index -= inHeader
		at := binary.LittleEndian.Uint32(c.head[68:])
		for range mostLists {
			if at >= endOfChain {
				return 0, io.EOF
			}
			var err error
			if list, err = c.read(at); err != nil {
				return 0, err
			}
			if index < perSector-1 {
				break
			}
			index -= perSector - 1
			at = binary.LittleEndian.Uint32(list[c.sector-word:])
		}
		if index >= perSector-1 {
			return 0, io.EOF
		}
	}
	table, err := c.read(binary.LittleEndian.Uint32(list[index*word:]))
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(table[number%perSector*word:]), nil
}
