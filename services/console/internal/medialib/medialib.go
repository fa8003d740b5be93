// Package medialib serves the media library of a workspace: its files, what uses them, uploads, and the picker by which other
// pages choose files.
package medialib

import (
	"embed"
	"html/template"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
)

//go:embed templates
var templates embed.FS

type library struct{ app *app.App }

// afterCopy is the time for the response after the use case has ended.
const afterCopy = 20 * time.Second

const (
	one     = "/w/{workspace}/media/{media}"
	uploads = "/w/{workspace}/media/uploads"
)

// Feature returns the pages.
func Feature(a *app.App) frame.Feature {
	l := &library{app: a}
	writing := func(pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: credential.MediaWrite, Handle: handle}
	}
	complete := writing("POST "+uploads+"/{media}/complete", l.complete)
	complete.Longest = app.CopyTimeout + afterCopy
	take := writing("POST /w/{workspace}/media/import", l.take)
	take.Longest = media.ImportLife + afterCopy
	replace := writing("POST "+one+"/replace", l.replace)
	replace.Needs, replace.Slow = credential.PostsWrite, true
	return frame.Feature{
		Name: "medialib", Templates: templates,
		Functions: template.FuncMap{"kind": kind, "sprite": func() template.HTML { return poststate.Sprite(nil) }},
		Section:   &frame.Section{Title: "Media", Path: "/media", Icon: "images", Key: "l", Group: "Material", Needs: credential.MediaWrite},
		Routes: []frame.Route{
			writing("GET /w/{workspace}/media", l.list), writing("POST /w/{workspace}/media/delete", l.deleteMany),
			writing("POST /w/{workspace}/media/label", l.labelMany),
			writing("GET /w/{workspace}/media/import", l.askForAddress), take,
			writing("GET /w/{workspace}/media/picker", l.pick),
			writing("POST "+uploads, l.start), complete, writing("POST "+uploads+"/{media}/cancel", l.cancel),
			writing("GET "+one, l.file), writing("POST "+one, l.save), replace, writing("POST "+one+"/delete", l.delete),
			writing("POST "+one+"/trim", l.trim),
		},
	}
}
