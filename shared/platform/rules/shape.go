package rules

import (
	"math"
	"strconv"
	"time"

	"fencepost.internal/shared/domain/media"
)

// Shape holds a network's requirements on the dimensions of an image or video. A zero field requires nothing.
type Shape struct {
	Width, Height Span // in pixels
	Short, Long   Span // pixels of the shorter and of the longer side, in either orientation
	Sum           Span // pixels of width plus height
	Area          Span // pixels in total
	Ratio         Ratios
}

// Span is a range of numbers. A zero limit means no limit.
type Span struct {
	Min, Max int
	Unsure   bool   // a violation is a warning
	Else     string // what the network does instead of refusing, phrased to follow "it"; a violation is then a warning
}

// Ratio is the ratio of a width to a height, like 16:9.
type Ratio struct{ Wide, High float64 }

// Ratios is a range from the narrowest to the widest ratio. A zero limit means no limit.
type Ratios struct {
	Min, Max Ratio
	Unsure   bool   // a violation is a warning
	Else     string // as in Span
}

// Length is a range of durations. A zero limit means no limit.
type Length struct {
	Min, Max time.Duration
	Unsure   bool   // a violation is a warning
	Else     string // as in Span
}

// side is the position of a value relative to a range.
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

// side tolerates the effect of rounding to whole pixels on a ratio: less than one pixel of the width, and of a tiny image
// less than 0.5 % of it.
func (r Ratios) side(width, height float64) side {
	slack := math.Min(1, width/200)
	switch {
	case r.Min != Ratio{} && (width+slack)*r.Min.High <= height*r.Min.Wide:
		return below
	case r.Max != Ratio{} && (width-slack)*r.Max.High >= height*r.Max.Wide:
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

// Fewer returns the span of integers below n.
func Fewer(n int) Span { return Span{Max: n - 1} }

// Only returns the range that contains exactly one ratio.
func Only(wide, high float64) Ratios {
	return Ratios{Min: Ratio{wide, high}, Max: Ratio{wide, high}}
}

// pictured returns the dimensions of an asset. It returns false if they are not known.
func pictured(probe media.Probe) (width, height float64, ok bool) {
	return float64(probe.Width), float64(probe.Height), probe.Width > 0 && probe.Height > 0
}

// String formats the range: up to 350.
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

// String formats the ratio: 1.91:1.
func (r Ratio) String() string {
	return strconv.FormatFloat(r.Wide, 'f', -1, 64) + ":" + strconv.FormatFloat(r.High, 'f', -1, 64)
}

// String formats the range: 4:5 to 1.91:1.
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

// String formats the range: 3 seconds to 15 minutes.
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

// longEnough is the duration from which durations are formatted in minutes.
const longEnough = 3 * time.Minute

// lasting formats a duration for users. It rounds up or down, so that a video that violates a limit never appears to
// meet it.
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
