package posts

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

// item is a post in the list.
type item struct {
	Post    post.Post
	Channel channel.Channel
	Sign    poststate.Sign
	Glyph   string
	Wait    poststate.Wait
	At      time.Time
	When    string // what At is
}

// Words returns the beginning of the post, as much as a list shows.
func (i item) Words() string {
	const most = 160
	return poststate.Clipped(cmp.Or(i.Post.Title, i.Post.Content, "Post without a text"), most)
}

// Count returns the number of the parts of the post, itself included.
func (i item) Count() int { return len(i.Post.States(nil)) }

// row has the posts of a set that follow each other in the list, or one post.
type row struct {
	item // the one that needs a person most

	Items    []item
	Channels []channel.Channel // of the posts, by network
	Picture  string            // address; empty: none
	Clock    time.Time         // whose time of day the row shows
	Day      string            // beside it; empty in a list by day
	Checked  bool
}

// Set reports whether the row has several posts.
func (r row) Set() bool { return len(r.Items) > 1 }

// IDs returns the ids of the posts as one value of a form.
func (r row) IDs() string {
	ids := make([]string, len(r.Items))
	for i, one := range r.Items {
		ids[i] = one.Post.ID.String()
	}
	return strings.Join(ids, ",")
}

// mostMarks is the number of channels whose marks a row has room for.
const mostMarks = 4

// Marks returns the channels whose marks the row shows.
func (r row) Marks() []channel.Channel { return r.Channels[:min(len(r.Channels), mostMarks)] }

// More returns the number of channels that Marks leaves out.
func (r row) More() int { return len(r.Channels) - len(r.Marks()) }

// Move returns the address of the page that moves the posts; empty unless all are planned for one time.
func (r row) Move(base, back string) string {
	values := url.Values{"back": {back}, "from": {r.Post.ScheduledAt.UTC().Format(time.RFC3339)}}
	for _, one := range r.Items {
		if one.Post.Status != post.Scheduled || !one.Post.ScheduledAt.Equal(r.Post.ScheduledAt) {
			return ""
		}
		values.Add("post", one.Post.ID.String())
	}
	return base + "/calendar/move?" + values.Encode()
}

// Networks returns the names of the networks.
func (r row) Networks() string { return poststate.Networks(r.Channels) }

// group is a part of the list with a heading, such as the posts of a day.
type group struct {
	Title string // empty for a list without parts
	Day   string // beside the title
	Rows  []row
}

// items returns the posts with their channels and signs.
func (p *posts) items(v *frame.Visit, found []post.Post, channels []channel.Channel) ([]item, error) {
	byID := channel.ByID(channels)
	deleted, err := p.live.Deleted(v.Request.Context(), livePerson(v), found)
	if err != nil {
		return nil, err
	}
	list := make([]item, len(found))
	for i, one := range found {
		of := byID[one.ChannelID]
		list[i] = item{
			Post: one, Channel: of, Sign: poststate.Of(one, of, deleted[one.ID]), Glyph: poststate.Glyph(one, of),
			Wait: poststate.WaitOf(one, of),
		}
		list[i].At, list[i].When = moment(one)
	}
	return list, nil
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

// rows puts posts of one set that follow each other into one row. In a list by time they are due at the same time too.
func rows(items []item, together func(a, b post.Post) bool) []row {
	var list []row
	for _, i := range items {
		if n := len(list); n > 0 && i.Post.GroupID == list[n-1].Post.GroupID && together(i.Post, list[n-1].Post) {
			add(&list[n-1], i)
			continue
		}
		list = append(list, row{item: i, Items: []item{i}, Channels: []channel.Channel{i.Channel}})
	}
	return list
}

func add(r *row, i item) {
	if poststate.Urgency(i.Glyph) > poststate.Urgency(r.Glyph) {
		r.item = i
	}
	r.Items, r.Channels = append(r.Items, i), append(r.Channels, i.Channel)
	slices.SortStableFunc(r.Channels, func(a, b channel.Channel) int { return cmp.Compare(a.Type.Network(), b.Type.Network()) })
}

// byDay returns the rows, which are ordered by their time, in one group per day.
func byDay(rows []row, at func(post.Post) time.Time, now time.Time) []group {
	var groups []group
	for _, r := range rows {
		title, day := dayOf(at(r.Post), now)
		if n := len(groups); n > 0 && groups[n-1].Title == title && groups[n-1].Day == day {
			groups[n-1].Rows = append(groups[n-1].Rows, r)
			continue
		}
		groups = append(groups, group{title, day, []row{r}})
	}
	return groups
}

// dayOf returns the heading of a day: Today, Tomorrow, Yesterday or its name, and the date that completes it.
func dayOf(at, now time.Time) (title, day string) {
	const long = "Mon 2 January"
	local := at.In(now.Location())
	day = local.Format(long)
	switch {
	case at.IsZero():
		return "No date yet", ""
	case frame.Today(at, now):
		return "Today", day
	case frame.Today(at, now.AddDate(0, 0, 1)):
		return "Tomorrow", day
	case frame.Today(at, now.AddDate(0, 0, -1)):
		return "Yesterday", day
	case local.Year() != now.Year():
		return local.Format(long + " 2006"), ""
	default:
		return day, ""
	}
}
