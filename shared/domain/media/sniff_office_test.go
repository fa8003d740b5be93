package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/officetest"
)

func sniffFile(t testing.TB, file []byte) (contentType string, ok bool) {
	t.Helper()
	kind, contentType, ok, err := media.SniffFile(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	wanted, known := media.TypeOf(contentType)
	require.Equal(t, known, ok)
	require.Equal(t, wanted, kind)
	return contentType, ok
}

func TestSniffFileRecognizesOfficeDocuments(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file        []byte
		contentType string
	}{
		"DOCX":                 {officetest.Archive(t, "[Content_Types].xml", "_rels/.rels", "word/document.xml"), media.ContentTypeDOCX},
		"DOCX of another name": {officetest.Archive(t, "_rels/.rels", "word/document2.xml", "[Content_Types].xml"), media.ContentTypeDOCX},
		"PPTX":                 {officetest.Archive(t, "[Content_Types].xml", "ppt/presentation.xml"), media.ContentTypePPTX},
		"DOC":                  {officetest.Document("", "1Table", "Data", "ObjectPool", "WordDocument", "Extra"), media.ContentTypeDOC},
		"DOC with a sheet":     {officetest.Document("Workbook", "1Table", "WordDocument"), media.ContentTypeDOC},
		"PPT":                  {officetest.Document("", "Current User", "PowerPoint Document"), media.ContentTypePPT},
		"PNG":                  {pngFile(t), media.ContentTypePNG},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contentType, ok := sniffFile(t, test.file)
			require.True(t, ok)
			require.Equal(t, test.contentType, contentType)
			_, _, ok = media.Sniff(test.file[:min(len(test.file), media.HeadSize)])
			require.Equal(t, test.contentType == media.ContentTypePNG, ok, "by the first bytes alone")
		})
	}
}

func TestSniffFileRefuses(t *testing.T) {
	t.Parallel()
	doc := officetest.Document("", "1Table", "WordDocument")
	docx := officetest.Archive(t, "[Content_Types].xml", "word/document.xml")
	endless := bytes.Clone(doc)
	binary.LittleEndian.PutUint32(endless[512+4:], 1) // the directory's chain leads back
	circle := officetest.Compound(officetest.Entry{Name: "Root Entry", Child: 1}, officetest.Entry{Name: "Data", Left: 1, Right: 1})
	for name, file := range map[string][]byte{
		"nothing":                  nil,
		"archive":                  officetest.Archive(t, "note.txt"),
		"sheet":                    officetest.Archive(t, "[Content_Types].xml", "xl/workbook.xml"),
		"folder called word":       officetest.Archive(t, "word/document.xml"),
		"document with macros":     officetest.Archive(t, "[Content_Types].xml", "word/document.xml", "word/vbaProject.bin"),
		"cut archive":              docx[:len(docx)/2],
		"archive of one byte less": docx[:len(docx)-1],
		"old sheet":                officetest.Document("", "Workbook"),
		"sheet with a document":    officetest.Document("WordDocument", "Workbook"),
		"old document with macros": officetest.Document("", "Macros", "WordDocument"),
		"locked document":          officetest.Document("", "EncryptedPackage", "EncryptionInfo"),
		"cut compound file":        doc[:700],
		"head of a compound file":  doc[:20],
		"endless directory":        endless,
		"circle of streams":        circle,
		"script":                   []byte("<script>"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contentType, ok := sniffFile(t, file)
			require.False(t, ok, contentType)
		})
	}
}

// failing is a file that cannot be read.
type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("no disk") }

func TestSniffFileReportsErrorsOfReader(t *testing.T) {
	t.Parallel()
	_, _, ok, err := media.SniffFile(failing{}, 100)
	require.ErrorContains(t, err, "no disk")
	require.False(t, ok)
}
