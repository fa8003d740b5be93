// Package chart draws values over time: as SVG for pages, and as points for other surfaces. It also writes values as text, so that
// a chart, its table and a report have the same ones.
package chart

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// Line is a course of values, one for each place on the axis; nil leaves a gap.
type Line struct {
	Name   string
	Values []*float64
}

// Chart has up to two lines: the values, and those of a period to compare with.
type Chart struct {
	ID    string // of its element, unique on the page
	Title string
	Names []string // of the places on the axis, in full
	Ends  []string // the names that the axis shows, evenly spread
	Now   Line
	Then  Line
	Write func(*float64) string
	// Complete is the number of places whose values no longer change much; the others are marked.
	Complete int
	// Near draws the axis around the values instead of from zero.
	Near bool
}

// Point is a place in a chart whose sides are 1; zero is the bottom left.
type Point struct{ X, Y float64 }

// Drawing is a chart that is ready for a template.
type Drawing struct {
	Chart

	SVG   template.HTML
	Ticks []string // of the vertical axis, from the top
}

const (
	width  = 1000
	height = 220
	steps  = 4
)

// None reports whether there is nothing to draw.
func (c Chart) None() bool { return known(c.Now.Values) == 0 && known(c.Then.Values) == 0 }

func known(values []*float64) (n int) {
	for _, v := range values {
		if v != nil {
			n++
		}
	}
	return n
}

// Scale returns the values at the bottom and at the top of the chart.
func (c Chart) Scale() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range append(append([]*float64{}, c.Now.Values...), c.Then.Values...) {
		if v != nil {
			low, high = min(low, *v), max(high, *v)
		}
	}
	if high < low {
		return 0, 1
	}
	if !c.Near {
		low, high = min(low, 0), max(high, 0)
	}
	if c.Near && low == high { // the line is in the middle
		low, high = low-1, high+1
	}
	step := nice((high - low) / steps)
	bottom := math.Floor(low/step) * step
	for bottom+steps*step < high {
		step = nice(step * 1.01) //nolint:mnd // the next larger one
		bottom = math.Floor(low/step) * step
	}
	return bottom, bottom + steps*step
}

// nice returns the next number that is easy to read: 1, 2, 2.5 or 5 times a power of ten.
func nice(step float64) float64 {
	if step <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, factor := range []float64{1, 2, 2.5, 5} {
		if step <= factor*power {
			return factor * power
		}
	}
	return 10 * power
}

// Segments returns the points of a line, without its gaps.
func (c Chart) Segments(l Line) (segments [][]Point) {
	low, high := c.Scale()
	var open []Point
	for i, v := range l.Values {
		if v == nil {
			if len(open) > 0 {
				segments, open = append(segments, open), nil
			}
			continue
		}
		x := 0.5
		if len(l.Values) > 1 {
			x = float64(i) / float64(len(l.Values)-1)
		}
		open = append(open, Point{X: x, Y: (*v - low) / (high - low)})
	}
	if len(open) > 0 {
		segments = append(segments, open)
	}
	return segments
}

// AxisTexts returns the texts of the vertical axis, from the top.
func (c Chart) AxisTexts() []string {
	low, high := c.Scale()
	texts := make([]string, steps+1)
	for i := range texts {
		value := high - (high-low)*float64(i)/steps
		texts[i] = c.Write(&value)
	}
	return texts
}

// Draw draws the chart as SVG, with a title for each place. Its colors are those of the style sheet.
func Draw(c Chart) Drawing {
	var out strings.Builder
	_, _ = fmt.Fprintf(&out, `<svg viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-labelledby="%[3]s-name"><title id="%[3]s-name">%[4]s</title>`,
		width, height, template.HTMLEscapeString(c.ID), template.HTMLEscapeString(c.Summary()))
	if n := len(c.Now.Values); c.Complete < n && n > 1 {
		x := max(0, float64(c.Complete)-1) / float64(n-1) * width
		_, _ = fmt.Fprintf(&out, `<rect class="late" x="%.1f" y="0" width="%.1f" height="%d"/>`, x, width-x, height)
	}
	for i := range steps + 1 {
		_, _ = fmt.Fprintf(&out, `<path class="rule" d="M0 %[1]d H%[2]d"/>`, i*height/steps, width)
	}
	c.path(&out, "then", c.Then)
	c.area(&out)
	c.path(&out, "now", c.Now)
	c.titles(&out)
	_, _ = out.WriteString("</svg>")
	return Drawing{Chart: c, SVG: template.HTML(out.String()), Ticks: c.AxisTexts()} //nolint:gosec // G203: numbers and escaped text
}

// Summary describes the chart in one sentence.
func (c Chart) Summary() string {
	if c.None() {
		return c.Title + ": no figures"
	}
	first, last := -1, -1
	for i, v := range c.Now.Values {
		if v != nil {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return c.Title + ": no figures in this period"
	}
	return fmt.Sprintf("%s: %s on %s, %s on %s", c.Title, c.Write(c.Now.Values[first]), c.Names[first], c.Write(c.Now.Values[last]), c.Names[last])
}

func (c Chart) path(out *strings.Builder, class string, l Line) {
	for _, points := range c.Segments(l) {
		_, _ = fmt.Fprintf(out, `<path class="%s" d="`, class)
		for i, p := range points {
			_, _ = fmt.Fprintf(out, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], p.X*width, (1-p.Y)*height)
		}
		if len(points) == 1 { // a dot, by the round end of the stroke
			_, _ = out.WriteString("h0")
		}
		_, _ = out.WriteString(`"/>`)
	}
}

func (c Chart) area(out *strings.Builder) {
	for _, points := range c.Segments(c.Now) {
		_, _ = fmt.Fprintf(out, `<path class="area" d="M%.1f %d`, points[0].X*width, height)
		for _, p := range points {
			_, _ = fmt.Fprintf(out, "L%.1f %.1f", p.X*width, (1-p.Y)*height)
		}
		_, _ = fmt.Fprintf(out, `L%.1f %dZ"/>`, points[len(points)-1].X*width, height)
	}
}

// titles adds an invisible column for each place, which shows its values while the pointer is over it.
func (c Chart) titles(out *strings.Builder) {
	n := len(c.Now.Values)
	if n == 0 {
		return
	}
	for i, v := range c.Now.Values {
		text := c.Names[i] + ": " + c.Write(v)
		if i < len(c.Then.Values) {
			text += " (" + c.Write(c.Then.Values[i]) + " before)"
		}
		from, to := 0.0, float64(width)
		if n > 1 {
			column := float64(width) / float64(n-1)
			from, to = max(0, (float64(i)-0.5)*column), min(width, (float64(i)+0.5)*column)
		}
		_, _ = fmt.Fprintf(out, `<rect class="place" x="%.1f" y="0" width="%.1f" height="%d"><title>%s</title></rect>`, from, to-from, height,
			template.HTMLEscapeString(text))
	}
}
