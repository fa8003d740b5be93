// Package officetest makes small files of Microsoft Office, for tests.
package officetest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"unicode/utf16"
)

// Archive returns a ZIP archive with files of these names.
func Archive(t testing.TB, names ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for _, name := range names {
		part, err := w.Create(name)
		if err == nil {
			_, err = part.Write(bytes.Repeat([]byte("<xml/>"), 500))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// None is the number of no entry.
const None = 0xFFFFFFFF

// Entry is an entry of a compound file's directory, with the numbers of its relatives.
type Entry struct {
	Name               string
	Left, Right, Child uint32
}

// Document returns a compound file with these streams at its top and one in a folder.
func Document(inFolder string, names ...string) []byte {
	entries := []Entry{{"Root Entry", None, None, 1}}
	for i, name := range names {
		right := uint32(i + 2)
		if i == len(names)-1 {
			right = None
		}
		entries = append(entries, Entry{name, None, right, None})
	}
	last := len(entries)
	entries[1].Child = uint32(last) //nolint:gosec // of test size
	return Compound(append(entries, Entry{inFolder, None, None, None})...)
}

// Compound returns a compound file with these entries (MS-CFB). Its first sector is its allocation table, the following
// ones are its directory.
func Compound(entries ...Entry) []byte {
	const sector, entryLength = 512, 128
	head := make([]byte, sector)
	copy(head, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	binary.LittleEndian.PutUint16(head[30:], 9)
	binary.LittleEndian.PutUint32(head[48:], 1)
	binary.LittleEndian.PutUint32(head[68:], None)
	var directory []byte
	for _, e := range entries {
		entry := make([]byte, entryLength)
		units := utf16.Encode([]rune(e.Name + "\x00"))
		for i, unit := range units {
			binary.LittleEndian.PutUint16(entry[2*i:], unit)
		}
		binary.LittleEndian.PutUint16(entry[64:], uint16(2*len(units))) //nolint:gosec // of test size
		for i, number := range []uint32{e.Left, e.Right, e.Child} {
			binary.LittleEndian.PutUint32(entry[68+4*i:], number)
		}
		directory = append(directory, entry...)
	}
	directory = append(directory, make([]byte, (sector-len(directory)%sector)%sector)...)
	table := bytes.Repeat([]byte{0xFF}, sector)
	sectors := len(directory) / sector
	for i := 1; i < sectors; i++ {
		binary.LittleEndian.PutUint32(table[4*i:], uint32(i+1))
	}
	binary.LittleEndian.PutUint32(table[4*sectors:], None-1) // end of the chain
	return slices.Concat(head, table, directory)
}
