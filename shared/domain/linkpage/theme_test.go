package linkpage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
)

// TestEveryThemeIsLegible checks each theme against WCAG 2.2: 7 for text (AAA), 4.5 for muted text, 3 for the accent.
func TestEveryThemeIsLegible(t *testing.T) {
	t.Parallel()
	for _, name := range linkpage.ThemeNames() {
		design := name.Design()
		light, dark := linkpage.Theme{Name: name, Accent: design.Accent}.Accents()
		require.Equal(t, design.Accent, light, "%s's own accent needs no help", name)
		for scheme, c := range map[string]struct {
			linkpage.Palette
			accent linkpage.Color
		}{"light": {design.Light, light}, "dark": {design.Dark, dark}} {
			for _, ground := range []linkpage.Color{c.Top, c.Bottom, c.Surface} {
				require.GreaterOrEqual(t, linkpage.Contrast(c.Text, ground), 7.0, "%s %s text on %s", name, scheme, ground)
				require.GreaterOrEqual(t, linkpage.Contrast(c.Muted, ground), 4.5, "%s %s muted on %s", name, scheme, ground)
				require.GreaterOrEqual(t, linkpage.Contrast(c.accent, ground), linkpage.MinContrast, "%s %s accent on %s", name,
					scheme, ground)
			}
			require.GreaterOrEqual(t, linkpage.Contrast(c.accent, c.accent.On()), 4.5, "%s %s", name, scheme)
		}
	}
	require.Equal(t, linkpage.ThemePaper.Design(), linkpage.ThemeName("OF_TOMORROW").Design())
}

func TestContrast(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 21, linkpage.Contrast("#000000", "#ffffff"), 0.001)
	require.InDelta(t, 1, linkpage.Contrast("#123456", "#123456"), 0.001)
	require.InDelta(t, 4.54, linkpage.Contrast("#767676", "#ffffff"), 0.01, "the grey that everybody knows")
	for _, text := range []string{"", "red", "#fff", "#12345g", "123456", "#1234567", "#12345\n", "url(#123456)"} {
		_, ok := linkpage.ParseColor(text)
		require.False(t, ok, text)
	}
	color, ok := linkpage.ParseColor("#AbCdEf")
	require.True(t, ok)
	require.Equal(t, linkpage.Color("#abcdef"), color)
}

// TestEveryColourCanBeUsed checks that every color has a near one with enough contrast, on which text is readable.
func TestEveryColourCanBeUsed(t *testing.T) {
	t.Parallel()
	for r := 0; r < 256; r += 51 {
		for g := 0; g < 256; g += 51 {
			for b := 0; b < 256; b += 51 {
				color := linkpage.Color("#" + hex(r) + hex(g) + hex(b))
				require.GreaterOrEqual(t, linkpage.Contrast(color, color.On()), 4.5, color)
				for _, name := range linkpage.ThemeNames() {
					light, dark := linkpage.Theme{Name: name, Accent: color}.Accents()
					require.GreaterOrEqual(t, linkpage.Contrast(light, name.Design().Light.Bottom), linkpage.MinContrast)
					require.GreaterOrEqual(t, linkpage.Contrast(dark, name.Design().Dark.Surface), linkpage.MinContrast)
				}
			}
		}
	}
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[n>>4], digits[n&15]})
}
