package render

import (
	"fmt"
	"html/template"
	"strings"

	"fencepost.internal/shared/domain/linkpage"
)

// styleOf returns the style sheet of a theme: its colors as variables, followed by the rules that all pages share.
func (r *Renderer) styleOf(t linkpage.Theme) template.CSS {
	design := t.Name.Design()
	light, dark := t.Accents()
	variables := fmt.Sprintf(":root{--corner:%dpx;--font:%s}", design.Corner, stack(design.Font))
	lit, unlit := colors(design.Light, light, "light"), colors(design.Dark, dark, "dark")
	switch t.Appearance {
	case linkpage.AppearanceLight:
		variables += lit
	case linkpage.AppearanceDark:
		variables += unlit
	case linkpage.AppearanceAuto:
		fallthrough
	default:
		variables += lit + "@media (prefers-color-scheme:dark){" + unlit + "}"
	}
	return template.CSS(variables + r.style) //nolint:gosec // built from our own style sheet and colors that the domain has parsed
}

func colors(p linkpage.Palette, accent linkpage.Color, scheme string) string {
	var out strings.Builder
	out.WriteString(":root{color-scheme:" + scheme)
	for _, c := range []struct {
		name  string
		color linkpage.Color
	}{
		{"top", p.Top},
		{"bottom", p.Bottom},
		{"surface", p.Surface},
		{"text", p.Text},
		{"muted", p.Muted},
		{"line", p.Line},
		{"accent", accent},
		{"on", accent.On()},
	} {
		out.WriteString(";--" + c.name + ":" + string(c.color))
	}
	out.WriteString("}")
	return out.String()
}

// stack returns fonts that operating systems provide: a page loads nothing to show its text.
func stack(f linkpage.Font) string {
	switch f {
	case linkpage.FontSerif:
		return `Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif`
	case linkpage.FontRounded:
		return `ui-rounded,"Hiragino Maru Gothic ProN",Quicksand,Comfortaa,Nunito,system-ui,-apple-system,"Segoe UI",sans-serif`
	case linkpage.FontSans:
		fallthrough
	default:
		return `system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif`
	}
}

// themeColors returns the colors of the browser's user interface around the page.
func themeColors(t linkpage.Theme) (light, dark string) {
	design := t.Name.Design()
	switch t.Appearance {
	case linkpage.AppearanceLight:
		return string(design.Light.Top), ""
	case linkpage.AppearanceDark:
		return string(design.Dark.Top), ""
	case linkpage.AppearanceAuto:
		fallthrough
	default:
		return string(design.Light.Top), string(design.Dark.Top)
	}
}
