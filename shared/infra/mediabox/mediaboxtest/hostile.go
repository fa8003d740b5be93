package mediaboxtest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox"
)

// nowhere is an address without a server.
const nowhere = "http://127.0.0.1:9/canary"

// Hostile returns files that are made to break, exhaust or deceive their readers: bombs, polyglots, truncated files,
// and files that refer to other places.
func Hostile(t testing.TB) []File {
	t.Helper()
	return HostileTo(t, nowhere)
}

// HostileTo returns the files of Hostile, but those that refer to other places refer to the test's address, which must
// receive no request.
func HostileTo(t testing.TB, address string) []File {
	t.Helper()
	files := slices.Concat(hostilePNG(t), hostileJPEG(t), hostileGIF(t), hostileWebP(t), hostileHEIC(t), hostileVideos(t),
		hostileWebM(t), leading(t, address), hostilePDF(t, address), disguised(t, address))
	names := map[string]bool{}
	for _, file := range files {
		require.False(t, names[file.Name], "%s occurs twice", file.Name)
		names[file.Name] = true
	}
	return files
}

// group collects files of one content type.
type group struct {
	contentType string
	files       []File
}

func (g *group) add(name string, class mediabox.Class, data ...[]byte) {
	g.files = append(g.files, File{Name: name, ContentType: g.contentType, Data: slices.Concat(data...), Class: class})
}

// or adds a class that the last file has with another version of a program.
func (g *group) or(other mediabox.Class) {
	last := &g.files[len(g.files)-1]
	last.Other = append(last.Other, other)
}

// Short names of the classes, for the tables. A file with an empty class must render.
const (
	renders     mediabox.Class = ""
	unsupported                = mediabox.Unsupported
	tooLarge                   = mediabox.TooLarge
	broken                     = mediabox.Broken
	timedOut                   = mediabox.TimedOut
)

// patched returns a copy of a file with data written at a distance from the first occurrence of mark.
func patched(t testing.TB, file []byte, mark string, distance int, data ...byte) []byte {
	t.Helper()
	at := bytes.Index(file, []byte(mark))
	require.NotEqual(t, -1, at, mark)
	file = bytes.Clone(file)
	copy(file[at+distance:], data)
	return file
}

// number returns a big-endian number of four bytes.
func number(value uint32) []byte { return binary.BigEndian.AppendUint32(nil, value) }
