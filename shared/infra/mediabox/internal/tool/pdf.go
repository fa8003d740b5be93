package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"fencepost.internal/shared/infra/mediabox/internal/format"
)

// Document describes a PDF.
type Document struct {
	Width, Height int // of the first page, upright, in points
	Pages         int
}

// ProbePDF uses Poppler to read the number of pages and the size of the first page. Scripts, forms and links are not
// followed.
func (r Runner) ProbePDF(ctx context.Context) (Document, error) {
	printed, err := r.run(ctx, r.Paths.PDFInfo, "-f", "1", "-l", "1", input)
	if err != nil {
		return Document{}, r.locked(err)
	}
	return readDocument(printed)
}

// locked distinguishes a document that requires a password from a broken one, by the document itself: Poppler's message
// may change. A document with a password for changes alone opens without one.
func (r Runner) locked(err error) error {
	if failure, ok := errors.AsType[*format.Failure](err); ok && failure.Class == format.Broken && encrypted(r.File) {
		return format.Fail(format.Locked, "the document requires a password")
	}
	return err
}

// encrypted reports whether a PDF has an encryption dictionary. The key that refers to it is never compressed (ISO
// 32000-1, 7.5.8.2).
func encrypted(file io.ReaderAt) bool {
	const block = 64 << 10
	key := []byte("/Encrypt")
	data, kept := make([]byte, block+len(key)), 0
	for at := int64(0); ; {
		n, err := file.ReadAt(data[kept:], at)
		if bytes.Contains(data[:kept+n], key) {
			return true
		}
		if err != nil {
			return false
		}
		at += int64(n)
		kept = copy(data, data[kept+n-len(key):kept+n])
	}
}

func readDocument(printed []byte) (Document, error) {
	size := regexp.MustCompile(`^Page\s+1 size:\s+([0-9.e+-]+) x ([0-9.e+-]+) pts`)
	var document Document
	var rotation int
	for lines := bufio.NewScanner(bytes.NewReader(printed)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimSpace(value)
		switch match := size.FindStringSubmatch(lines.Text()); {
		case match != nil:
			document.Width, document.Height = points(match[1]), points(match[2])
		case name == "Pages":
			document.Pages, _ = strconv.Atoi(value)
		case strings.HasPrefix(name, "Page ") && strings.HasSuffix(name, " rot"):
			rotation, _ = strconv.Atoi(value)
		}
	}
	if document.Pages < 1 || document.Width < 1 || document.Height < 1 {
		return Document{}, format.Fail(format.Broken, "a document without pages")
	}
	if rotation%180 != 0 {
		document.Width, document.Height = document.Height, document.Width
	}
	return document, nil
}

// points parses a length; an invalid length is 0.
func points(text string) int {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value > 0 && value < math.MaxInt32) {
		return 0
	}
	return max(1, int(math.Round(value)))
}

// Page renders the first page of a PDF as a PNG file with side pixels on the longer side, whatever the page size.
func (r Runner) Page(ctx context.Context, side int) ([]byte, error) {
	page, err := r.run(ctx, r.Paths.PDFToPPM, "-f", "1", "-l", "1", "-singlefile", "-scale-to", strconv.Itoa(side), "-png",
		input)
	if err != nil {
		return nil, r.locked(err)
	}
	if len(page) == 0 {
		return nil, format.Fail(format.Broken, "a document whose first page cannot be rendered")
	}
	return page, nil
}
