package linkpage

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// MinContrast is the required contrast of an accent to the background (WCAG 2.2, success criterion 1.4.11).
const MinContrast = 3.0

// Color is an sRGB color, as #rrggbb in lower case.
type Color string

var colorPattern = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// ParseColor parses #RRGGBB. It returns false for other text.
func ParseColor(text string) (Color, bool) {
	folded := strings.ToLower(text)
	return Color(folded), colorPattern.MatchString(folded)
}

func (c Color) channels() [3]float64 {
	var out [3]float64
	for i := range out {
		n, err := strconv.ParseUint(string(c[1+2*i:3+2*i]), 16, 8)
		if err != nil {
			n = 0
		}
		out[i] = float64(n)
	}
	return out
}

// luminance returns the relative luminance (WCAG 2.2).
func (c Color) luminance() float64 {
	weights, sum := [3]float64{0.2126, 0.7152, 0.0722}, 0.0
	for i, v := range c.channels() {
		v /= 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weights[i] * v
	}
	return sum
}

// Contrast returns the contrast ratio (WCAG 2.2) of two colors, from 1 to 21.
func Contrast(a, b Color) float64 {
	light, dark := a.luminance(), b.luminance()
	return (max(light, dark) + 0.05) / (min(light, dark) + 0.05)
}

// Extremes of luminance.
const (
	black Color = "#000000"
	white Color = "#ffffff"
)

// On returns the text color for a background of color c: black or white, whichever has the higher contrast. One of them
// always has a contrast of at least 4.5.
func (c Color) On() Color {
	if Contrast(c, white) >= Contrast(c, black) {
		return white
	}
	return black
}

// ContrastsWhite reports whether the color has MinContrast to white.
func (c Color) ContrastsWhite() bool { return Contrast(c, white) >= MinContrast }

// Against returns c, or the nearest color toward black or white that has MinContrast to the background.
func (c Color) Against(background Color) Color {
	toward := background.On()
	const steps = 20
	for i := range steps + 1 {
		if mixed := c.mix(toward, float64(i)/steps); Contrast(mixed, background) >= MinContrast {
			return mixed
		}
	}
	return toward
}

func (c Color) mix(other Color, share float64) Color {
	from, to := c.channels(), other.channels()
	out := "#"
	for i := range from {
		out += fmt.Sprintf("%02x", int(math.Round(from[i]+(to[i]-from[i])*share)))
	}
	return Color(out)
}
