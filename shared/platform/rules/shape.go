package rules

import (
	"math"
	"strconv"
	"time"

	"socialpub.internal/shared/domain/media"
)

// Shape is what a network demands of a picture, or of the picture of a film. Zero members demand nothing.
type Shape struct {
	Width, Height Span // in pixels
	Short, Long   Span // pixels of the shorter and of the longer side, however the picture lies
	Sum           Span // pixels of width and height together
	Area          Span // pixels in all
	Ratio         Ratios
}

// Span is a range of numbers. A zero limit is none.
type Span struct {
	Min, Max int
	Unsure   bool   // breaking it is a warning
	Else     string // what the network does instead of refusing, after "it"; breaking it is a warning then
}

// Ratio is a width in relation to a height, like 16:9.
type Ratio struct{ Wide, High float64 }

// Ratios is a range from the narrowest to the widest. A zero limit is none.
type Ratios struct {
	Min, Max Ratio
	Unsure   bool   // breaking it is a warning
	Else     string // as of a Span
}

// Length is a range of durations. A zero limit is none.
type Length struct {
	Min, Max time.Duration
	Unsure   bool   // breaking it is a warning
	Else     string // as of a Span
}

// side says on which side of a range something lies.
type side int

const (
	below side = iota - 1
	within
	above
)

func (s Span) side(n float64) side {
	switch {
	case s.Min > 0 && n < float64(s.Min):
		return below
	case s.Max > 0 && n > float64(s.Max):
		return above
	default:
		return within
	}
}

// side forgives what rounding to whole pixels does to a ratio: less than one pixel of the width.
func (r Ratios) side(width, height float64) side {
	switch {
	case r.Min != Ratio{} && (width+1)*r.Min.High <= height*r.Min.Wide:
		return below
	case r.Max != Ratio{} && (width-1)*r.Max.High >= height*r.Max.Wide:
		return above
	default:
		return within
	}
}

func (l Length) side(d time.Duration) side {
	switch {
	case l.Min > 0 && d < l.Min:
		return below
	case l.Max > 0 && d > l.Max:
		return above
	default:
		return within
	}
}

// fewer is the span of whole numbers below n.
func fewer(n int) Span { return Span{Max: n - 1} }

// only is the one ratio.
func only(wide, high float64) Ratios {
	return Ratios{Min: Ratio{wide, high}, Max: Ratio{wide, high}}
}

// pictured tells the size of what an asset shows; false while it is not known.
func pictured(probe media.Probe) (width, height float64, ok bool) {
	return float64(probe.Width), float64(probe.Height), probe.Width > 0 && probe.Height > 0
}

// String says the range of numbers: up to 350.
func (s Span) String() string {
	switch {
	case s == Span{}:
		return ""
	case s.Min == 0:
		return "up to " + number(s.Max)
	case s.Max == 0:
		return "at least " + number(s.Min)
	default:
		return number(s.Min) + " to " + number(s.Max)
	}
}

// String is the ratio as people write it: 1.91:1.
func (r Ratio) String() string {
	return strconv.FormatFloat(r.Wide, 'f', -1, 64) + ":" + strconv.FormatFloat(r.High, 'f', -1, 64)
}

// String says the range: 4:5 to 1.91:1.
func (r Ratios) String() string {
	none := Ratio{}
	switch {
	case r.Min == none && r.Max == none:
		return ""
	case r.Min == r.Max:
		return r.Min.String()
	case r.Min == none:
		return "up to " + r.Max.String()
	case r.Max == none:
		return "at least " + r.Min.String()
	default:
		return r.Min.String() + " to " + r.Max.String()
	}
}

// String says the range: 3 seconds to 15 minutes.
func (l Length) String() string {
	switch {
	case l.Min == 0 && l.Max == 0:
		return ""
	case l.Min == 0:
		return "up to " + lasting(l.Max, true)
	case l.Max == 0:
		return "at least " + lasting(l.Min, false)
	case l.Max < longEnough:
		return strconv.FormatFloat(l.Min.Seconds(), 'f', -1, 64) + " to " + lasting(l.Max, true)
	default:
		return lasting(l.Min, false) + " to " + lasting(l.Max, true)
	}
}

// longEnough is the duration from which on people count in minutes.
const longEnough = 3 * time.Minute

// lasting is a duration for people. It rounds up or down, so that a film that breaks a limit never reads as if it kept it.
func lasting(d time.Duration, up bool) string {
	step := time.Second
	if d < longEnough {
		step = time.Second / 10
	}
	rounded := d.Truncate(step)
	if up && rounded < d && rounded <= math.MaxInt64-step {
		rounded += step
	}
	if rounded < longEnough {
		if rounded == time.Second {
			return "1 second"
		}
		return strconv.FormatFloat(rounded.Seconds(), 'f', -1, 64) + " seconds"
	}
	var parts []string
	for _, unit := range []struct {
		noun string
		is   time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		if n := int(rounded / unit.is); n > 0 {
			parts = append(parts, plural(n, unit.noun))
		}
		rounded %= unit.is
	}
	return list(parts, "and")
}
