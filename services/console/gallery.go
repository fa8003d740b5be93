package main

import (
	"embed"
	"slices"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
)

//go:embed templates
var templates embed.FS

// gallery returns the pages that show the components of the pages, in development only.
func gallery(a *app.App) frame.Feature {
	return frame.Feature{Name: "gallery", Templates: templates, Routes: []frame.Route{
		{Pattern: "GET /-/components", Handle: func(v *frame.Visit) error {
			return v.Page(frame.Page{Name: "gallery/gallery", Title: "Components", Bare: true, Data: networks()})
		}},
		{Pattern: "GET /-/components/previews", Handle: previews(a)},
		{Pattern: "GET /-/components/options", Handle: forms(a)},
		{Pattern: "GET /-/components/pictures/{hue}/{size}", Handle: picture},
	}}
}

// networks returns every network once.
func networks() []channel.Network {
	var list []channel.Network
	for _, typ := range channel.Types() {
		if n := typ.Network(); !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}
