package medialib

import (
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const perPage = 48

// page is the data of the library.
type page struct {
	Query   query
	Chips   []chip
	Sorts   []choice
	Files   []tile
	Next    string // address of the next page
	First   string // address of the first page; empty on it
	Empty   bool   // there are no files at all
	Used    string // of the storage
	Limit   string
	Percent int
	Accept  string // types that the dialog of the browser offers
	File    *file  // shown beside the files
	Part    *part  // shown instead of a file

	Labels    []post.Label // of the workspace
	Wanted    []choice     // the labels that the address asks for; Value leads to the list without it
	Selection selection
	Delete    string // address of the form that deletes the selected files
	Label     string // the same for labels
}

type chip struct {
	Text, Icon, Href, Tone string
	Current                bool
	Count                  int
}

type choice struct {
	Value, Text string
	Current     bool
}

// tile is a file in the grid.
type tile struct {
	app.DeliveredAsset

	Href   string
	Uses   string
	Here   bool // shown beside the grid
	Untold bool
	Picked bool
}

const mostTags = 2 // labels that a tile shows

// Tags returns the labels that the tile shows.
func (t tile) Tags() []string { return t.Labels[:min(len(t.Labels), mostTags)] }

// More returns the number of labels that it does not show.
func (t tile) More() int { return len(t.Labels) - len(t.Tags()) }

func (l *library) list(v *frame.Visit) error { return l.show(v, http.StatusOK, nil) }

// show responds with the library, and with a file beside it if there is one.
func (l *library) show(v *frame.Visit, status int, of *file) error {
	return l.draw(v, status, page{File: of})
}

// draw adds the files to a page, and responds with it.
func (l *library) draw(v *frame.Visit, status int, data page) error {
	q := queryOf(v)
	data.Query, data.Sorts, data.Accept = q, sorts(q), strings.Join(media.ContentTypes(), ",")+",.heic,.mov"
	counts, err := l.app.MediaCounts(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	data.Chips, data.Empty = chips(v, q, counts), counts.All == 0
	data.Delete, data.Label = q.address(v, "/delete"), q.address(v, "/label")
	if data.Labels, err = l.app.Labels(v.Request.Context(), v.Principal); err != nil {
		return err
	}
	for _, name := range q.Labels {
		data.Wanted = append(data.Wanted, choice{Value: q.without(name).address(v, ""), Text: name})
	}
	if err := l.measure(v, &data); err != nil {
		return err
	}
	if q.Fault == "" {
		if err := l.fill(v, &data); err != nil {
			return err
		}
	}
	title := "Media"
	switch {
	case data.File != nil:
		title = data.File.Name + " · Media"
	case data.Part != nil:
		title = data.Part.Name + " · Media"
	}
	return v.Page(frame.Page{
		Name: "medialib/list", Title: title, Status: status, Wide: true, Styles: []string{"medialib.css", "picker.css"},
		Scripts: []string{"medialib.js"}, Data: data,
	})
}

// fill reads the files of a page and what uses them.
func (l *library) fill(v *frame.Visit, data *page) error {
	ctx, q := v.Request.Context(), data.Query
	filter := q.filter()
	found, err := l.app.MediaList(ctx, v.Principal, filter)
	if err != nil {
		return err
	}
	if !filter.Before.IsZero() {
		data.First = q.at("").address(v, "")
	}
	if len(found) > perPage {
		found = found[:perPage]
		data.Next = q.at(q.after(found[perPage-1])).address(v, "")
	}
	ids := make([]ident.Media, len(found))
	for i, one := range found {
		ids[i] = one.ID
	}
	uses, err := l.app.MediaUseCounts(ctx, v.Principal, ids)
	if err != nil {
		return err
	}
	for _, one := range found {
		data.Files = append(data.Files, tile{
			DeliveredAsset: one, Href: q.address(v, "/"+one.ID.String()), Uses: usesOf(uses[one.ID]),
			Here: data.File != nil && data.File.ID == one.ID, Untold: one.AltText == "" && one.Type != media.Document,
			Picked: slices.Contains(data.Selection.Checked, one.ID.String()),
		})
	}
	return nil
}

// measure says how much of the storage of the plan is used.
func (l *library) measure(v *frame.Visit, data *page) error {
	state, err := l.app.Workspace(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	const percent = 100
	used, limit := state.Usage.StorageBytes, state.Plan.Limits().Storage
	data.Used, data.Limit = workspace.Bytes(used), workspace.Bytes(limit)
	data.Percent = int(min(percent, used*percent/limit))
	return nil
}

func chips(v *frame.Visit, q query, counts postgres.MediaCounts) []chip {
	list := []chip{{Text: "All", Href: q.of("", "").address(v, ""), Current: q.Kind == "" && q.Only == "", Count: counts.All}}
	for _, of := range []struct {
		kind       media.Type
		text, icon string
	}{
		{media.Image, "Pictures", "image"},
		{media.Video, "Videos", "video"},
		{media.GIF, "GIFs", "images"},
		{media.Document, "Documents", "file-text"},
	} {
		if of.kind != media.GIF || counts.ByType[media.GIF] > 0 || q.Kind == media.GIF {
			list = append(list, chip{
				Text: of.text, Icon: of.icon, Href: q.of(of.kind, "").address(v, ""), Current: q.Kind == of.kind,
				Count: counts.ByType[of.kind],
			})
		}
	}
	described := chip{
		Text: "No alternative text", Icon: "triangle-alert", Href: q.of("", untold).address(v, ""), Current: q.Only == untold,
		Count: counts.Untold,
	}
	if counts.Untold > 0 {
		described.Tone = "person"
	}
	return append(list, described, chip{
		Text: "Unused", Href: q.of("", unused).address(v, ""), Current: q.Only == unused, Count: counts.Unused,
	})
}

func sorts(q query) []choice {
	list := []choice{
		{"", "Newest first", false}, {"oldest", "Oldest first", false}, {"largest", "Largest first", false}, {"name", "By name", false},
	}
	for i := range list {
		list[i].Current = strings.EqualFold(list[i].Value, string(q.Sort))
	}
	return list
}
