// Package sheet reads and writes tables of posts as spreadsheets do: files of comma-separated values in their encodings and
// with their delimiters, the names of columns, and dates as people write them. Cells are texts; nothing is computed.
package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/kernel/plaintext"
)

// Table is a file as it was read. All its rows have the same number of cells.
type Table struct {
	Rows   []plan.Row
	Format string // such as: semicolons, Windows-1252
}

// Width returns the number of columns.
func (t Table) Width() int {
	if len(t.Rows) == 0 {
		return 0
	}
	return len(t.Rows[0].Cells)
}

// Fault is the reason why a file cannot be read, as a sentence for the person who chose it.
type Fault string

// Error implements error.
func (f Fault) Error() string { return string(f) }

// Read parses a file of posts. The error is a Fault. Rows without any text are left out.
func Read(name string, content []byte) (Table, error) { return ReadUpTo(name, content, plan.MaxRows) }

// ReadUpTo is Read for a file with at most a number of rows below its heading.
func ReadUpTo(name string, content []byte, most int) (Table, error) {
	if len(content) > plan.MaxFile {
		return Table{}, Fault("The file is larger than 5 MB. Split it.")
	}
	text, coding, err := decoded(content)
	if err != nil {
		return Table{}, err
	}
	if !strings.Contains(text, "\n") { // line ends of old Macs
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	comma, text, skipped := delimiterOf(name, text)
	table, err := parse(text, comma, skipped, most)
	table.Format = delimiters[comma] + ", " + coding
	return table, err
}

// Beginnings of files that people take for text.
var (
	zipped   = []byte("PK\x03\x04")
	compound = []byte("\xd0\xcf\x11\xe0")
)

const (
	errWorkbook = Fault("This is a workbook, not a text file. In the spreadsheet, choose Save as or Download, then CSV.")
	errBinary   = Fault("This is no text file. Choose a file that a spreadsheet saved as CSV.")
	errEmpty    = Fault("The file has no rows. Choose another one.")
)

// decoded returns the text of a file and the name of its encoding. A file that is neither UTF-8 nor UTF-16 is taken for
// Windows-1252, in which spreadsheets on Windows save.
func decoded(raw []byte) (text, name string, err error) {
	if bytes.HasPrefix(raw, zipped) || bytes.HasPrefix(raw, compound) {
		return "", "", errWorkbook
	}
	switch wide, order := utf16Order(raw); {
	case wide:
		text, err = convert(unicode.UTF16(order, unicode.UseBOM), raw)
		name = "UTF-16"
	case bytes.IndexByte(raw, 0) >= 0:
		return "", "", errBinary
	case utf8.Valid(raw):
		text, name = string(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))), "UTF-8"
	default:
		text, err = convert(charmap.Windows1252, raw)
		name = "Windows-1252"
	}
	if err == nil && strings.TrimSpace(text) == "" {
		err = errEmpty
	}
	return text, name, err
}

func convert(from encoding.Encoding, raw []byte) (string, error) {
	out, err := from.NewDecoder().Bytes(raw)
	if err != nil {
		return "", errBinary
	}
	return string(out), nil
}

// utf16Order reports whether a file is UTF-16, also without a byte order mark: the texts of most scripts then have a zero in
// every second byte of most of their characters.
func utf16Order(raw []byte) (wide bool, order unicode.Endianness) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return true, unicode.LittleEndian
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return true, unicode.BigEndian
	}
	head := raw[:min(len(raw), 4<<10)&^1]
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i&1]++
		}
	}
	const share = 4
	switch pairs := len(head) / 2; {
	case len(raw)%2 == 1 || pairs == 0:
		return false, unicode.LittleEndian
	case zeros[1] > pairs*3/share && zeros[0] == 0:
		return true, unicode.LittleEndian
	case zeros[0] > pairs*3/share && zeros[1] == 0:
		return true, unicode.BigEndian
	}
	return false, unicode.LittleEndian
}

// parse returns the rows of a text, whose first line is after skipped lines of the file.
func parse(text string, comma rune, skipped, most int) (Table, error) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.FieldsPerRecord = comma, -1
	var table Table
	width := 0
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return table, faultOf(err, skipped)
		}
		if len(cells) > plan.MaxColumns {
			return table, Fault(fmt.Sprintf("The file has %d columns. It may have %d. Remove those that posts do not need.",
				len(cells), plan.MaxColumns))
		}
		line, _ := reader.FieldPos(0)
		if !clean(cells) {
			continue
		}
		if table.Rows = append(table.Rows, plan.Row{Line: line + skipped, Cells: cells, Key: plan.KeyOf(cells)}); len(table.Rows) > most+1 {
			return table, Fault(fmt.Sprintf("The file has more than %d rows. Split it.", most))
		}
		width = max(width, len(cells))
	}
	if len(table.Rows) == 0 {
		return table, errEmpty
	}
	for i, row := range table.Rows {
		table.Rows[i].Cells = slices.Concat(row.Cells, make([]string, width-len(row.Cells)))
	}
	return table, nil
}

// clean normalizes the cells of a row, and reports whether one of them has text.
func clean(cells []string) (written bool) {
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(Unguarded(plaintext.Normalize(cell)))
		written = written || cells[i] != ""
	}
	return written
}

// faultOf returns the fault of a text that is not well formed.
func faultOf(err error, skipped int) error {
	wrong, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		return errBinary
	case errors.Is(wrong.Err, csv.ErrBareQuote):
		return Fault(fmt.Sprintf("Line %d has a quotation mark inside a cell without quotation marks around it. Put the cell in "+
			"quotation marks, and write those inside twice.", wrong.Line+skipped))
	case wrong.Line > wrong.StartLine:
		return Fault(fmt.Sprintf("A quotation mark that opens in line %d is not closed by line %d. Close it, and write quotation "+
			"marks inside the cell twice.", wrong.StartLine+skipped, wrong.Line+skipped))
	default:
		return Fault(fmt.Sprintf("Line %d has a quotation mark that is not closed, or text after the closing one. Write quotation "+
			"marks inside a cell twice.", wrong.StartLine+skipped))
	}
}
