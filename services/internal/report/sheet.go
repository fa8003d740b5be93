package report

import (
	"bytes"
	"embed"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif"  // logos
	_ "image/jpeg" // logos
	"image/png"
	"strconv"
	"time"

	"codeberg.org/go-pdf/fpdf"
	_ "golang.org/x/image/webp" // logos

	"fencepost.internal/services/internal/chart"
)

// fonts has the typeface of reports, with the letters of Latin, Greek, Cyrillic, Arabic, Hebrew and further scripts.
//
//go:embed fonts/*.ttf
var fonts embed.FS

// The files of the typeface.
const (
	regularFont = "fonts/DejaVuSansCondensed.ttf"
	boldFont    = "fonts/DejaVuSansCondensed-Bold.ttf"
)

// Measures in millimeters, and sizes of letters in points.
const (
	pageWidth  = 210
	pageHeight = 297
	margin     = 16
	gap        = 5
	logoHeight = 14
	logoWidth  = 40

	large  = 17
	medium = 11
	usual  = 9
	small  = 8
)

// Styles of letters.
const (
	plain = ""
	bold  = "B"
)

const family = "report"

// tone is a color.
type tone struct{ r, g, b int }

var (
	ink   = tone{23, 23, 43}
	soft  = tone{90, 90, 114}
	hair  = tone{226, 226, 236}
	brand = tone{67, 56, 202}
	edge  = tone{132, 132, 156}
)

// sheet is a report that is being written. It holds its place on the page.
type sheet struct {
	pdf   *fpdf.Fpdf
	glyph *glyphs
	y     float64
}

func newSheet(title string, at time.Time) (*sheet, error) {
	s := &sheet{pdf: fpdf.New("P", "mm", "A4", ""), glyph: &glyphs{}}
	s.pdf.SetMargins(margin, margin, margin)
	s.pdf.SetAutoPageBreak(false, 0)
	s.pdf.SetCatalogSort(true)
	s.pdf.SetCreationDate(at)
	s.pdf.SetModificationDate(at)
	s.pdf.SetProducer("Fencepost", true)
	for _, face := range []struct{ style, name string }{{plain, regularFont}, {bold, boldFont}} {
		raw, err := fonts.ReadFile(face.name)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		if err := s.glyph.add(raw); err != nil {
			return nil, err
		}
		s.pdf.AddUTF8FontFromBytes(family, face.style, raw)
	}
	s.pdf.SetTitle(s.glyph.safe(title), true)
	s.page()
	if err := s.pdf.Error(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return s, nil
}

// page begins a page, with its number at the foot.
func (s *sheet) page() {
	s.pdf.AddPage()
	s.style(plain, small, soft)
	s.text(pageWidth-margin-4, pageHeight-margin, strconv.Itoa(s.pdf.PageNo()))
	s.y = margin
}

// room begins a page unless this one has room. It reports whether it did.
func (s *sheet) room(height float64) bool {
	if s.y+height <= pageHeight-margin-4 {
		return false
	}
	s.page()
	return true
}

func (s *sheet) style(style string, size float64, of tone) {
	s.pdf.SetFont(family, style, size)
	s.pdf.SetTextColor(of.r, of.g, of.b)
}

// text writes a line whose top is at y. The text is safe.
func (s *sheet) text(x, y float64, text string) {
	const ascent = 0.3 // millimeters for each point
	points, _ := s.pdf.GetFontSize()
	s.pdf.Text(x, y+points*ascent, s.glyph.safe(text))
}

func (s *sheet) title(text string) {
	s.style(bold, medium, ink)
	s.text(margin, s.y, text)
	s.y += 8
}

// lines splits a text into lines of a width, at most as many as given; a longer text ends with an ellipsis.
func (s *sheet) lines(text string, width float64, most int) []string {
	return s.glyph.wrap(text, most, func(line string) bool { return s.pdf.GetStringWidth(line) <= width })
}

// logo draws a picture at the top, and returns its width; zero without a picture that can be read.
func (s *sheet) logo(raw []byte) float64 {
	if len(raw) == 0 {
		return 0
	}
	found, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil || found.Bounds().Empty() {
		return 0
	}
	flat := image.NewRGBA(image.Rect(0, 0, found.Bounds().Dx(), found.Bounds().Dy()))
	draw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), found, found.Bounds().Min, draw.Over)
	var out bytes.Buffer
	if err := png.Encode(&out, flat); err != nil {
		return 0
	}
	options := fpdf.ImageOptions{ImageType: "PNG"}
	s.pdf.RegisterImageOptionsReader("logo", options, &out)
	width := logoHeight * float64(flat.Bounds().Dx()) / float64(flat.Bounds().Dy())
	height := float64(logoHeight)
	if width > logoWidth {
		width, height = logoWidth, logoWidth*height/width
	}
	s.pdf.ImageOptions("logo", margin, margin, width, height, false, options, 0, "")
	return width
}

// column is one of a table.
type column struct {
	name  string
	width float64
	right bool // its cells are numbers
}

// table writes rows below each other.
type table struct {
	sheet   *sheet
	columns []column
}

func (s *sheet) table(columns []column) *table {
	t := &table{s, columns}
	t.head()
	return t
}

func (t *table) head() {
	for i, c := range t.columns {
		t.sheet.style(bold, small, soft)
		t.cell(i, t.sheet.y, c.name)
	}
	t.sheet.y += 5
	t.rule()
}

func (t *table) rule() {
	s := t.sheet
	s.pdf.SetDrawColor(hair.r, hair.g, hair.b)
	s.pdf.SetLineWidth(0.2) //nolint:mnd // millimeters
	s.pdf.Line(margin, s.y, pageWidth-margin, s.y)
	s.y += 1.5
}

// cell writes a line of a cell.
func (t *table) cell(i int, y float64, text string) {
	x := float64(margin)
	for _, c := range t.columns[:i] {
		x += c.width
	}
	if t.columns[i].right {
		x += t.columns[i].width - t.sheet.pdf.GetStringWidth(t.sheet.glyph.safe(text))
	}
	t.sheet.text(x, y, text)
}

// row writes a row. A text of a column may have two lines; the heading is repeated on each page.
func (t *table) row(cells ...string) {
	const lineHeight, most, pad = 4.2, 2, 3
	s, height := t.sheet, 1
	s.style(plain, usual, ink)
	split := make([][]string, len(cells))
	for i, cell := range cells {
		split[i] = s.lines(cell, t.columns[i].width-pad, most)
		height = max(height, len(split[i]))
	}
	if s.room(float64(height)*lineHeight + 4) {
		t.head()
	}
	for i, lines := range split {
		for n, line := range lines {
			s.style(plain, usual, ink)
			t.cell(i, s.y+float64(n)*lineHeight, line)
		}
	}
	s.y += float64(height)*lineHeight + 1.5
	t.rule()
}

// box is a part of a page.
type box struct{ x, y, w, h float64 }

// chart draws a chart with its title, and the first and the last day below.
func (s *sheet) chart(c chart.Chart, in box, first, last string) {
	s.style(bold, usual, ink)
	s.text(in.x, in.y, c.Title)
	top := in.y + 6
	s.style(plain, small, soft)
	if c.None() {
		s.text(in.x, top+4, "No figures.")
		return
	}
	texts := c.AxisTexts()
	s.text(in.x, top-1.5, texts[0])
	s.text(in.x, top+in.h-3, texts[len(texts)-1])
	const axis = 18
	plot := box{in.x + axis, top, in.w - axis, in.h}
	s.pdf.SetDrawColor(hair.r, hair.g, hair.b)
	s.pdf.SetLineWidth(0.2) //nolint:mnd // millimeters
	s.pdf.Line(plot.x, plot.y, plot.x+plot.w, plot.y)
	s.pdf.Line(plot.x, plot.y+plot.h, plot.x+plot.w, plot.y+plot.h)
	s.course(c.Segments(c.Then), plot, edge)
	s.course(c.Segments(c.Now), plot, brand)
	s.text(plot.x, top+in.h+1, first)
	s.text(plot.x+plot.w-s.pdf.GetStringWidth(last), top+in.h+1, last)
}

func (s *sheet) course(segments [][]chart.Point, in box, of tone) {
	s.pdf.SetDrawColor(of.r, of.g, of.b)
	s.pdf.SetLineWidth(0.4) //nolint:mnd // millimeters
	for _, points := range segments {
		at := func(p chart.Point) (x, y float64) { return in.x + p.X*in.w, in.y + (1-p.Y)*in.h }
		if len(points) == 1 {
			x, y := at(points[0])
			s.pdf.Circle(x, y, 0.5, "D") //nolint:mnd // millimeters
			continue
		}
		for i := 1; i < len(points); i++ {
			x, y := at(points[i-1])
			toX, toY := at(points[i])
			s.pdf.Line(x, y, toX, toY)
		}
	}
}
