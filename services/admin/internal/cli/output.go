package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"fencepost.internal/shared/domain/event"
)

// print writes text. It returns the error so that the command fails when its output cannot be written, for example to a
// closed pipe.
func (a *app) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.process.Out, format, args...)
	return err
}

// note writes a message for people to the error stream.
func (a *app) note(format string, args ...any) {
	_, _ = fmt.Fprintf(a.process.Err, format+"\n", args...)
}

// show prints a value as JSON with --json, and otherwise calls text.
func (a *app) show(value any, text func() error) error {
	if !a.json {
		return text()
	}
	encoder := json.NewEncoder(a.process.Out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// list prints rows below their heads, or none if there are no rows.
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

// at formats a time for people; none replaces the zero time.
func at(t time.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format(time.RFC3339)
}

// atJSON formats a time as the API does; nil for the zero time.
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
