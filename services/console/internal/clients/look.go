package clients

import (
	"fmt"
	"net/http"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
)

// pathLook begins the addresses of style sheets with the color of a workspace. The policy of pages allows no style inside of
// them. The sheet depends only on its address.
const pathLook = "/look/"

// The grounds of buttons, as in tokens.css.
const (
	lightGround linkpage.Color = "#ffffff"
	darkGround  linkpage.Color = "#181822"
)

func lookOf(color string) string { return pathLook + strings.TrimPrefix(color, "#") + ".css" }

// look responds with the style sheet of a color.
func look(v *frame.Visit) error {
	name, ok := strings.CutSuffix(v.Request.PathValue("file"), ".css")
	color, known := linkpage.ParseColor("#" + name)
	if !ok || !known {
		return apperr.New(apperr.NotFound, "This page does not exist.")
	}
	light, dark := color.Against(lightGround), color.Against(darkGround)
	h := v.Out.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=86400")
	v.Out.WriteHeader(http.StatusOK)
	_, _ = fmt.Fprintf(v.Out, ":root { --brand: light-dark(%s, %s); --brand-ink: light-dark(%s, %s); --brand-hover: var(--brand); "+
		"--tint: color-mix(in srgb, var(--brand) 9%%, var(--card)); }\n", light, dark, light.On(), dark.On())
	return nil
}
