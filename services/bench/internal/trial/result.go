package trial

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Row is one measured value. Ceiling is the value of the same machine without the service's own work, or of a program with
// the same purpose, in the same unit. It is nil for rows without a comparison.
type Row struct {
	Name    string   `json:"name"`
	Value   float64  `json:"value"`
	Unit    string   `json:"unit"`
	Ceiling *float64 `json:"ceiling"`
	Ratio   *float64 `json:"ratio"`
	Goals   []string `json:"goals"`
	Missed  bool     `json:"missed"` // whether a goal is missed
}

// Against returns a row with its ceiling.
func Against(name string, value float64, unit string, ceiling float64) Row {
	ratio := value / ceiling
	return Row{Name: name, Value: value, Unit: unit, Ceiling: &ceiling, Ratio: &ratio}
}

// Plain returns a row without a ceiling.
func Plain(name string, value float64, unit string) Row {
	return Row{Name: name, Value: value, Unit: unit}
}

// MinRatio adds a goal for the ratio.
func (r Row) MinRatio(limit float64) Row {
	return r.goal(fmt.Sprintf("ratio ≥ %g", limit), *r.Ratio >= limit)
}

// MinValue adds a goal for the value.
func (r Row) MinValue(limit float64) Row {
	return r.goal(fmt.Sprintf("≥ %g %s", limit, r.Unit), r.Value >= limit)
}

// MaxValue adds a goal for the value.
func (r Row) MaxValue(limit float64) Row {
	return r.goal(fmt.Sprintf("≤ %g %s", limit, r.Unit), r.Value <= limit)
}

func (r Row) goal(text string, met bool) Row {
	r.Goals, r.Missed = append(r.Goals, text), r.Missed || !met
	return r
}

// Write stores the rows as JSON.
func Write(path string, rows []Row) error {
	raw, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return fmt.Errorf("encode results: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o600)
}

// Table writes the rows as a Markdown table, aligned for a terminal.
func Table(out io.Writer, rows []Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	line := func(cells ...string) { _, _ = fmt.Fprintf(w, "| %s\t|\n", strings.Join(cells, "\t| ")) }
	line("name", "value", "unit", "ceiling", "ratio", "goal", "verdict")
	line("---", "---:", "---", "---:", "---:", "---", "---")
	for _, r := range rows {
		verdict := ""
		switch {
		case r.Missed:
			verdict = "missed"
		case len(r.Goals) > 0:
			verdict = "met"
		}
		line(r.Name, figure(&r.Value), r.Unit, figure(r.Ceiling), figure(r.Ratio), strings.Join(r.Goals, ", "), verdict)
	}
	return w.Flush()
}

// figure formats a number with about three significant digits.
func figure(v *float64) string {
	digits := 3
	switch {
	case v == nil:
		return "–"
	case *v >= 100:
		digits = 0
	case *v >= 10:
		digits = 1
	}
	return strconv.FormatFloat(*v, 'f', digits, 64)
}
