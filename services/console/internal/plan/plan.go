// Package plan serves the page from which people import posts from files of spreadsheets, export the plan, and get the
// address of their calendar feed.
package plan

import (
	"embed"
	"html/template"
	"net/http"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	domain "fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/infra/ratelimit"
)

//go:embed templates
var templates embed.FS

// Path is the page within a workspace.
const Path = "/plan"

type feature struct {
	app     *app.App
	limiter *ratelimit.Limiter
	appURL  string
}

// Feature returns the pages. AppURL is the public address of the application, to which exported calendars link.
func Feature(a *app.App, limiter *ratelimit.Limiter, appURL string) frame.Feature {
	f := &feature{app: a, limiter: limiter, appURL: appURL}
	member := func(pattern string, needs credential.Permission, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	upload := member("POST /w/{workspace}/plan", credential.PostsWrite, f.upload)
	upload.MaxForm = domain.MaxFile + 64<<10
	edit := member("POST /w/{workspace}/plan/{import}/row", credential.PostsWrite, f.editRow)
	edit.MaxForm = maxRow
	create := member("POST /w/{workspace}/plan/{import}/posts", credential.PostsWrite, f.create)
	create.Slow = true
	export := member("GET /w/{workspace}/plan.csv", "", f.export)
	export.Stream = true
	return frame.Feature{
		Name: "plan", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite},
		Routes: []frame.Route{
			member("GET /w/{workspace}/plan", "", f.start),
			upload, export,
			member("GET /w/{workspace}/plan/{import}", credential.PostsWrite, f.show),
			member("POST /w/{workspace}/plan/{import}/settings", credential.PostsWrite, f.configure),
			member("POST /w/{workspace}/plan/{import}/channels", credential.PostsWrite, f.chooseChannels),
			member("POST /w/{workspace}/plan/{import}/files", credential.PostsWrite, f.fetch),
			edit, create,
			member("POST /w/{workspace}/plan/{import}/discard", credential.PostsWrite, f.discard),
			member("POST /w/{workspace}/plan/feed", "", f.makeFeed),
			member("POST /w/{workspace}/plan/feed/revoke", "", f.revokeFeed),
			{Pattern: "GET /calendar/{file}", Access: frame.Anyone, Handle: f.calendar},
		},
	}
}

// maxRow is the largest form of a row: its text may be long.
const maxRow = 1 << 20

// startPage is the data of the page.
type startPage struct {
	Imports  []domain.Import
	Channels []channel.Channel
	States   []choice
	From, To string
	Feed     domain.Feed
	Secret   string // address of the feed that this request made
	Fault    string // of the chosen file
	Days     int    // for which imports are kept
}

// choice is an option of a form.
type choice struct {
	Value, Text string
	Chosen      bool
}

func (f *feature) start(v *frame.Visit) error {
	return f.startPage(v, http.StatusOK, func(*startPage) {})
}

func (f *feature) startPage(v *frame.Visit, status int, change func(*startPage)) error {
	ctx := v.Request.Context()
	const quarter = 3
	data := startPage{
		From: v.Now().Format(time.DateOnly), To: v.Now().AddDate(0, quarter, 0).Format(time.DateOnly),
		Days: int(domain.Life / (24 * time.Hour)),
	}
	for _, s := range exported() {
		data.States = append(data.States, choice{Value: s.name, Text: s.text})
	}
	var err error
	if data.Channels, err = f.app.Channels(ctx, v.Principal); err != nil {
		return err
	}
	if v.Principal.Allows(credential.PostsWrite) {
		if data.Imports, err = f.app.PlanImports(ctx, v.Principal); err != nil {
			return err
		}
	}
	if data.Feed, err = f.app.Feed(ctx, v.Principal); err != nil {
		return err
	}
	change(&data)
	return v.Page(frame.Page{
		Name: "plan/start", Title: "Import and export", Status: status, Wide: true, Styles: []string{"plan.css"}, Data: data,
	})
}
