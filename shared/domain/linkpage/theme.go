package linkpage

import "fencepost.internal/shared/kernel/ident"

// ThemeName is the name of a design. The set is closed: pages cannot define styles of their own.
type ThemeName string

// Themes of a page.
const (
	ThemePaper    ThemeName = "PAPER"
	ThemeMist     ThemeName = "MIST"
	ThemeSand     ThemeName = "SAND"
	ThemeForest   ThemeName = "FOREST"
	ThemeOcean    ThemeName = "OCEAN"
	ThemeBlossom  ThemeName = "BLOSSOM"
	ThemeSunset   ThemeName = "SUNSET"
	ThemeMidnight ThemeName = "MIDNIGHT"
)

// ThemeNames lists every theme; the first is the default.
func ThemeNames() []ThemeName {
	return []ThemeName{ThemePaper, ThemeMist, ThemeSand, ThemeForest, ThemeOcean, ThemeBlossom, ThemeSunset, ThemeMidnight}
}

// Appearance determines whether a page is light or dark.
type Appearance string

// Appearances of a page.
const (
	AppearanceAuto  Appearance = "AUTO" // follows the visitor's system
	AppearanceLight Appearance = "LIGHT"
	AppearanceDark  Appearance = "DARK"
)

// Appearances lists every appearance; the first is the default.
func Appearances() []Appearance { return []Appearance{AppearanceAuto, AppearanceLight, AppearanceDark} }

// Theme is the design of a page.
type Theme struct {
	Name       ThemeName  `json:"name"`
	Accent     Color      `json:"accentColor"` // of buttons and highlights
	Appearance Appearance `json:"appearance"`
	// the image at the top; if there is none, the first letter of the title is shown
	Avatar ident.Media `json:"avatarMediaId,omitzero"`
}

// Font is a family of fonts that are available on every system.
type Font string

// Font families.
const (
	FontSans    Font = "SANS"
	FontSerif   Font = "SERIF"
	FontRounded Font = "ROUNDED"
)

// Palette holds the colors of a design in one appearance. Text has a contrast of at least 7 to every background on
// which it is used, muted text of at least 4.5.
type Palette struct {
	Top, Bottom Color // of the background gradient
	Surface     Color // of cards
	Text        Color
	Muted       Color
	Line        Color // around cards
}

// ground returns the background on which an accent has the lowest contrast: the darker end of the gradient in a light
// palette, the lighter card in a dark one.
func (p Palette) ground() Color {
	if p.Text.luminance() < p.Surface.luminance() {
		return p.Bottom
	}
	return p.Surface
}

// Design defines the colors, font and shapes of a theme.
type Design struct {
	Light, Dark Palette
	Accent      Color // default accent
	DarkAccent  Color // the default accent in the dark appearance; empty: the nearest color with enough contrast
	Font        Font
	Corner      int // radius of cards, in pixels
}

// Design returns the design of the theme. An unknown theme of a newer version has the design of the default theme.
func (n ThemeName) Design() Design {
	switch n {
	case ThemeMist:
		return Design{
			Light:  Palette{"#eef2f7", "#dde5ef", "#ffffff", "#17202c", "#4a5868", "#cdd7e3"},
			Dark:   Palette{"#12171f", "#0c1016", "#1c232e", "#eef2f7", "#a7b3c2", "#333e4d"},
			Accent: "#3457d5", Font: FontSans, Corner: 18,
		}
	case ThemeSand:
		return Design{
			Light:  Palette{"#faf5ec", "#f1e6d3", "#fffdf9", "#2b2118", "#67543f", "#e3d3b9"},
			Dark:   Palette{"#1b1611", "#13100c", "#27201a", "#f7efe3", "#c3b29b", "#46392c"},
			Accent: "#a4501f", Font: FontSerif, Corner: 6,
		}
	case ThemeForest:
		return Design{
			Light:  Palette{"#f0f5ef", "#dbe8d9", "#fcfefb", "#14231a", "#42584a", "#c5d7c6"},
			Dark:   Palette{"#0f1a14", "#0a120e", "#18271f", "#ecf5ee", "#a2b9aa", "#2d4236"},
			Accent: "#1f7a45", Font: FontSans, Corner: 14,
		}
	case ThemeOcean:
		return Design{
			Light:  Palette{"#e9f5f8", "#cfe6ee", "#fbfeff", "#0c2430", "#3a5766", "#b9d8e3"},
			Dark:   Palette{"#071a24", "#04111a", "#0f2733", "#e9f7fc", "#9dbccb", "#234453"},
			Accent: "#0b7189", Font: FontRounded, Corner: 22,
		}
	case ThemeBlossom:
		return Design{
			Light:  Palette{"#fdf1f5", "#f8dfe9", "#fffbfd", "#331322", "#704758", "#efc9d8"},
			Dark:   Palette{"#211019", "#180b12", "#301a25", "#fdeef4", "#d0a9ba", "#563042"},
			Accent: "#c2255c", Font: FontRounded, Corner: 26,
		}
	case ThemeSunset:
		return Design{
			Light:  Palette{"#fff3e6", "#fde0dc", "#fffcf9", "#33180f", "#704a3d", "#f2cdbf"},
			Dark:   Palette{"#231019", "#170a1e", "#331a24", "#fff0e8", "#d6aea3", "#5b3038"},
			Accent: "#d1410c", Font: FontSans, Corner: 20,
		}
	case ThemeMidnight:
		return Design{
			Light:  Palette{"#f1f0fa", "#e0def3", "#fdfcff", "#1a1730", "#514d70", "#cfcbe8"},
			Dark:   Palette{"#14122a", "#0a0918", "#1e1b3a", "#f2f0ff", "#b3aed6", "#3a3564"},
			Accent: "#6246ea", Font: FontSans, Corner: 16,
		}
	case ThemePaper:
		fallthrough
	default:
		return Design{
			Light:  Palette{"#ffffff", "#f5f5f4", "#ffffff", "#1c1b1a", "#57534e", "#deddda"},
			Dark:   Palette{"#161616", "#0f0f0f", "#212121", "#f5f5f4", "#b3afaa", "#3b3a38"},
			Accent: "#1c1b1a", DarkAccent: "#f5f5f4", Font: FontSans, Corner: 12,
		}
	}
}

// Accents returns the accents for the light and the dark appearance: the chosen accent if it has enough contrast to the
// background, and otherwise the nearest color that does.
func (t Theme) Accents() (light, dark Color) {
	design := t.Name.Design()
	light, dark = t.Accent.Against(design.Light.ground()), t.Accent.Against(design.Dark.ground())
	if t.Accent == design.Accent && design.DarkAccent != "" {
		dark = design.DarkAccent
	}
	return light, dark
}

// theme validates a design and fills in defaults. An accent must have enough contrast to the background for which it
// was chosen: that of the light appearance, unless the page is always dark.
func (f *faults) theme(at string, given Theme) Theme {
	t := Theme{
		Name:       oneOf(f, at+"/name", given.Name, ThemeNames()),
		Appearance: oneOf(f, at+"/appearance", given.Appearance, Appearances()),
		Avatar:     given.Avatar,
	}
	design := t.Name.Design()
	if given.Accent == "" {
		t.Accent = design.Accent
		return t
	}
	accent, ok := ParseColor(string(given.Accent))
	if !ok {
		f.add(at+"/accentColor", "%.40q is not a color, such as %s", string(given.Accent), design.Accent)
		return t
	}
	t.Accent = accent
	if t.Name == "" || t.Appearance == "" || accent == design.Accent {
		return t // the background is unknown, or the accent is the theme's own
	}
	ground := design.Light.ground()
	if t.Appearance == AppearanceDark {
		ground = design.Dark.ground()
	}
	if ratio := Contrast(accent, ground); ratio < MinContrast {
		f.add(at+"/accentColor", "has a contrast of %.1f to the background of this theme; at least %.0f is needed, as %s has",
			ratio, MinContrast, accent.Against(ground))
	}
	return t
}
