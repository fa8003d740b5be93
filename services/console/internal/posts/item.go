package posts

import (
	"cmp"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// item is a post in the list.
type item struct {
	Post    post.Post
	Channel channel.Channel
	Sign    sign
	Wait    wait
	At      time.Time
	When    string // what At is
}

// Edge returns the color of the edge of a row that needs a person; empty for the others.
func (i item) Edge() string {
	if i.Sign.Tone == "bad" || i.Sign.Tone == "warn" {
		return i.Sign.Tone
	}
	return ""
}

// Words returns the beginning of the post, as much as a list shows.
func (i item) Words() string {
	const most = 160
	return clipped(cmp.Or(i.Post.Title, i.Post.Content, "Post without a text"), most)
}

// group is a part of the list with a heading, such as the posts of a day.
type group struct {
	Title string // empty for a list without parts
	Day   string // beside the title
	Items []item
}

// items returns the posts with their channels and signs.
func (p *posts) items(v *frame.Visit, found []post.Post, channels []channel.Channel) ([]item, error) {
	byID := make(map[ident.Channel]channel.Channel, len(channels))
	for _, c := range channels {
		byID[c.ID] = c
	}
	deleted, err := p.live.Deleted(v.Request.Context(), livePerson(v), found)
	if err != nil {
		return nil, err
	}
	list := make([]item, len(found))
	for i, one := range found {
		of := byID[one.ChannelID]
		list[i] = item{Post: one, Channel: of, Sign: signOf(one, of, deleted[one.ID]), Wait: waitOf(one, of)}
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

// byDay returns the items, which are ordered by their time, in one group per day.
func byDay(items []item, now time.Time) []group {
	var groups []group
	for _, i := range items {
		title, day := dayOf(i.Post.ScheduledAt, now)
		if n := len(groups); n > 0 && groups[n-1].Title == title && groups[n-1].Day == day {
			groups[n-1].Items = append(groups[n-1].Items, i)
			continue
		}
		groups = append(groups, group{title, day, []item{i}})
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
