package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"socialpub.internal/shared/domain/event"
)

// print writes text. Its error ends the command: who pipes the output away must learn that it did not arrive.
func (a *app) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.process.Out, format, args...)
	return err
}

// note writes something for people beside the output.
func (a *app) note(format string, args ...any) {
	_, _ = fmt.Fprintf(a.process.Err, format+"\n", args...)
}

// show prints a value as JSON when that is asked for, else as text does.
func (a *app) show(value any, text func() error) error {
	if !a.json {
		return text()
	}
	encoder := json.NewEncoder(a.process.Out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// list prints rows under their heads, or that there are none.
func (a *app) list(heads []string, rows [][]string, none string) error {
	if len(rows) == 0 {
		return a.print("%s\n", none)
	}
	return a.table(append([][]string{heads}, rows...))
}

// table prints rows in aligned columns.
func (a *app) table(rows [][]string) error {
	const gap = 2
	w := tabwriter.NewWriter(a.process.Out, 0, 0, gap, ' ', 0)
	for _, row := range rows {
		if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// at is a time for people; none stands for the zero time.
func at(t time.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format(time.RFC3339)
}

// atJSON is a time as the API writes it; null for the zero time.
func atJSON(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := event.FormatTime(t)
	return &text
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
