// Package posts serves the list of posts and the page of a post.
package posts

import (
	"embed"
	"net/url"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/services/console/internal/frame"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

const perPage = 30

type posts struct {
	app  *app.App
	live *app.Live
}

// Feature returns the pages.
func Feature(a *app.App, live *app.Live) frame.Feature {
	p := &posts{app: a, live: live}
	member := func(pattern string, needs credential.Permission, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	return frame.Feature{
		Name: "posts", Templates: templates,
		Section: &frame.Section{Title: "Posts", Path: "/posts", Icon: "send", Key: "p"},
		Routes: []frame.Route{
			member("GET /w/{workspace}/posts", "", p.list),
			member("GET /w/{workspace}/posts/{post}", "", p.show),
			member("POST /w/{workspace}/posts/{post}/archive", credential.PostsArchive, p.act(archive)),
			member("POST /w/{workspace}/posts/{post}/unarchive", credential.PostsArchive, p.act(unarchive)),
			member("POST /w/{workspace}/posts/{post}/publish", credential.PostsPublish, p.act(publish)),
			member("POST /w/{workspace}/posts/{post}/unschedule", credential.PostsPublish, p.act(unschedule)),
			member("POST /w/{workspace}/posts/{post}/request-approval", credential.PostsWrite, p.act(requestApproval)),
			member("POST /w/{workspace}/posts/{post}/approve", credential.PostsApprove, p.act(approve)),
			member("POST /w/{workspace}/posts/{post}/reject", credential.PostsApprove, p.act(reject)),
			member("POST /w/{workspace}/posts/{post}/delete", credential.PostsWrite, p.remove),
			member("POST /w/{workspace}/posts/{post}/edit-live", credential.PostsPublish, p.editLive),
			member("POST /w/{workspace}/posts/{post}/delete-live", credential.PostsPublish, p.deleteLive),
		},
	}
}

// item is a post in the list.
type item struct {
	Post    post.Post
	Channel channel.Channel
	Waiting string
	At      time.Time
	When    string // what At is
}

// listPage is the data of the list.
type listPage struct {
	Status   post.Status
	Channel  string
	Channels []channel.Channel
	Filters  []filter
	Items    []item
	Next     string // address of the next page
	First    string // address of the first page; empty on it
	Filtered bool
	Steps    []step // that set the workspace up; empty once it has published or does not need the visitor for it
}

type filter struct {
	Text, Href string
	Current    bool
}

func (p *posts) list(v *frame.Visit) error {
	ctx := v.Request.Context()
	channels, err := p.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	in := postgres.PostFilter{Status: post.Status(strings.ToUpper(v.Query("status"))), Limit: perPage + 1}
	if !in.Status.Known() {
		in.Status = ""
	}
	page := listPage{Status: in.Status, Channels: channels}
	if in.ChannelID, err = ident.Parse[ident.Channel](v.Query("channel")); err == nil {
		page.Channel = in.ChannelID.String()
	}
	in.After = position(v.Query("after"))
	found, err := p.app.Posts(ctx, v.Principal, in)
	if err != nil {
		return err
	}
	if !in.After.ID.IsZero() {
		page.First = address(v, in.Status, page.Channel, "")
	}
	if len(found) > perPage {
		found = found[:perPage]
		last := found[perPage-1]
		page.Next = address(v, in.Status, page.Channel, strconv.FormatInt(last.CreatedAt.UnixMicro(), 10)+"."+last.ID.String())
	}
	page.Filtered = page.Channel != "" || page.Status != "" || page.First != ""
	page.Items = items(found, channels)
	page.Filters = filters(v, in.Status, page.Channel)
	if len(found) == 0 && !page.Filtered {
		if page.Steps, err = p.steps(v, len(channels) > 0); err != nil {
			return err
		}
	}
	return v.Page(frame.Page{Name: "posts/list", Title: "Posts", Data: page})
}

// position parses the position after which a page starts; zero for a malformed one.
func position(text string) post.Position {
	at, id, _ := strings.Cut(text, ".")
	micros, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return post.Position{}
	}
	parsed, err := ident.Parse[ident.Post](id)
	if err != nil {
		return post.Position{}
	}
	return post.Position{At: time.UnixMicro(micros).UTC(), ID: parsed}
}

func address(v *frame.Visit, status post.Status, of, after string) string {
	query := url.Values{}
	for name, value := range map[string]string{"status": strings.ToLower(string(status)), "channel": of, "after": after} {
		if value != "" {
			query.Set(name, value)
		}
	}
	path := v.Path("/posts")
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

func filters(v *frame.Visit, current post.Status, of string) []filter {
	list := []filter{{Text: "All", Href: address(v, "", of, ""), Current: current == ""}}
	for _, status := range []post.Status{
		post.Scheduled, post.PendingApproval, post.Draft, post.Published, post.Failed, post.Archived,
	} {
		list = append(list, filter{Text: title(status), Href: address(v, status, of, ""), Current: current == status})
	}
	return list
}

func title(status post.Status) string {
	switch status {
	case post.PendingApproval:
		return "Waiting for approval"
	case post.Draft:
		return "Drafts"
	case post.Scheduled, post.Published, post.Failed, post.Archived:
	}
	return frame.Words(status)
}

func items(found []post.Post, channels []channel.Channel) []item {
	byID := make(map[ident.Channel]channel.Channel, len(channels))
	for _, c := range channels {
		byID[c.ID] = c
	}
	list := make([]item, len(found))
	for i, p := range found {
		list[i] = item{Post: p, Channel: byID[p.ChannelID], Waiting: waiting(p)}
		list[i].At, list[i].When = moment(p)
	}
	return list
}

// moment returns the time that matters most for a post in its state, and what it is.
func moment(p post.Post) (at time.Time, what string) {
	switch {
	case p.Status == post.Published || p.Status == post.Archived && !p.PublishedAt.IsZero():
		return p.PublishedAt, "Published"
	case p.Status == post.Scheduled:
		return p.ScheduledAt, "Due"
	case !p.ScheduledAt.IsZero():
		return p.ScheduledAt, "Planned for"
	default:
		return p.UpdatedAt, "Changed"
	}
}
