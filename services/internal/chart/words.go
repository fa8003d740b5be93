package chart

import (
	"math"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/analytics"
)

// None is shown for a figure that is not known. It is not zero.
const None = "–"

// narrow is the space between thousands.
const narrow = "\u202f"

// Grouped writes a number with a space between thousands.
func Grouped(n int64) string {
	sign, text := "", strconv.FormatInt(n, 10)
	if n < 0 {
		sign, text = "−", text[1:]
	}
	var groups []string
	for len(text) > 3 { //nolint:mnd // digits
		groups, text = append([]string{text[len(text)-3:]}, groups...), text[:len(text)-3]
	}
	return sign + strings.Join(append([]string{text}, groups...), narrow)
}

// Text writes a figure.
func Text(f analytics.Figure, v *float64) string {
	switch {
	case v == nil:
		return None
	case f == analytics.EngagementRate:
		return percent(*v)
	case *v != math.Trunc(*v):
		return strings.ReplaceAll(strconv.FormatFloat(*v, 'f', 1, 64), "-", "−")
	default:
		return Grouped(int64(*v))
	}
}

func percent(ratio float64) string {
	const hundred = 100
	return strings.ReplaceAll(strconv.FormatFloat(ratio*hundred, 'f', 1, 64), "-", "−") + narrow + "%"
}

// Writer returns a function that writes the figure.
func Writer(f analytics.Figure) func(*float64) string {
	return func(v *float64) string { return Text(f, v) }
}

// Change writes how a figure has changed, and in which direction: up, down, or neither. Without a value before, it says so.
func Change(f analytics.Figure, c analytics.Change) (text string, direction int) {
	by := c.By()
	switch {
	case c.Now == nil:
		return "", 0
	case c.Before == nil:
		return "no figures before", 0
	case by == 0:
		return "as before", 0
	case f == analytics.EngagementRate:
		const hundred = 100
		text = strconv.FormatFloat(math.Abs(by)*hundred, 'f', 1, 64) + " points"
	case f == analytics.Followers || c.Ratio() == nil:
		text = Grouped(int64(math.Abs(by)))
	default:
		text = percent(math.Abs(*c.Ratio()))
	}
	if by < 0 {
		return "−" + text, -1
	}
	return "+" + text, 1
}
