// Package feeds serves the pages of feeds of other sites whose items become drafts.
package feeds

import (
	"embed"
	"html/template"
	"net/http"
	"slices"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/source"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

const path = "/feeds"

type pages struct{ app *app.App }

// Feature returns the pages.
func Feature(a *app.App) frame.Feature {
	p := &pages{app: a}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	slow := func(r frame.Route) frame.Route {
		r.Slow = true
		return r
	}
	const publish = credential.PostsPublish
	return frame.Feature{
		Name: "feeds", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite},
		Routes: []frame.Route{
			route("", "GET /w/{workspace}/feeds", p.list),
			slow(route(publish, "POST /w/{workspace}/feeds", p.add)),
			route(publish, "GET /w/{workspace}/feeds/new", p.blank),
			route(publish, "GET /w/{workspace}/feeds/{source}", p.edit),
			route(publish, "POST /w/{workspace}/feeds/{source}", p.change),
			slow(route(publish, "POST /w/{workspace}/feeds/{source}/read", p.read)),
			route(publish, "POST /w/{workspace}/feeds/{source}/pause", p.pause(true, "Paused.")),
			route(publish, "POST /w/{workspace}/feeds/{source}/resume", p.pause(false, "Resumed. It is read within the hour.")),
			route(publish, "POST /w/{workspace}/feeds/{source}/delete", p.remove),
		},
	}
}

// item is a feed in the list.
type item struct {
	source.Source

	Channels []channel.Channel
}

type items []item

// Channels returns the channels, for the sprite of marks.
func (l items) Channels() (list []channel.Channel) {
	for _, i := range l {
		list = append(list, i.Channels...)
	}
	return list
}

// Networks names the networks of the feed's drafts.
func (i item) Networks() string { return poststate.Networks(i.Channels) }

func (p *pages) list(v *frame.Visit) error {
	all, err := p.app.Sources(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	channels, err := p.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	list := make(items, len(all))
	for i, s := range all {
		list[i] = item{Source: s}
		for _, c := range channels {
			if slices.Contains(s.Channels, c.ID) {
				list[i].Channels = append(list[i].Channels, c)
			}
		}
	}
	return v.Page(frame.Page{Name: "feeds/list", Title: "Feeds", Styles: []string{"sheet.css"}, Data: list})
}

// form is the form of a feed.
type form struct {
	source.Source

	Newest bool // of the items that the feed has now, the newest becomes a draft
	All    []choice
	Faults map[string]string
}

type choice struct {
	channel.Channel

	Chosen bool
}

// New reports whether the feed does not exist yet.
func (f form) New() bool { return f.ID.IsZero() }

func (p *pages) form(v *frame.Visit, status int, f form) error {
	channels, err := p.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	for _, c := range channels {
		if c.Type.Capabilities().Publish {
			f.All = append(f.All, choice{c, slices.Contains(f.Channels, c.ID)})
		}
	}
	title := "New feed"
	if !f.New() {
		title = f.Name()
	}
	return v.Page(frame.Page{Name: "feeds/form", Title: title, Status: status, Data: f})
}

func (p *pages) blank(v *frame.Visit) error {
	return p.form(v, http.StatusOK, form{Source: source.Source{Template: source.DefaultTemplate}, Newest: true})
}

// sent reads the form. A channel that is no ID is none of the workspace.
func sent(v *frame.Visit) form {
	f := form{Source: source.Source{URL: v.Form("url"), Template: v.Form("template")}, Newest: v.Form("begin") == "newest"}
	for _, text := range v.Fields()["channel"] {
		id, _ := ident.Parse[ident.Channel](text)
		f.Channels = append(f.Channels, id)
	}
	return f
}

func (p *pages) add(v *frame.Visit) error {
	f := sent(v)
	err := p.app.AddSource(v.Request.Context(), v.Principal, f.Source, f.Newest)
	if faults, refused := frame.Faults(err); refused {
		f.Faults = faults
		return p.form(v, http.StatusUnprocessableEntity, f)
	}
	notice := "Feed added. New items become drafts within the hour."
	if f.Newest {
		notice = "Feed added. Its newest item is under Drafts."
	}
	return done(v, err, notice)
}

func (p *pages) known(v *frame.Visit) (source.Source, error) {
	id, err := frame.PathID(v, "source", ident.Parse[ident.Source])
	if err != nil {
		return source.Source{}, err
	}
	return p.app.Source(v.Request.Context(), v.Principal, id)
}

func (p *pages) edit(v *frame.Visit) error {
	s, err := p.known(v)
	if err != nil {
		return err
	}
	return p.form(v, http.StatusOK, form{Source: s})
}

func (p *pages) change(v *frame.Visit) error {
	s, err := p.known(v)
	if err != nil {
		return err
	}
	f := sent(v)
	s.Template, s.Channels = f.Template, f.Channels
	err = p.app.ChangeSource(v.Request.Context(), v.Principal, s)
	if faults, refused := frame.Faults(err); refused {
		return p.form(v, http.StatusUnprocessableEntity, form{Source: s, Faults: faults})
	}
	return done(v, err, "Saved.")
}

func (p *pages) read(v *frame.Visit) error {
	s, err := p.known(v)
	if err == nil {
		s, err = p.app.ReadSource(v.Request.Context(), v.Principal, s.ID)
	}
	if s.Fault != "" {
		return done(v, err, "Not read. "+s.Fault)
	}
	return done(v, err, "Read. New items are under Drafts.")
}

func (p *pages) pause(paused bool, notice string) func(*frame.Visit) error {
	return func(v *frame.Visit) error {
		s, err := p.known(v)
		if err == nil {
			err = p.app.PauseSource(v.Request.Context(), v.Principal, s.ID, paused)
		}
		return done(v, err, notice)
	}
}

func (p *pages) remove(v *frame.Visit) error {
	s, err := p.known(v)
	if err == nil {
		err = p.app.DeleteSource(v.Request.Context(), v.Principal, s.ID)
	}
	return done(v, err, "Feed deleted. Its drafts stay.")
}

func done(v *frame.Visit, err error, notice string) error {
	if err != nil {
		return err
	}
	return v.Done(v.Path(path), notice)
}
