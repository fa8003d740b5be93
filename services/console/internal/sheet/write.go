package sheet

import (
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"strings"

	"fencepost.internal/shared/domain/plan"
)

// formula matches the cells that a spreadsheet would compute, and those that Guarded has changed.
var formula = regexp.MustCompile(`^'*[=+\-@\t\r]`)

// Guarded returns a cell that spreadsheets show as its text: with an apostrophe before one that they would compute.
func Guarded(cell string) string {
	if formula.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// Unguarded returns the cell that Guarded was given.
func Unguarded(cell string) string {
	if strings.HasPrefix(cell, "'") && formula.MatchString(cell) {
		return cell[1:]
	}
	return cell
}

// Writer writes a table that spreadsheets open, and that Read reads back.
type Writer struct{ csv *csv.Writer }

// NewWriter writes the heading of a table: a mark by which spreadsheets know UTF-8, and the names of the columns.
func NewWriter(out io.Writer) (*Writer, error) {
	if _, err := io.WriteString(out, "\ufeff"); err != nil {
		return nil, fmt.Errorf("sheet: %w", err)
	}
	w := &Writer{csv: csv.NewWriter(out)}
	w.csv.UseCRLF = true
	var heading []string
	for _, c := range plan.Columns() {
		heading = append(heading, string(c))
	}
	if err := w.csv.Write(heading); err != nil {
		return nil, fmt.Errorf("sheet: %w", err)
	}
	return w, nil
}

// Write writes a row.
func (w *Writer) Write(cells map[plan.Column]string) error {
	var row []string
	for _, c := range plan.Columns() {
		row = append(row, Guarded(cells[c]))
	}
	if err := w.csv.Write(row); err != nil {
		return fmt.Errorf("sheet: %w", err)
	}
	return nil
}

// Flush sends what was written.
func (w *Writer) Flush() error {
	w.csv.Flush()
	if err := w.csv.Error(); err != nil {
		return fmt.Errorf("sheet: %w", err)
	}
	return nil
}
