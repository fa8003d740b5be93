// Package campaigns serves the pages of campaigns: their posts, figures and clicks.
package campaigns

import (
	"cmp"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

const path = "/campaigns"

type pages struct{ app *app.App }

// Feature returns the pages.
func Feature(a *app.App) frame.Feature {
	p := &pages{app: a}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	const publish = credential.PostsPublish
	return frame.Feature{
		Name: "campaigns", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite},
		Section: &frame.Section{Title: "Campaigns", Path: path, Icon: "megaphone", Key: "a", Group: "Publish"},
		Routes: []frame.Route{
			route("", "GET /w/{workspace}/campaigns", p.list),
			route(publish, "POST /w/{workspace}/campaigns", p.add),
			route(publish, "GET /w/{workspace}/campaigns/new", p.blank),
			route("", "GET /w/{workspace}/campaigns/{campaign}", p.show),
			route(publish, "GET /w/{workspace}/campaigns/{campaign}/edit", p.edit),
			route(publish, "POST /w/{workspace}/campaigns/{campaign}", p.change),
			route(publish, "POST /w/{workspace}/campaigns/{campaign}/delete", p.remove),
		},
	}
}

// item is a campaign in the list.
type item struct {
	campaign.Campaign

	State string
	Posts int
}

// Period returns the days of a campaign in words; empty if both are open.
func (i item) Period() string { return period(i.Campaign) }

func period(c campaign.Campaign) string {
	const long = "2 January 2006"
	switch {
	case c.From.IsZero() && c.Until.IsZero():
		return ""
	case c.From.IsZero():
		return "until " + c.Until.Format(long)
	case c.Until.IsZero():
		return "from " + c.From.Format(long)
	default:
		return c.From.Format(long) + " to " + c.Until.Format(long)
	}
}

func (p *pages) list(v *frame.Visit) error {
	all, err := p.app.Campaigns(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	counts, err := p.app.CampaignStates(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	today := dayOf(v.Now())
	list := make([]item, len(all))
	for i, c := range all {
		list[i] = item{Campaign: c, State: []string{"Running", "Coming", "Over"}[c.On(today)]}
		for _, n := range counts[c.ID] {
			list[i].Posts += n
		}
	}
	slices.SortStableFunc(list, func(a, b item) int { return cmp.Compare(a.On(today), b.On(today)) })
	return v.Page(frame.Page{Name: "campaigns/list", Title: "Campaigns", Data: list})
}

// dayOf returns the day that a clock shows, as midnight in UTC.
func dayOf(now time.Time) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
}

// form is the form of a campaign.
type form struct {
	campaign.Campaign

	Known       string // its name; empty: it is new
	First, Last string // days, as they were sent
	Colors      []frame.LabelColor
	Faults      map[string]string
}

// New reports whether the campaign does not exist yet.
func (f form) New() bool { return f.ID.IsZero() }

func (p *pages) blank(v *frame.Visit) error {
	all, err := p.app.Campaigns(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	colors := post.LabelColors()
	return p.form(v, http.StatusOK, form{Campaign: campaign.Campaign{Color: colors[len(all)%len(colors)]}})
}

func (p *pages) form(v *frame.Visit, status int, f form) error {
	f.Colors = frame.LabelColors()
	return v.Page(frame.Page{Name: "campaigns/form", Title: cmp.Or(f.Known, "New campaign"), Status: status, Data: f})
}

// sent reads the form.
func sent(v *frame.Visit) form {
	f := form{
		Campaign: campaign.Campaign{Name: v.Form("name"), Color: v.Form("color"), Links: campaign.Links{
			Source: v.Form("source"), Medium: v.Form("medium"), Campaign: v.Form("campaign"), Content: v.Form("content"),
		}},
		First: v.Form("first"), Last: v.Form("last"), Faults: make(map[string]string),
	}
	for name, day := range map[string]*time.Time{"first": &f.From, "last": &f.Until} {
		if text := v.Form(name); text != "" {
			var err error
			if *day, err = time.Parse(time.DateOnly, text); err != nil {
				f.Faults[name] = "Choose a day."
			}
		}
	}
	return f
}

func (p *pages) add(v *frame.Visit) error {
	f := sent(v)
	if len(f.Faults) == 0 {
		created, err := p.app.AddCampaign(v.Request.Context(), v.Principal, f.Campaign)
		faults, refused := frame.Faults(err)
		if !refused {
			return done(v, err, path+"/"+created.ID.String(), "Campaign added.")
		}
		f.Faults = faults
	}
	return p.form(v, http.StatusUnprocessableEntity, f)
}

func (p *pages) known(v *frame.Visit) (campaign.Campaign, error) {
	id, err := frame.PathID(v, "campaign", ident.Parse[ident.Campaign])
	if err != nil {
		return campaign.Campaign{}, err
	}
	return p.app.Campaign(v.Request.Context(), v.Principal, id)
}

func (p *pages) edit(v *frame.Visit) error {
	c, err := p.known(v)
	if err != nil {
		return err
	}
	f := form{Campaign: c, Known: c.Name}
	for _, day := range []struct {
		at   time.Time
		text *string
	}{{c.From, &f.First}, {c.Until, &f.Last}} {
		if !day.at.IsZero() {
			*day.text = day.at.Format(time.DateOnly)
		}
	}
	return p.form(v, http.StatusOK, f)
}

func (p *pages) change(v *frame.Visit) error {
	c, err := p.known(v)
	if err != nil {
		return err
	}
	f := sent(v)
	f.ID, f.Known = c.ID, c.Name
	if len(f.Faults) == 0 {
		err := p.app.ChangeCampaign(v.Request.Context(), v.Principal, f.Campaign)
		faults, refused := frame.Faults(err)
		if !refused {
			return done(v, err, path+"/"+c.ID.String(), "Saved.")
		}
		f.Faults = faults
	}
	return p.form(v, http.StatusUnprocessableEntity, f)
}

func (p *pages) remove(v *frame.Visit) error {
	c, err := p.known(v)
	if err == nil {
		err = p.app.DeleteCampaign(v.Request.Context(), v.Principal, c.ID)
	}
	return done(v, err, path, "“"+c.Name+"” deleted. Its posts stay.")
}

func done(v *frame.Visit, err error, to, notice string) error {
	if err != nil {
		return err
	}
	return v.Done(v.Path(to), notice)
}
