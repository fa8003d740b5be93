package calendar

import (
	"net/url"
	"slices"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// query is the request of the address of the calendar.
type query struct {
	span

	state    string // glyph of the states to show; empty shows all but archived posts
	channel  ident.Channel
	label    string
	author   ident.User
	campaign ident.Campaign
	whole    bool // the week with all its hours
}

// queryOf parses the address. A value that does not exist counts as absent.
func queryOf(v *frame.Visit, of page) query {
	shown := view(v.Query("view"))
	if !slices.Contains([]view{month, week, date, list}, shown) {
		shown = week
	}
	day, err := time.ParseInLocation(time.DateOnly, v.Query("day"), v.Now().Location())
	if err != nil {
		day = v.Now()
	}
	q := query{span: spanOf(shown, day), whole: v.Query("hours") == "all"}
	if slices.ContainsFunc(filters(), func(f filter) bool { return f.glyph == v.Query("state") }) {
		q.state = v.Query("state")
	}
	for _, c := range of.Channels {
		if c.ID.String() == v.Query("channel") {
			q.channel = c.ID
		}
	}
	for _, l := range of.Labels {
		if post.LabelKey(l.Name) == post.LabelKey(v.Query("label")) {
			q.label = l.Name
		}
	}
	for _, m := range of.People {
		if m.UserID.String() == v.Query("author") {
			q.author = m.UserID
		}
	}
	for _, c := range of.Campaigns {
		if c.ID.String() == v.Query("campaign") {
			q.campaign = c.ID
		}
	}
	return q
}

// on returns the query for the period of another day.
func (q query) on(day time.Time) query {
	q.span = spanOf(q.View, day)
	return q
}

// address returns the address of the query.
func (q query) address(v *frame.Visit) string {
	values := url.Values{"view": {string(q.View)}, "day": {q.Day.Format(time.DateOnly)}}
	if q.state != "" {
		values.Set("state", q.state)
	}
	if !q.channel.IsZero() {
		values.Set("channel", q.channel.String())
	}
	if q.label != "" {
		values.Set("label", q.label)
	}
	if !q.author.IsZero() {
		values.Set("author", q.author.String())
	}
	if !q.campaign.IsZero() {
		values.Set("campaign", q.campaign.String())
	}
	if q.whole {
		values.Set("hours", "all")
	}
	return v.Path("/calendar") + "?" + values.Encode()
}

func views(v *frame.Visit, q query) []choice {
	var list4 []choice
	for _, one := range []struct {
		view view
		text string
	}{{month, "Month"}, {week, "Week"}, {date, "Day"}, {list, "List"}} {
		other := q
		other.span = spanOf(one.view, q.Day)
		list4 = append(list4, choice{Text: one.text, Href: other.address(v), Current: one.view == q.View})
	}
	return list4
}

// filter is a group of states that people filter by.
type filter struct{ glyph, text, tone string }

func filters() []filter {
	return []filter{
		{"failed", "Failed", "stopped"},
		{"held", "Held", "person"},
		{"pending", "For approval", "person"},
		{"scheduled", "Scheduled", ""},
		{"draft", "Drafts", ""},
		{"published", "Published", ""},
	}
}

// states returns the filters by state with the number of their slips. States in which no action is due are always there.
func states(v *frame.Visit, q query, all []slip) []choice {
	counts := make(map[string]int)
	total := 0
	for _, s := range all {
		if q.about(s) {
			counts[s.group()]++
			total++
		}
	}
	every := q
	every.state = ""
	choices := []choice{{Text: "All", Href: every.address(v), Current: q.state == "", Count: total}}
	for _, f := range filters() {
		if f.tone != "" && counts[f.glyph] == 0 && q.state != f.glyph {
			continue
		}
		one := q
		one.state = f.glyph
		choices = append(choices, choice{f.text, one.address(v), f.glyph, f.tone, q.state == f.glyph, counts[f.glyph]})
	}
	return choices
}

// shown returns the slips that the filters let through.
func (q query) shown(all []slip) []slip {
	return slices.DeleteFunc(slices.Clone(all), func(s slip) bool {
		return q.state != "" && s.group() != q.state || !q.about(s)
	})
}

// about reports whether the filters but that of the state let a slip through.
func (q query) about(s slip) bool {
	return (q.channel.IsZero() || s.on(q.channel)) && (q.label == "" || s.labelled(q.label)) && (q.author.IsZero() || s.by(q.author)) &&
		(q.campaign.IsZero() || s.campaigned(q.campaign))
}

// wholePlan reports whether the page shows everything of its channels, so that what is missing is a gap.
func (q query) wholePlan() bool {
	return q.state == "" && q.label == "" && q.author.IsZero() && q.campaign.IsZero()
}
