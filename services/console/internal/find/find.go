// Package find serves the page that finds posts, channels, pages and actions by words. The dialog of every page asks it.
package find

import (
	"embed"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
)

//go:embed templates
var templates embed.FS

// most is the number of results of each kind.
const most = 6

type find struct{ app *app.App }

// Feature returns the page.
func Feature(a *app.App) frame.Feature {
	f := &find{app: a}
	return frame.Feature{Name: "find", Templates: templates, Routes: []frame.Route{
		{Pattern: "GET /w/{workspace}/find", Access: frame.Members, Handle: f.show},
	}}
}

// page is the data of the page.
type page struct {
	Text   string
	Fault  string // why posts were not searched
	Groups []group
}

// group is the results of one kind.
type group struct {
	Title string
	Items []item
}

// item is one result.
type item struct {
	Text    string
	Note    string
	Path    string // within the workspace
	Icon    string // empty: it has the mark of the network
	Network channel.Network
}

// show responds with what fits the text; without one, with the actions and pages.
func (f *find) show(v *frame.Visit) error {
	p := page{Text: strings.Join(strings.Fields(v.Query("q")), " ")}
	channels, err := f.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	found, err := f.posts(v, &p, channels)
	if err != nil {
		return err
	}
	for _, g := range []group{
		{"Posts", found}, {"Channels", channelsWith(p.Text, channels)}, {"Actions", actions(v, p.Text)}, {"Pages", pages(v, p.Text)},
	} {
		if len(g.Items) > 0 {
			p.Groups = append(p.Groups, g)
		}
	}
	return v.Page(frame.Page{Name: "find/find", Title: "Find", Data: p})
}

func (f *find) posts(v *frame.Visit, p *page, channels []channel.Channel) ([]item, error) {
	if p.Text == "" {
		return nil, nil
	}
	search, fault := post.ParseSearch(p.Text)
	if fault != "" {
		p.Fault = fault
		return nil, nil
	}
	found, err := f.app.Posts(v.Request.Context(), v.Principal, postgres.PostFilter{Search: search, Limit: most})
	if err != nil {
		return nil, err
	}
	byID := channel.ByID(channels)
	items := make([]item, len(found))
	for i, one := range found {
		of := byID[one.ChannelID]
		items[i] = item{
			Text: poststate.Words(one), Note: poststate.Of(one, of, false).Text,
			Path: "/posts/" + one.ID.String(), Network: of.Type.Network(),
		}
	}
	return items, nil
}

// channelsWith returns the channels whose name, user name or network has the text; none for no text.
func channelsWith(text string, channels []channel.Channel) []item {
	var items []item
	for _, c := range channels {
		if text != "" && has(text, c.Name, c.Username, c.Type.Name()) && len(items) < most {
			items = append(items, item{
				Text: c.Name, Note: c.Type.Name(), Path: "/channels/" + c.ID.String(), Network: c.Type.Network(),
			})
		}
	}
	return items
}

// actions returns what the visitor may begin from anywhere.
func actions(v *frame.Visit, text string) []item {
	var items []item
	for _, a := range []struct {
		item

		needs credential.Permission
		live  bool
	}{
		{item{Text: "New post", Path: "/compose", Icon: "plus"}, credential.PostsWrite, false},
		{item{Text: "Connect a channel", Path: "/connect", Icon: "plug"}, credential.ChannelsConnect, true},
		{item{Text: "Stop or resume all publishing", Path: "/publishing", Icon: "octagon-pause"}, credential.PostsPublish, false},
	} {
		if v.Principal.Allows(a.needs) && (!a.live || !v.Workspace.IsTest()) && has(text, a.Text) {
			items = append(items, a.item)
		}
	}
	return items
}

// pages returns the sections and their further pages.
func pages(v *frame.Visit, text string) []item {
	var items []item
	for _, s := range v.Sections() {
		items = append(items, item{Text: s.Title, Path: s.Path, Icon: s.Icon})
	}
	for _, t := range v.Tabs() {
		items = append(items, item{Text: t.Title, Path: t.Path, Icon: "file-text"})
	}
	return slices.DeleteFunc(items, func(i item) bool { return !has(text, i.Text) })
}

// has reports whether every word of the text is in one of the names, in either case.
func has(text string, names ...string) bool {
	all := strings.ToLower(strings.Join(names, " "))
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}
