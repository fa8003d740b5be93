package plan

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/sheet"
	"fencepost.internal/shared/domain/channel"
	domain "fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// state is a state of posts in addresses and in files.
type state struct {
	name, text string
	statuses   []post.Status
}

// exported are the states by which an export is filtered.
func exported() []state {
	return []state{
		{"planned", "What is planned", []post.Status{post.Draft, post.PendingApproval, post.Scheduled}},
		{"draft", "Drafts", []post.Status{post.Draft}},
		{"pending_approval", "To approve", []post.Status{post.PendingApproval}},
		{"scheduled", "Scheduled", []post.Status{post.Scheduled}},
		{"published", "Published", []post.Status{post.Published}},
		{"failed", "Failed", []post.Status{post.Failed}},
		{"archived", "Archived", []post.Status{post.Archived}},
	}
}

// exportLife is the longest time in which one page of posts is sent.
const exportLife = time.Minute

// export sends the posts of the filters of the address as a file. A filter that does not exist is refused before the first
// row.
func (f *feature) export(v *frame.Visit) error {
	channels, err := f.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	filter, fault := filterOf(v, channels)
	if fault != "" {
		v.Message(http.StatusUnprocessableEntity, "Nothing exported", fault, frame.Link{Text: "Back", Path: v.Path(Path)})
		return nil
	}
	h := v.Out.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition", `attachment; filename="plan-`+v.Now().Format(time.DateOnly)+`.csv"`)
	out, err := sheet.NewWriter(v.Out)
	if err != nil {
		return nil //nolint:nilerr // the visitor has left
	}
	e := exporter{feature: f, visit: v, zone: v.Zone(), find: directory{channels: channels}, names: make(map[ident.Channel]string)}
	for {
		// an error means that the connection has no deadlines, as in tests
		_ = frame.MayWriteFor(v.Out, exportLife)
		found, err := f.app.Posts(v.Request.Context(), v.Principal, filter)
		if err == nil {
			err = e.write(out, found)
		}
		if err != nil {
			// The status is sent: only a broken connection shows the browser that rows are missing.
			panic(http.ErrAbortHandler) //nolint:forbidigo // how a handler cuts a connection
		}
		if len(found) < filter.Limit {
			return nil
		}
		filter.After = filter.Sort.Position(found[len(found)-1])
	}
}

// filterOf returns the posts that an address asks for, or why there are none.
func filterOf(v *frame.Visit, channels []channel.Channel) (filter postgres.PostFilter, fault string) {
	filter = postgres.PostFilter{Sort: post.EarliestFirst, Limit: postgres.MaxPage}
	var err error
	if text := v.Query("from"); text != "" {
		if filter.ScheduledFrom, err = time.ParseInLocation(time.DateOnly, text, v.Zone()); err != nil {
			return filter, "“" + text + "” is not a day such as 2026-12-24."
		}
	}
	if text := v.Query("to"); text != "" {
		last, err := time.ParseInLocation(time.DateOnly, text, v.Zone())
		if err != nil {
			return filter, "“" + text + "” is not a day such as 2026-12-24."
		}
		filter.ScheduledTo = last.AddDate(0, 0, 1) // the day is part of the export
	}
	if !filter.ScheduledTo.IsZero() && !filter.ScheduledFrom.Before(filter.ScheduledTo) {
		return filter, "The last day is before the first one."
	}
	if name := v.Query("state"); name != "" {
		at := slices.IndexFunc(exported(), func(s state) bool { return strings.EqualFold(s.name, name) })
		if at < 0 {
			return filter, "There is no state “" + name + "”."
		}
		filter.Statuses = exported()[at].statuses
	}
	if id := v.Query("channel"); id != "" {
		at := slices.IndexFunc(channels, func(c channel.Channel) bool { return c.ID.String() == id })
		if at < 0 {
			return filter, "There is no such channel in this workspace."
		}
		filter.ChannelIDs = []ident.Channel{channels[at].ID}
	}
	return filter, ""
}

// exporter writes posts as rows.
type exporter struct {
	*feature

	visit *frame.Visit
	zone  *time.Location
	find  directory
	names map[ident.Channel]string // as cells
}

// write writes a page of posts, and sends it.
func (e *exporter) write(out *sheet.Writer, posts []post.Post) error {
	media, err := e.mediaNames(posts)
	if err != nil {
		return err
	}
	for _, p := range posts {
		if err := out.Write(e.row(p, media)); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_ = http.NewResponseController(e.visit.Out).Flush() // an error means that the writer does not buffer
	return nil
}

func (e *exporter) row(p post.Post, media map[ident.Media]string) map[domain.Column]string {
	cells := map[domain.Column]string{
		domain.Channel: e.channel(p.ChannelID), domain.Text: p.Content, domain.Title: p.Title, domain.ExternalID: p.ExternalID,
		domain.PostID: p.ID.String(), domain.State: strings.ToLower(strings.ReplaceAll(string(p.Status), "_", " ")),
		domain.Labels: strings.Join(p.Labels, "; "),
	}
	if strings.Contains(cells[domain.Labels], ",") && len(p.Labels) == 1 {
		cells[domain.Labels] += ";"
	}
	if !p.ScheduledAt.IsZero() {
		cells[domain.Date], cells[domain.Time], cells[domain.Zone] = e.time(p.ScheduledAt)
	}
	var names, texts []string
	for _, id := range p.MediaIDs {
		names, texts = append(names, media[id]), append(texts, strings.Join(strings.Fields(p.MediaAltTexts[id]), " "))
	}
	cells[domain.Media] = strings.Join(names, "; ")
	cells[domain.AltText] = strings.TrimRight(strings.Join(texts, "\n"), "\n")
	return cells
}

// time returns the date, the time and the zone of an instant. A time that the clocks of the zone show twice is in UTC.
func (e *exporter) time(at time.Time) (date, clock, zone string) {
	local := at.In(e.zone)
	if !wallclock.In(e.zone, local).Equal(at) {
		local = at.UTC()
	}
	layout := "15:04"
	if local.Second() != 0 {
		layout = time.TimeOnly
	}
	return local.Format(time.DateOnly), local.Format(layout), local.Location().String()
}

func (e *exporter) channel(id ident.Channel) string {
	if name, ok := e.names[id]; ok {
		return name
	}
	name := id.String()
	for _, c := range e.find.channels {
		if c.ID == id {
			name = e.find.nameOf(c)
		}
	}
	e.names[id] = name
	return name
}

// mediaNames returns the names by which an import finds the media of posts again: those in the library, or the ids of files
// that share one, or whose names would be several in a cell.
func (e *exporter) mediaNames(posts []post.Post) (map[ident.Media]string, error) {
	var ids []ident.Media
	for _, p := range posts {
		ids = append(ids, p.MediaIDs...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	ctx, principal := e.visit.Request.Context(), e.visit.Principal
	assets, err := e.app.NamedMedia(ctx, principal, nil, ids)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, a := range assets {
		all = append(all, a.Name)
	}
	named, err := e.app.NamedMedia(ctx, principal, all, nil)
	if err != nil {
		return nil, err
	}
	sharing := make(map[string]int)
	for _, a := range named {
		sharing[a.Name]++
	}
	names := make(map[ident.Media]string)
	for _, a := range assets {
		names[a.ID] = a.Name
		if list := mediaIn(a.Name); sharing[a.Name] > 1 || len(list) != 1 || list[0] != a.Name || isAddress(a.Name) {
			names[a.ID] = a.ID.String()
		}
	}
	return names, nil
}
