package tool

import (
	"bufio"
	"bytes"
	"context"
	"math"
	"regexp"
	"strconv"
	"strings"

	"socialpub.internal/shared/infra/mediabox/internal/fault"
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
		return Document{}, locked(err)
	}
	return readDocument(printed)
}

// locked distinguishes password-protected files from broken ones, which Poppler reports only in its message.
func locked(err error) error {
	if strings.Contains(err.Error(), "Incorrect password") {
		return fault.New(fault.Unsupported, "the document requires a password")
	}
	return err
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
		return Document{}, fault.New(fault.Broken, "a document without pages")
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
		return nil, locked(err)
	}
	if len(page) == 0 {
		return nil, fault.New(fault.Broken, "a document whose first page cannot be rendered")
	}
	return page, nil
}
