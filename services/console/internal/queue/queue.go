// Package queue serves the queue of a channel: its slots of the next weeks with what sits in them, and its weekly times; and
// the grid of its profile.
package queue

import (
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

type queue struct{ app *app.App }

// Feature returns the pages.
func Feature(a *app.App) frame.Feature {
	q := &queue{app: a}
	changes := func(pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: credential.PostsPublish, Handle: handle}
	}
	return frame.Feature{
		Name: "queue", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite, "icons": frame.Icons, "stamp": stamp},
		Section: &frame.Section{Title: "Queue", Path: "/queue", Icon: "list-ordered", Key: "q", Group: "Publish"},
		Routes: []frame.Route{
			{Pattern: "GET /w/{workspace}/queue", Access: frame.Members, Handle: q.first},
			{Pattern: "GET /w/{workspace}/queue/{channel}", Access: frame.Members, Handle: q.show},
			changes("POST /w/{workspace}/queue/{channel}/move", q.move),
			changes("POST /w/{workspace}/queue/{channel}/shuffle", q.shuffle),
			changes("POST /w/{workspace}/queue/{channel}/pause", q.pause),
			changes("POST /w/{workspace}/queue/{channel}/resume", q.resume),
			changes("POST /w/{workspace}/queue/{channel}/slots", q.slots),
			changes("POST /w/{workspace}/queue/{channel}/copy", q.copy),
		},
	}
}

// stamp formats a time for forms and addresses.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// first leads to the queue of the first channel.
func (q *queue) first(v *frame.Visit) error {
	channels, err := q.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	if len(channels) > 0 {
		v.Redirect(v.Path("/queue/" + channels[0].ID.String()))
		return nil
	}
	return v.Page(frame.Page{Name: "queue/blank", Title: "Queue", Wide: true})
}

// page is the data of a queue.
type page struct {
	app.Queue
	look

	HasGrid  bool  // the network shows profiles as a grid
	Grid     *grid // nil: the page shows the queue
	Channels []line
	Others   []channel.Channel // to which the schedule can be copied
	Zone     string            // of the channel, for people
	Days     []day
	Taken    int // slots and other times that have a post
	Moving   int // posts that can be moved
	More     int // weeks that the page can show next; zero if it shows all
	Week     []weekday
	PausedBy pausing
	Late     int // posts that became due while the channel is paused, which Resume decides about

	Fault      string // of a move
	PauseFault string
	SlotFault  string
	SlotDay    string // of the fault
	SlotTime   string
	CopyFault  string
}

// Marks returns the channels whose networks' marks the page needs.
func (p page) Marks() []channel.Channel { return []channel.Channel{p.Channel} }

// Action returns the address of a form, which leads back to what the page shows.
func (p page) Action(name string) string {
	return "/w/" + p.Channel.WorkspaceID.String() + "/queue/" + p.Channel.ID.String() + "/" + name + p.query()
}

// Showing returns the address of the page that shows the grid or the queue.
func (p page) Showing(isGrid bool) string {
	return "/w/" + p.Channel.WorkspaceID.String() + "/queue/" + p.Channel.ID.String() + look{Weeks: p.Weeks, IsGrid: isGrid, Shown: usualShown}.query()
}

// The weeks that a page shows.
const (
	usualWeeks = 2
	mostWeeks  = 12
	daysOfWeek = 7
)

// look says what a page shows, as its address does.
type look struct {
	Weeks  int
	IsGrid bool // the profile of the account instead of the queue
	Shown  int  // published posts of the profile
}

func lookOf(v *frame.Visit) look {
	number := func(name string, usual, most int) int {
		if n, err := strconv.Atoi(v.Query(name)); err == nil && n > usual {
			return min(n, most)
		}
		return usual
	}
	return look{number("weeks", usualWeeks, mostWeeks), v.Query("look") == "grid", number("shown", usualShown, mostShown)}
}

// query returns the look for an address; empty for the usual one.
func (l look) query() string {
	values := url.Values{}
	if l.Weeks != usualWeeks {
		values.Set("weeks", strconv.Itoa(l.Weeks))
	}
	if l.IsGrid {
		values.Set("look", "grid")
		if l.Shown != usualShown {
			values.Set("shown", strconv.Itoa(l.Shown))
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// until returns the end of the days that the page shows.
func until(v *frame.Visit, zone *time.Location) time.Time {
	now := v.Now().In(zone)
	return time.Date(now.Year(), now.Month(), now.Day()+lookOf(v).Weeks*daysOfWeek, 0, 0, 0, 0, zone)
}

func (q *queue) show(v *frame.Visit) error { return q.pageWith(v, http.StatusOK, nil) }

// refused shows the page again with what is wrong.
func (q *queue) refused(v *frame.Visit, change func(*page)) error {
	return q.pageWith(v, http.StatusUnprocessableEntity, change)
}

// chosen is the channel of the address.
type chosen struct {
	channel.Channel

	zone *time.Location
}

// path returns the address of the page from which a form came.
func (c chosen) path(v *frame.Visit) string {
	return v.Path("/queue/"+c.ID.String()) + lookOf(v).query()
}

func (q *queue) chosen(v *frame.Visit) (chosen, error) {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return chosen{}, err
	}
	c, err := q.app.Channel(v.Request.Context(), v.Principal, id)
	if err != nil {
		return chosen{}, err
	}
	return chosen{c, frame.ZoneOf(c.Timezone)}, nil
}

// pageWith shows the queue of the channel in the address, with changes.
func (q *queue) pageWith(v *frame.Visit, status int, change func(*page)) error {
	ctx := v.Request.Context()
	c, err := q.chosen(v)
	if err != nil {
		return err
	}
	data := page{Zone: frame.City(c.Timezone), look: lookOf(v)}
	if data.Queue, err = q.app.Queue(ctx, v.Principal, c.ID, until(v, c.zone)); err != nil {
		return err
	}
	if data.Weeks < mostWeeks {
		data.More = min(2*data.Weeks, mostWeeks)
	}
	pictures, err := q.pictures(v, data.Places)
	if err != nil {
		return err
	}
	data.Days = daysOf(data.Queue, v.Now().In(c.zone), pictures)
	for _, p := range data.Places {
		if !p.Free() {
			data.Taken++
		}
		if p.Moves() {
			data.Moving++
		}
	}
	data.Week = weekOf(data.Slots)
	if err := q.profile(v, &data, v.Now().In(c.zone)); err != nil {
		return err
	}
	if err := q.channels(v, &data); err != nil {
		return err
	}
	if err := q.paused(v, &data); err != nil {
		return err
	}
	if change != nil {
		change(&data)
	}
	return v.Page(frame.Page{
		Name: "queue/show", Title: "Queue of " + c.Name, Wide: true, Status: status, Styles: []string{"queue.css"},
		Scripts: []string{"queue.js"}, Data: data,
	})
}

// pictures returns the thumbnails of the first attachments of posts.
func (q *queue) pictures(v *frame.Visit, places []app.Place) (map[ident.Media]string, error) {
	var first []ident.Media
	for _, p := range places {
		if len(p.Post.MediaIDs) > 0 {
			first = append(first, p.Post.MediaIDs[0])
		}
	}
	return q.app.Thumbnails(v.Request.Context(), v.Principal, first)
}

// line is a channel in the list.
type line struct {
	channel.Channel

	Avatar string
	Next   string // the next free slot, or why there is none
	Here   bool
}

func (q *queue) channels(v *frame.Visit, data *page) error {
	ctx := v.Request.Context()
	channels, err := q.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	next, err := q.app.NextSlots(ctx, v.Principal, channels)
	if err != nil {
		return err
	}
	avatars, err := q.app.Avatars(ctx, v.Principal)
	if err != nil {
		return err
	}
	for _, c := range channels {
		here := c.ID == data.Channel.ID
		data.Channels = append(data.Channels, line{c, avatars[c.ID], nextOf(v, c, next[c.ID]), here})
		if !here {
			data.Others = append(data.Others, c)
		}
	}
	return nil
}

// nextOf says when the next free slot of a channel is, in the zone of the channel.
func nextOf(v *frame.Visit, c channel.Channel, at time.Time) string {
	switch {
	case c.Paused():
		return "paused"
	case !c.Ready():
		return "reconnect"
	case at.IsZero():
		return "no free slot"
	}
	zone := frame.ZoneOf(c.Timezone)
	now := v.Now().In(zone)
	switch local := at.In(zone); {
	case frame.Today(local, now):
		return local.Format("today 15:04")
	case local.Sub(now) < (daysOfWeek-1)*24*time.Hour:
		return local.Format("Mon 15:04")
	default:
		return local.Format("Mon 2 Jan, 15:04")
	}
}
