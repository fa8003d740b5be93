// Package mediaboxtest provides files for tests of everything that handles media: a valid file of every supported type,
// files with metadata that must not be published, and hostile files. All are safe to store: most are a few kilobytes,
// and none is a megabyte.
package mediaboxtest

import (
	"embed"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/kernel/officetest"
)

//go:embed testdata
var testdata embed.FS

// Words in a file's metadata that must not be published.
const (
	Place = "+47.3769" // the location in videos
)

// File is a file as a user might upload it.
type File struct {
	Name string
	// ContentType is the content type claimed by the uploader.
	ContentType string
	Data        []byte
	// Class is the class of the Failure when rendering the file; empty if it renders.
	Class mediabox.Class
	// Other are the classes with other versions of the programs that open the file, where the difference does not matter.
	Other []mediabox.Class
}

// Good returns valid files, at least one of every supported type. It includes the files of Talkative.
func Good(t testing.TB) []File {
	t.Helper()
	fixture := func(name, contentType string) File {
		return File{Name: name, ContentType: contentType, Data: Fixture(t, name)}
	}
	return append(Talkative(t),
		File{Name: "scene.jpg", ContentType: media.ContentTypeJPEG, Data: JPEG(t, Scene(400, 300))},
		File{Name: "scene.png", ContentType: media.ContentTypePNG, Data: PNG(t, Scene(64, 48))},
		File{Name: "scene.gif", ContentType: media.ContentTypeGIF, Data: GIF(t, 64, 48, 3)},
		File{Name: "page.pdf", ContentType: media.ContentTypePDF, Data: PDF(595, 842, "")},
		fixture("still.webp", media.ContentTypeWebP), fixture("clear.webp", media.ContentTypeWebP),
		fixture("moving.webp", media.ContentTypeWebP), fixture("still.heic", media.ContentTypeHEIC),
		fixture("several.heic", media.ContentTypeHEIC), fixture("still.avif", media.ContentTypeAVIF),
		fixture("video.mp4", media.ContentTypeMP4),
		fixture("wide.mp4", media.ContentTypeMP4), fixture("turned.mov", media.ContentTypeMOV),
		fixture("short.webm", media.ContentTypeWebM), fixture("live.webm", media.ContentTypeWebM))
}

// Talkative returns valid files with Canary and, in videos, Place in their metadata: among others, a JPEG file on its
// side with the location in EXIF, and an MP4 file with the location in its user data and in subtitles.
func Talkative(t testing.TB) []File {
	t.Helper()
	exif := append([]byte("Exif\x00\x00"), EXIF(6)...)
	picture := InsertJPEG(JPEG(t, Scene(400, 300)), Segment(0xE1, exif),
		Segment(0xE1, []byte("http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta>"+Canary)),
		Segment(0xFE, []byte(Canary)))
	drawing := InsertPNG(PNG(t, Scene(64, 48)),
		Chunk("tEXt", []byte("Author\x00"+Canary)), Chunk("eXIf", EXIF(1)))
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

// Fixture returns a file of the folder testdata. Its make.sh documents how each file was made.
func Fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := testdata.ReadFile(path.Join("testdata", name))
	require.NoError(t, err)
	return data
}

// Office returns a small document of each type of Office, by content type.
func Office(t testing.TB) map[string][]byte {
	t.Helper()
	return map[string][]byte{
		media.ContentTypeDOC:  officetest.Document("", "1Table", "WordDocument"),
		media.ContentTypeDOCX: officetest.Archive(t, "[Content_Types].xml", "_rels/.rels", "word/document.xml"),
		media.ContentTypePPT:  officetest.Document("", "Current User", "PowerPoint Document"),
		media.ContentTypePPTX: officetest.Archive(t, "[Content_Types].xml", "_rels/.rels", "ppt/presentation.xml"),
	}
}
