package posts

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// perPage is the number of posts of a page. A set is on one page, so that a page may have a few more or fewer.
const perPage = 30

// listPage is the data of the list.
type listPage struct {
	Status    post.Status
	Search    string
	Channels  []channel.Channel
	Labels    []post.Label
	People    []member.Member
	Channel   string // the chosen one
	Label     string
	Author    string
	Campaigns []campaign.Campaign
	Campaign  string
	Filters   []filter
	Groups    []group
	Address   string // of this page
	Next      string // address of the next page
	First     string // address of the first page; empty on it
	Later     string // text of the link to the next page
	Blank     blank  // what an empty list says
	Steps     []step // that set the workspace up; empty once it has published or does not need the visitor for it
	Form      selection
}

type filter struct {
	Text, Href, Glyph string
	Current           bool
	Count             frame.Count
}

func (p *posts) list(v *frame.Visit) error {
	return p.listPage(v, v.Request.URL.Query(), http.StatusOK, selection{})
}

// listPage shows the list of an address, with an action on selected posts that was refused.
func (p *posts) listPage(v *frame.Visit, values url.Values, status int, form selection) error {
	of, err := p.choices(v)
	if err != nil {
		return err
	}
	q := queryOf(values, of)
	page := listPage{
		Status: q.status, Search: q.text, Channels: of.channels, Labels: of.labels, People: of.people, Campaigns: of.campaigns, Label: q.label,
		Filters: filters(v, q), Later: "Older posts", Form: form, Address: q.address(v, q.status, values.Get("after")),
	}
	if !q.channel.IsZero() {
		page.Channel = q.channel.String()
	}
	if !q.author.IsZero() {
		page.Author = q.author.String()
	}
	if !q.campaign.IsZero() {
		page.Campaign = q.campaign.String()
	}
	if q.sort() == post.EarliestFirst {
		page.Later = "Later posts"
	}
	if q.unknown == "" && q.fault == "" {
		if err := p.fill(v, &page, q); err != nil {
			return err
		}
	}
	if len(page.Groups) == 0 {
		page.Blank = blankOf(v, q, len(of.channels) > 0)
		if q.all() {
			page.Steps, err = p.steps(v, len(of.channels) > 0)
		}
	}
	if err != nil {
		return err
	}
	return v.Page(frame.Page{
		Name: "posts/list", Title: "Posts", Status: status, Wide: true, Styles: styles(), Scripts: []string{"posts.js"}, Data: page,
	})
}

// styles are the sheets of the pages: the rows are those of the calendar's list.
func styles() []string { return []string{"calendar.css", "posts.css"} }

// fill reads the posts of a page.
func (p *posts) fill(v *frame.Visit, page *listPage, q query) error {
	found, err := p.app.Posts(v.Request.Context(), v.Principal, q.filter())
	if err != nil {
		return err
	}
	if !q.after.ID.IsZero() {
		page.First = q.address(v, q.status, "")
	}
	together := func(a, b post.Post) bool {
		return q.status == "" || q.time(a).Equal(q.time(b)) || q.sort().ByUpdatedAt()
	}
	if n := pageEnd(found, together); n < len(found) {
		page.Next = q.address(v, q.status, cursor(q.sort().Position(found[n-1])))
		found = found[:n]
	}
	items, err := p.items(v, found, page.Channels)
	if err != nil || len(items) == 0 {
		return err
	}
	list, err := p.pictured(v, rows(items, together))
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Checked = slices.Contains(page.Form.Checked, list[i].IDs())
	}
	for i, r := range list {
		switch {
		case q.status == "":
			list[i].Clock, list[i].Day = r.At, shortDay(r.At, v.Now())
		case q.status == post.Draft && !r.Post.ScheduledAt.IsZero():
			list[i].Clock, list[i].Day = r.Post.CreatedAt, "for "+shortDay(r.Post.ScheduledAt, v.Now())
		default:
			list[i].Clock = q.time(r.Post)
		}
	}
	if q.status == "" {
		page.Groups = []group{{Rows: list}}
		return nil
	}
	page.Groups = byDay(list, q.time, v.Now())
	return nil
}

// pageEnd returns the number of posts of a page of all that were read: a set that begins on it ends on it.
func pageEnd(found []post.Post, together func(a, b post.Post) bool) int {
	n := perPage
	for n < len(found) && found[n].GroupID == found[n-1].GroupID && together(found[n], found[n-1]) {
		n++
	}
	return min(n, len(found), postgres.MaxPage-1)
}

// pictured gives the rows the thumbnails of their first attachments.
func (p *posts) pictured(v *frame.Visit, list []row) ([]row, error) {
	var first []ident.Media
	for _, r := range list {
		if len(r.Post.MediaIDs) > 0 {
			first = append(first, r.Post.MediaIDs[0])
		}
	}
	if len(first) == 0 {
		return list, nil
	}
	found, err := p.app.Thumbnails(v.Request.Context(), v.Principal, first)
	for i, r := range list {
		if len(r.Post.MediaIDs) > 0 {
			list[i].Picture = found[r.Post.MediaIDs[0]]
		}
	}
	return list, err
}

// shortDay returns the day of a time beside its clock.
func shortDay(at, now time.Time) string {
	local := at.In(now.Location())
	switch {
	case frame.Today(at, now):
		return "Today"
	case local.Year() != now.Year():
		return local.Format("2 Jan 2006")
	default:
		return local.Format("Mon 2 Jan")
	}
}

func filters(v *frame.Visit, q query) []filter {
	counts := v.Attention()
	list := []filter{{Text: "All", Href: q.address(v, "", ""), Current: q.status == "" && q.unknown == ""}}
	for _, tab := range []struct {
		status      post.Status
		text, glyph string
		count       frame.Count
	}{
		{post.Failed, "Failed", "failed", frame.Count{N: counts.Failed, Tone: "stopped", What: "failed"}},
		{post.PendingApproval, "To approve", "pending", frame.Count{N: counts.Pending, Tone: "person", What: "to approve"}},
		{post.Scheduled, "Scheduled", "scheduled", frame.Count{}},
		{post.Draft, "Drafts", "draft", frame.Count{}},
		{post.Published, "Published", "published", frame.Count{}},
		{post.Archived, "Archived", "archived", frame.Count{}},
	} {
		list = append(list, filter{tab.text, q.address(v, tab.status, ""), tab.glyph, q.status == tab.status, tab.count})
	}
	return list
}

// Campaigned returns the campaign of a post as a list with it; empty if it has none.
func (l listPage) Campaigned(of post.Post) []campaign.Campaign {
	at := slices.IndexFunc(l.Campaigns, func(c campaign.Campaign) bool { return c.ID == of.CampaignID })
	if at < 0 {
		return nil
	}
	return l.Campaigns[at : at+1]
}

// Archive reports whether the list is that of archived posts, which can only be restored or deleted.
func (l listPage) Archive() bool { return l.Status == post.Archived }

// State returns the state of the filter, as in addresses.
func (l listPage) State() string { return strings.ToLower(string(l.Status)) }
