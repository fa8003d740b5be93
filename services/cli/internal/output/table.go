package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/schollz/progressbar/v3"
)

const (
	gap = "  "
	// narrowest is the width to which the wide column is shortened at most.
	narrowest = 12
)

// table prints aligned columns. The wide column is shortened to the width of the terminal.
func (p *Printer) table(heads []string, rows [][]string, wide int) error {
	widths := make([]int, len(heads))
	total := len(gap) * (len(heads) - 1)
	for i, head := range heads {
		widths[i] = runewidth.StringWidth(head)
		for _, row := range rows {
			widths[i] = max(widths[i], runewidth.StringWidth(row[i]))
		}
		total += widths[i]
	}
	if wide >= 0 && total > p.Width {
		widths[wide] = max(narrowest, widths[wide]-(total-p.Width))
	}
	if err := p.row(heads, widths, p.bold); err != nil {
		return err
	}
	for _, row := range rows {
		if err := p.row(row, widths, p.status); err != nil {
			return err
		}
	}
	return nil
}

func (p *Printer) row(cells []string, widths []int, style func(string) string) error {
	var b strings.Builder
	for i, cell := range cells {
		cell = runewidth.Truncate(cell, widths[i], "…")
		padding := widths[i] - runewidth.StringWidth(cell)
		b.WriteString(style(cell))
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", padding) + gap)
		}
	}
	_, err := fmt.Fprintln(p.Out, strings.TrimRight(b.String(), " "))
	return err
}

const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (p *Printer) style(code, text string) string {
	if !p.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *Printer) bold(text string) string { return p.style(bold, text) }

// status colors the states of posts, channels, deliveries and checks.
func (p *Printer) status(text string) string {
	switch text {
	case "PUBLISHED", "HEALTHY", "SUCCEEDED", "active", "ok":
		return p.style(green, text)
	case "FAILED", "NEEDS_RECONNECT", "disabled", "error":
		return p.style(red, text)
	case "SCHEDULED", "EXPIRING", "PENDING", "PENDING_APPROVAL", "warning":
		return p.style(yellow, text)
	default:
		return text
	}
}

// Bar returns a function that shows the progress of an upload on a terminal, and one that removes the bar.
func Bar(w io.Writer, width int, title string) (show func(sent, total int64), done func()) {
	if width == 0 {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	return func(sent, total int64) {
			if bar == nil {
				bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(title),
					progressbar.OptionShowBytes(true), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(width/4))
			}
			_ = bar.Set64(sent)
		}, func() {
			if bar != nil {
				_ = bar.Clear()
			}
		}
}

// Spinner shows a title while a command waits, on a terminal, until done is called.
func Spinner(w io.Writer, width int, title string) (done func()) {
	if width == 0 {
		return func() {}
	}
	bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(title),
		progressbar.OptionClearOnFinish())
	return func() { _ = bar.Finish() }
}
