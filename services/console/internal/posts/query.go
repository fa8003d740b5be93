package posts

import (
	"net/url"
	"slices"
	"strconv"
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

// query is the request of the address of the list.
type query struct {
	status   post.Status
	channel  ident.Channel
	label    string // in the spelling of the workspace
	author   ident.User
	campaign ident.Campaign
	text     string
	search   post.Search
	fault    string // why there is no search for the text
	after    post.Position
	unknown  string // a value of a filter that does not exist
}

// choices are the values that the filters offer.
type choices struct {
	channels  []channel.Channel
	labels    []post.Label
	people    []member.Member
	campaigns []campaign.Campaign
}

// choices reads the values that the filters offer.
func (p *posts) choices(v *frame.Visit) (c choices, err error) {
	ctx := v.Request.Context()
	if c.channels, err = p.app.Channels(ctx, v.Principal); err != nil {
		return c, err
	}
	if c.labels, err = p.app.Labels(ctx, v.Principal); err != nil {
		return c, err
	}
	if c.campaigns, err = p.app.Campaigns(ctx, v.Principal); err != nil {
		return c, err
	}
	c.people, err = p.app.Members(ctx, v.Principal)
	return c, err
}

func queryOf(values url.Values, of choices) query {
	q := query{status: post.Status(strings.ToUpper(values.Get("status"))), after: position(values.Get("after"))}
	words := []rune(strings.TrimSpace(values.Get("q")))
	q.text = string(words[:min(len(words), post.LongestSearch)])
	if q.text != "" {
		q.search, q.fault = post.ParseSearch(q.text)
	}
	if q.status != "" && !q.status.Known() {
		q.unknown, q.status = values.Get("status"), ""
	}
	for _, filter := range []struct {
		name string
		find func(wanted string) bool
	}{
		{"channel", func(wanted string) bool {
			at := slices.IndexFunc(of.channels, func(c channel.Channel) bool { return c.ID.String() == wanted })
			if at >= 0 {
				q.channel = of.channels[at].ID
			}
			return at >= 0
		}},
		{"label", func(wanted string) bool {
			at := slices.IndexFunc(of.labels, func(l post.Label) bool { return post.LabelKey(l.Name) == post.LabelKey(wanted) })
			if at >= 0 {
				q.label = of.labels[at].Name
			}
			return at >= 0
		}},
		{"campaign", func(wanted string) bool {
			at := slices.IndexFunc(of.campaigns, func(c campaign.Campaign) bool { return c.ID.String() == wanted })
			if at >= 0 {
				q.campaign = of.campaigns[at].ID
			}
			return at >= 0
		}},
		{"author", func(wanted string) bool {
			at := slices.IndexFunc(of.people, func(m member.Member) bool { return m.UserID.String() == wanted })
			if at >= 0 {
				q.author = of.people[at].UserID
			}
			return at >= 0
		}},
	} {
		if wanted := values.Get(filter.name); wanted != "" && !filter.find(wanted) {
			q.unknown = wanted
		}
	}
	return q
}

// filter returns the posts of a page of the list.
func (q query) filter() postgres.PostFilter {
	f := postgres.PostFilter{Search: q.search, AuthorID: q.author, CampaignID: q.campaign, Sort: q.sort(), After: q.after, Limit: postgres.MaxPage}
	if q.status != "" {
		f.Statuses = []post.Status{q.status}
	}
	if !q.channel.IsZero() {
		f.ChannelIDs = []ident.Channel{q.channel}
	}
	if q.label != "" {
		f.Labels = []string{q.label}
	}
	return f
}

// sort returns the order of the list. What is planned begins with what is due next, what is over with the latest; drafts are
// ordered by their creation.
func (q query) sort() post.Sort {
	switch q.status {
	case post.Scheduled, post.PendingApproval:
		return post.EarliestFirst
	case post.Published, post.Failed, post.Archived:
		return post.LatestFirst
	case post.Draft:
		return post.NewestFirst
	default:
		return post.NewestFirst
	}
}

// time returns the time of a post by which the list is grouped by day.
func (q query) time(p post.Post) time.Time {
	if q.status == post.Draft {
		return p.CreatedAt
	}
	return p.ScheduledAt
}

// narrowed reports whether a filter beside the state is set.
func (q query) narrowed() bool {
	return !q.channel.IsZero() || q.label != "" || !q.author.IsZero() || !q.campaign.IsZero()
}

// address returns the address of the list with the same search and filters.
func (q query) address(v *frame.Visit, status post.Status, after string) string {
	values := url.Values{}
	set := func(name, value string, present bool) {
		if present {
			values.Set(name, value)
		}
	}
	set("status", strings.ToLower(string(status)), status != "")
	set("channel", q.channel.String(), !q.channel.IsZero())
	set("label", q.label, q.label != "")
	set("author", q.author.String(), !q.author.IsZero())
	set("campaign", q.campaign.String(), !q.campaign.IsZero())
	set("q", q.text, q.text != "")
	set("after", after, after != "")
	path := v.Path("/posts")
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	return path
}

// all reports whether the list is neither filtered nor searched.
func (q query) all() bool {
	return q.unknown == "" && q.text == "" && q.status == "" && !q.narrowed() && q.after.ID.IsZero()
}

// cursor writes a position in an address.
func cursor(p post.Position) string {
	at := ""
	if !p.At.IsZero() {
		at = strconv.FormatInt(p.At.UnixMicro(), 10)
	}
	return at + "." + p.ID.String()
}

// position parses the position after which a page starts; zero for a malformed one.
func position(text string) post.Position {
	at, id, _ := strings.Cut(text, ".")
	parsed, err := ident.Parse[ident.Post](id)
	if err != nil {
		return post.Position{}
	}
	if at == "" { // a post without a time
		return post.Position{ID: parsed}
	}
	micros, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return post.Position{}
	}
	return post.Position{At: time.UnixMicro(micros).UTC(), ID: parsed}
}
