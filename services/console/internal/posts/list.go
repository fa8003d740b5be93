package posts

import (
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
)

const perPage = 30

// listPage is the data of the list.
type listPage struct {
	Status   post.Status
	Channel  string
	Search   string
	Channels []channel.Channel
	Filters  []filter
	Groups   []group
	Next     string // address of the next page
	First    string // address of the first page; empty on it
	Later    string // text of the link to the next page
	Blank    blank  // what an empty list says
	Steps    []step // that set the workspace up; empty once it has published or does not need the visitor for it
}

type filter struct {
	Text, Href string
	Current    bool
	Count      frame.Count
}

func (p *posts) list(v *frame.Visit) error {
	channels, err := p.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	q := p.queryOf(v, channels)
	page := listPage{Status: q.status, Search: q.text, Channels: channels, Filters: filters(v, q), Later: "Older posts"}
	if !q.channel.IsZero() {
		page.Channel = q.channel.String()
	}
	if q.sort() == post.EarliestFirst {
		page.Later = "Later posts"
	}
	if q.unknown == "" {
		if err := p.fill(v, &page, q, channels); err != nil {
			return err
		}
	}
	if len(page.Groups) == 0 {
		page.Blank = blankOf(v, q, len(channels) > 0)
		if q.all() {
			page.Steps, err = p.steps(v, len(channels) > 0)
		}
	}
	if err != nil {
		return err
	}
	return v.Page(frame.Page{Name: "posts/list", Title: "Posts", Data: page})
}

// fill reads the posts of a page.
func (p *posts) fill(v *frame.Visit, page *listPage, q query, channels []channel.Channel) error {
	found, err := p.app.Posts(v.Request.Context(), v.Principal, postgres.PostFilter{
		Status: q.status, ChannelID: q.channel, Text: q.text, Sort: q.sort(), After: q.after, Limit: perPage + 1,
	})
	if err != nil {
		return err
	}
	if !q.after.ID.IsZero() {
		page.First = q.address(v, q.status, "")
	}
	if len(found) > perPage {
		found = found[:perPage]
		page.Next = q.address(v, q.status, cursor(q.sort().Position(found[perPage-1])))
	}
	items, err := p.items(v, found, channels)
	if err != nil || len(items) == 0 {
		return err
	}
	page.Groups = []group{{Items: items}}
	if q.sort() == post.EarliestFirst {
		page.Groups = byDay(items, v.Now())
	}
	return nil
}

func filters(v *frame.Visit, q query) []filter {
	counts := v.Attention()
	list := []filter{{Text: "All", Href: q.address(v, "", ""), Current: q.status == "" && q.unknown == ""}}
	for _, tab := range []struct {
		status post.Status
		text   string
		count  frame.Count
	}{
		{post.Scheduled, "Scheduled", frame.Count{}},
		{post.PendingApproval, "To approve", frame.Count{N: counts.Pending, Tone: "person", What: "to approve"}},
		{post.Draft, "Drafts", frame.Count{}},
		{post.Published, "Published", frame.Count{}},
		{post.Failed, "Failed", frame.Count{N: counts.Failed, Tone: "stopped", What: "failed"}},
		{post.Archived, "Archived", frame.Count{}},
	} {
		list = append(list, filter{tab.text, q.address(v, tab.status, ""), q.status == tab.status, tab.count})
	}
	return list
}
