// Package calendar serves the calendar of a workspace: its posts and free slots by month, week and day, and as a list.
package calendar

import (
	"embed"
	"html/template"
	"net/http"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

type calendar struct {
	app   *app.App
	leads *app.LeadDesk // of the page of today
}

// Feature returns the pages.
func Feature(a *app.App) frame.Feature {
	c := &calendar{app: a}
	return frame.Feature{
		Name: "calendar", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite, "moveAddress": moveAddress},
		Section: &frame.Section{Title: "Calendar", Path: "/calendar", Icon: "calendar-days", Key: "c", Group: "Publish", Thumb: true},
		Routes: []frame.Route{
			{Pattern: "GET /w/{workspace}/calendar", Access: frame.Members, Handle: c.show},
			{
				Pattern: "GET /w/{workspace}/calendar/move", Access: frame.Members, Needs: credential.PostsPublish, Handle: c.askToMove,
			},
			{
				Pattern: "POST /w/{workspace}/calendar/move", Access: frame.Members, Needs: credential.PostsPublish, Handle: c.move,
			},
			{
				Pattern: "POST /w/{workspace}/calendar/notes", Access: frame.Members, Needs: credential.PostsWrite, Handle: c.addNote,
			},
			{
				Pattern: "POST /w/{workspace}/calendar/notes/{note}/delete", Access: frame.Members, Needs: credential.PostsWrite,
				Handle: c.deleteNote,
			},
			{
				Pattern: "GET /w/{workspace}/calendar/holidays", Access: frame.Members, Needs: credential.WorkspaceManage,
				Handle: c.holidays,
			},
			{
				Pattern: "POST /w/{workspace}/calendar/holidays", Access: frame.Members, Needs: credential.WorkspaceManage,
				Handle: c.chooseHolidays,
			},
		},
	}
}

// Today returns the page of what is next and of what needs a person, and the address at which visits to a workspace begin.
func Today(a *app.App, leads *app.LeadDesk) frame.Feature {
	c := &calendar{app: a, leads: leads}
	return frame.Feature{
		Name: "today", Section: &frame.Section{Title: "Today", Path: "/today", Icon: "sun", Key: "t", Group: "Publish", Thumb: true, Counts: needCounts},
		Routes: []frame.Route{
			{Pattern: "GET /w/{workspace}/today", Access: frame.Members, Handle: c.today},
			{Pattern: "GET /w/{workspace}", Access: frame.Members, Handle: c.start},
		},
	}
}

// page is the data of the calendar.
type page struct {
	span

	Title     string
	Earlier   string // address of the period before
	Later     string
	Today     string
	Views     []choice
	States    []choice
	Channels  []channel.Channel
	Channel   string
	Labels    []post.Label
	Label     string
	People    []member.Member // who can have written posts
	Author    string
	Campaigns []campaign.Campaign
	Campaign  string
	Days      []day
	Hours     []hour // of the week
	Before    fold
	After     fold
	Clipped   bool   // there are more posts than the page shows
	City      string // of the time zone
	Connected bool
	Address   string // of this page
	From      int    // first hour of the week
	Fault     string // of a note
	Text      string // of the note, as it was typed
}

// choice is one of several links.
type choice struct {
	Text, Href, Glyph, Tone string
	Current                 bool
	Count                   int
}

func (c *calendar) show(v *frame.Visit) error { return c.pageWith(v, http.StatusOK, nil) }

// choices reads what people filter by, and the query of the address.
func (c *calendar) choices(v *frame.Visit) (data page, q query, err error) {
	ctx := v.Request.Context()
	if data.Channels, err = c.app.Channels(ctx, v.Principal); err != nil {
		return data, q, err
	}
	if data.Labels, err = c.app.Labels(ctx, v.Principal); err != nil {
		return data, q, err
	}
	if data.People, err = c.app.Members(ctx, v.Principal); err != nil {
		return data, q, err
	}
	if data.Campaigns, err = c.app.Campaigns(ctx, v.Principal); err != nil {
		return data, q, err
	}
	q = queryOf(v, data)
	data.span, data.Title, data.Address, data.Views = q.span, q.title(), q.address(v), views(v, q)
	data.City, data.Connected, data.Label = frame.City(v.Workspace.Timezone), len(data.Channels) > 0, q.label
	data.Earlier, data.Later, data.Today = q.on(q.step(-1)).address(v), q.on(q.step(1)).address(v), q.on(v.Now()).address(v)
	if !q.channel.IsZero() {
		data.Channel = q.channel.String()
	}
	if !q.author.IsZero() {
		data.Author = q.author.String()
	}
	if !q.campaign.IsZero() {
		data.Campaign = q.campaign.String()
	}
	return data, q, nil
}

// pageWith shows the period of the address, with changes.
func (c *calendar) pageWith(v *frame.Visit, status int, change func(*page)) error {
	ctx := v.Request.Context()
	data, q, err := c.choices(v)
	if err != nil {
		return err
	}
	channels := data.Channels
	planned, more, err := c.app.Planned(ctx, v.Principal, q.First, q.End, postgres.PostFilter{})
	if err != nil {
		return err
	}
	data.Clipped = more
	open, err := c.open(v, q, channels, planned)
	if err != nil {
		return err
	}
	all := slipsOf(planned, channels, v.Zone())
	shown := q.shown(all)
	data.States = states(v, q, all)
	data.Days = daysOf(q.span, shown, open, v.Now())
	if err := c.illustrate(v, inView(q.View, data.Days)); err != nil {
		return err
	}
	if err := c.annotate(v, q, data.Days); err != nil {
		return err
	}
	if change != nil {
		change(&data)
	}
	if q.View == week {
		data.fold(q, v)
	}
	return v.Page(frame.Page{
		Name: "calendar/" + string(q.View.template()), Title: "Calendar", Status: status, Wide: true, Styles: []string{"calendar.css"},
		Scripts: []string{"calendar.js"}, Data: data,
	})
}

// open returns the free slots of the rest of the period, which filters by state, label and author hide.
func (c *calendar) open(v *frame.Visit, q query, channels []channel.Channel, planned []post.Post) ([]opening, error) {
	from := later(q.First, v.Now())
	if !q.wholePlan() || !from.Before(q.End) {
		return nil, nil
	}
	if !q.channel.IsZero() {
		channels = only(channels, q.channel)
	}
	free, err := c.app.OpenSlots(v.Request.Context(), v.Principal, channels, planned, from, q.End)
	if err != nil {
		return nil, err
	}
	return openingsOf(free, channels, v.Now().Location()), nil
}

// illustrate gives slips the thumbnails of their first attachments.
func (c *calendar) illustrate(v *frame.Visit, slips []*slip) error {
	var first []ident.Media
	for _, s := range slips {
		if !s.media.IsZero() {
			first = append(first, s.media)
		}
	}
	found, err := c.app.Thumbnails(v.Request.Context(), v.Principal, first)
	for _, s := range slips {
		s.Picture = found[s.media]
	}
	return err
}

// inView returns the slips of days that a view shows.
func inView(of view, days []day) (slips []*slip) {
	for _, d := range days {
		shown := d.Slips
		if of == month {
			shown = d.Shown()
		}
		for i := range shown {
			slips = append(slips, &shown[i])
		}
	}
	return slips
}

func only(channels []channel.Channel, id ident.Channel) []channel.Channel {
	for _, c := range channels {
		if c.ID == id {
			return []channel.Channel{c}
		}
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
