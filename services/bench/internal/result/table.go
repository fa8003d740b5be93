package result

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// cells returns the columns of a row as text.
func (r Row) cells() []string {
	optional := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return figure(*v)
	}
	text, verdict := r.Goal()
	return []string{r.Name, figure(r.Value), r.Unit, optional(r.Ceiling), optional(r.Ratio), text, verdict}
}

func titles() []string {
	return []string{"name", "value", "unit", "ceiling", "ratio", "goal", "verdict"}
}

// figure formats a number with about three significant digits.
func figure(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
}

// Table writes the rows for a terminal.
func Table(out io.Writer, rows []Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.Join(titles(), "\t"))
	for _, r := range rows {
		_, _ = fmt.Fprintln(w, strings.Join(r.cells(), "\t"))
	}
	return w.Flush()
}

// Markdown writes the rows for a documentation page.
func Markdown(out io.Writer, rows []Row) error {
	_, _ = fmt.Fprintf(out, "| %s |\n|---|---:|---|---:|---:|---|---|\n", strings.Join(titles(), " | "))
	for _, r := range rows {
		if _, err := fmt.Fprintf(out, "| %s |\n", strings.Join(r.cells(), " | ")); err != nil {
			return err
		}
	}
	return nil
}
