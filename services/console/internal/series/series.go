// Package series serves the pages of recurring posts.
package series

import (
	"cmp"
	"context"
	"embed"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/series"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

type pages struct{ app *app.App }

// Feature returns the pages.
func Feature(a *app.App) frame.Feature {
	p := &pages{app: a}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	const publish = credential.PostsPublish
	return frame.Feature{
		Name: "series", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite},
		Routes: []frame.Route{
			route("", "GET /w/{workspace}/series", p.list),
			route(publish, "POST /w/{workspace}/series", p.start),
			route(publish, "GET /w/{workspace}/series/new", p.blank),
			route("", "GET /w/{workspace}/series/{series}", p.show),
			route(publish, "POST /w/{workspace}/series/{series}", p.change),
			route(publish, "POST /w/{workspace}/series/{series}/end", p.end),
			route(publish, "POST /w/{workspace}/series/{series}/skip", p.day(a.SkipSeriesDay, "Skipped.")),
			route(publish, "POST /w/{workspace}/series/{series}/restore", p.day(a.RestoreSeriesDay, "Restored.")),
			route(publish, "POST /w/{workspace}/series/follow", p.follow),
		},
	}
}

// item is a series in a list.
type item struct {
	series.Series

	Title    string // first words of its posts
	Words    string // its rule
	Channels []channel.Channel
}

// Networks names the networks of the series, for people who do not see the marks.
func (i item) Networks() string { return poststate.Networks(i.Channels) }

func (p *pages) item(of series.Series, channels []channel.Channel) (item, error) {
	const most = 60
	content, err := p.app.SeriesContent(of)
	one := item{Series: of, Title: cmp.Or(poststate.Clipped(cmp.Or(content.Title, content.Content), most), "Post without a text"), Words: Words(of.Rule)}
	known := channel.ByID(channels)
	for _, id := range content.ChannelIDs {
		if c, ok := known[id]; ok {
			one.Channels = append(one.Channels, c)
		}
	}
	return one, err
}

func (p *pages) list(v *frame.Visit) error {
	all, err := p.app.AllSeries(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	channels, err := p.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	var data struct{ Running, Ended []item }
	for _, of := range all {
		one, err := p.item(of, channels)
		if err != nil {
			return err
		}
		if of.Next.IsZero() {
			data.Ended = append(data.Ended, one)
		} else {
			data.Running = append(data.Running, one)
		}
	}
	return v.Page(frame.Page{Name: "series/list", Title: "Recurring posts", Data: data})
}

// day is a day of a series on its page.
type day struct {
	app.SeriesPosts

	Words  string // what became of it
	Why    string
	Post   ident.Post // the first of its posts; zero: it has none
	Number int        // of posts
	Glyph  string
	Skips  bool
	Back   bool // it can be made again
}

func days(list []app.SeriesPosts, channels []channel.Channel, now time.Time) []day {
	known, out := channel.ByID(channels), make([]day, len(list))
	for i, one := range list {
		d := day{SeriesPosts: one, Why: one.Why, Number: len(one.Posts)}
		coming := one.At.After(now)
		switch {
		case d.Number > 0:
			first := one.Posts[0]
			d.Post, d.Glyph = first.ID, poststate.Glyph(first, known[first.ChannelID])
			d.Words, d.Skips = frame.Words(first.Status), coming && (first.Status == post.Scheduled || first.Status == post.Draft)
		case one.Why == "" && one.GroupID.IsZero():
			d.Words, d.Back = "Skipped", coming
		case one.Why == "":
			d.Words, d.Back = "Deleted", coming
		default:
			d.Words, d.Back = "Not made", coming
		}
		out[i] = d
	}
	return out
}

// showPage is the data of the page of a series.
type showPage struct {
	item

	Coming, Past []day
	Later        []later
	Form         form
}

// later is a day that has no posts yet.
type later struct{ Day, At time.Time }

func (p *pages) show(v *frame.Visit) error {
	of, err := p.known(v)
	if err != nil {
		return err
	}
	return p.page(v, of, http.StatusOK, formOf(of.Rule, v.Now().In(v.Zone())))
}

func (p *pages) known(v *frame.Visit) (series.Series, error) {
	id, err := frame.PathID(v, "series", ident.Parse[ident.Series])
	if err != nil {
		return series.Series{}, err
	}
	return p.app.Series(v.Request.Context(), v.Principal, id)
}

func (p *pages) page(v *frame.Visit, of series.Series, status int, f form) error {
	channels, err := p.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	data := showPage{Form: f}
	if data.item, err = p.item(of, channels); err != nil {
		return err
	}
	coming, past, err := p.app.SeriesDays(v.Request.Context(), v.Principal, of.ID)
	if err != nil {
		return err
	}
	data.Coming, data.Past = days(coming, channels, v.Now()), days(past, channels, v.Now())
	if !of.Next.IsZero() {
		const few = 3
		for next := of.Next; !next.IsZero() && len(data.Later) < few; next = of.Rule.Next(next) {
			at, err := of.Rule.At(next)
			if err != nil {
				return err
			}
			data.Later = append(data.Later, later{next, at})
		}
	}
	return v.Page(frame.Page{Name: "series/show", Title: data.Title, Status: status, Styles: []string{"sheet.css"}, Data: data})
}

// newPage is the data of the page that repeats a set.
type newPage struct {
	Post  ident.Post
	Title string
	At    time.Time
	Form  form
}

func (p *pages) blank(v *frame.Visit) error {
	if v.Query("post") == "" { // the address alone repeats nothing
		v.Redirect(v.Path("/series"))
		return nil
	}
	of, err := p.first(v, v.Query("post"))
	if err != nil {
		return err
	}
	at := of.ScheduledAt.In(v.Zone())
	return p.newPage(v, of, http.StatusOK, form{
		Unit: series.Week, Every: "1", Weekdays: []time.Weekday{at.Weekday()}, Count: "10", First: at,
	})
}

// first returns the post that is repeated.
func (p *pages) first(v *frame.Visit, text string) (post.Post, error) {
	id, err := ident.Parse[ident.Post](text)
	if err != nil {
		return post.Post{}, apperr.New(apperr.NotFound, "There is no such post.")
	}
	return p.app.Post(v.Request.Context(), v.Principal, id)
}

func (p *pages) newPage(v *frame.Visit, of post.Post, status int, f form) error {
	const most = 60
	return v.Page(frame.Page{Name: "series/new", Title: "Repeat", Status: status, Data: newPage{
		Post: of.ID, Title: cmp.Or(poststate.Clipped(cmp.Or(of.Title, of.Content), most), "Post without a text"), At: of.ScheduledAt, Form: f,
	}})
}

func (p *pages) start(v *frame.Visit) error {
	of, err := p.first(v, v.Form("post"))
	if err != nil {
		return err
	}
	f := sent(v)
	f.First = of.ScheduledAt.In(v.Zone())
	rule := f.rule(v.Workspace.Timezone, f.First)
	if len(f.Faults) == 0 {
		started, err := p.app.RepeatSet(v.Request.Context(), v.Principal, of.GroupID, rule)
		if err == nil {
			return v.Done(v.Path("/series/"+started.ID.String()), "It repeats: "+Words(started.Rule)+".")
		}
		if f.Faults, err = refusal(err); err != nil {
			return err
		}
	}
	return p.newPage(v, of, http.StatusUnprocessableEntity, f)
}

// refusal returns the faults of a form that was refused, by their fields.
func refusal(err error) (map[string]string, error) {
	if faults, ok := frame.Faults(err); ok {
		return faults, nil
	}
	return nil, err
}

func (p *pages) change(v *frame.Visit) error {
	of, err := p.known(v)
	if err != nil {
		return err
	}
	f := sent(v)
	start := f.start()
	rule := f.rule(v.Workspace.Timezone, start)
	if len(f.Faults) == 0 {
		err := p.app.ChangeSeriesRule(v.Request.Context(), v.Principal, of.ID, rule)
		if err == nil {
			return v.Done(v.Path("/series/"+of.ID.String()), "Saved. Posts that someone changed keep their times.")
		}
		if f.Faults, err = refusal(err); err != nil {
			return err
		}
	}
	return p.page(v, of, http.StatusUnprocessableEntity, f)
}

func (p *pages) end(v *frame.Visit) error {
	of, err := p.known(v)
	if err != nil {
		return err
	}
	deletes := v.Form("posts") == "delete"
	if err := p.app.EndSeries(v.Request.Context(), v.Principal, of.ID, deletes); err != nil {
		return err
	}
	return v.Done(v.Path("/series/"+of.ID.String()), map[bool]string{true: "Ended. Its planned posts are deleted.", false: "Ended. Its planned posts stay."}[deletes])
}

// day returns the handler of an action on a day of a series.
func (p *pages) day(
	act func(context.Context, app.Principal, ident.Series, time.Time) error, done string,
) func(*frame.Visit) error {
	return func(v *frame.Visit) error {
		of, err := p.known(v)
		if err != nil {
			return err
		}
		on, err := time.Parse(time.DateOnly, v.Form("day"))
		if err != nil {
			return apperr.New(apperr.NotFound, "The series has no such day to come.")
		}
		if err := act(v.Request.Context(), v.Principal, of.ID, on); err != nil {
			return err
		}
		return v.Done(v.Path("/series/"+of.ID.String()), done)
	}
}

// follow uses the content of a post's set for the later days of its series.
func (p *pages) follow(v *frame.Visit) error {
	of, err := p.first(v, v.Form("post"))
	if err != nil {
		return err
	}
	if err := p.app.FollowSet(v.Request.Context(), v.Principal, of.GroupID); err != nil {
		return err
	}
	return v.Done(v.Path("/posts/"+of.ID.String()), "All following posts have this content, except for those that someone changed.")
}

// number parses a number of a form; negative: it is none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}
