// Package mediaboxtest has files for tests of everything that takes media: a good one of every supported type, ones that
// tell more than they should, and hostile ones. Nothing here is harmful to keep: most files are a few kilobytes, and none
// is a megabyte.
package mediaboxtest

import (
	"embed"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/infra/mediabox"
	"socialpub.internal/shared/infra/mediabox/internal/corpustest"
)

//go:embed testdata
var testdata embed.FS

// The words that stand in a file's metadata and must not be published.
const (
	Canary = corpustest.Canary // in titles, names of cameras, comments, and the EXIF entry of the place
	Place  = "+47.3769"        // the place as films have it
)

// File is a file as somebody might upload it.
type File struct {
	Name string
	// ContentType is what the uploader claims.
	ContentType string
	Data        []byte
	// Class is how mediabox fails to make a thumbnail; empty when there is one.
	Class mediabox.Class
}

// Good are valid files, at least one of every supported type. The files Talkative names tell more than their pictures.
func Good(t testing.TB) []File {
	t.Helper()
	fixture := func(name, contentType string) File {
		return File{Name: name, ContentType: contentType, Data: Fixture(t, name)}
	}
	return append(Talkative(t),
		File{Name: "scene.jpg", ContentType: media.ContentTypeJPEG, Data: corpustest.JPEG(t, corpustest.Scene(400, 300))},
		File{Name: "scene.png", ContentType: media.ContentTypePNG, Data: corpustest.PNG(t, corpustest.Scene(64, 48))},
		File{Name: "scene.gif", ContentType: media.ContentTypeGIF, Data: corpustest.GIF(t, 64, 48, 3)},
		File{Name: "page.pdf", ContentType: media.ContentTypePDF, Data: corpustest.PDF(595, 842, "")},
		fixture("still.webp", media.ContentTypeWebP), fixture("clear.webp", media.ContentTypeWebP),
		fixture("moving.webp", media.ContentTypeWebP), fixture("still.heic", media.ContentTypeHEIC),
		fixture("several.heic", media.ContentTypeHEIC), fixture("film.mp4", media.ContentTypeMP4),
		fixture("wide.mp4", media.ContentTypeMP4), fixture("turned.mov", media.ContentTypeMOV),
		fixture("short.webm", media.ContentTypeWebM), fixture("live.webm", media.ContentTypeWebM))
}

// Talkative are valid files with Canary and, in films, Place among their metadata: a JPEG file with the place in EXIF, lying
// on its side, an MP4 file with the place among its user data and in subtitles, and others.
func Talkative(t testing.TB) []File {
	t.Helper()
	exif := append([]byte("Exif\x00\x00"), corpustest.EXIF(6)...)
	picture := corpustest.InsertJPEG(corpustest.JPEG(t, corpustest.Scene(400, 300)), corpustest.Segment(0xE1, exif),
		corpustest.Segment(0xE1, []byte("http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta>"+Canary)), corpustest.Segment(0xFE, []byte(Canary)))
	drawing := corpustest.InsertPNG(corpustest.PNG(t, corpustest.Scene(64, 48)),
		corpustest.Chunk("tEXt", []byte("Author\x00"+Canary)), corpustest.Chunk("eXIf", corpustest.EXIF(1)))
	files := []File{
		{Name: "place.jpg", ContentType: media.ContentTypeJPEG, Data: append(picture, Canary...)},
		{Name: "place.png", ContentType: media.ContentTypePNG, Data: drawing},
	}
	for name, contentType := range map[string]string{
		"talkative.heic": media.ContentTypeHEIC, "talkative.mp4": media.ContentTypeMP4, "fragments.mp4": media.ContentTypeMP4,
		"talkative.mov": media.ContentTypeMOV, "talkative.webm": media.ContentTypeWebM,
	} {
		files = append(files, File{Name: name, ContentType: contentType, Data: Fixture(t, name)})
	}
	return files
}

// Fixture is a file of the folder testdata, whose make.sh says how each was made.
func Fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := testdata.ReadFile(path.Join("testdata", name))
	require.NoError(t, err)
	return data
}
