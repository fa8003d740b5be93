package insights

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// The ranges, as addresses have them; the others are numbers of days.
const (
	rangeMonth = "month"
	rangeOwn   = "own"
	usualRange = "28"
)

func lengths() []string { return []string{"7", usualRange, "90"} }

// query has the parameters of an address, and what its form offers.
type query struct {
	Range    string
	From, To string // of an own range, as they were sent
	Channel  ident.Channel
	Label    string // in the spelling of the workspace
	Post     ident.Post
	By       analytics.Figure // of the best posts
	Faults   map[string]string

	Channels []channel.Channel
	Labels   []post.Label
	address  string // of the page, without parameters
	days     app.Days
}

// queryOf reads the address. NOT_FOUND for a channel, a label or a post that the workspace does not have.
func (p *pages) queryOf(v *frame.Visit) (q query, err error) {
	ctx := v.Request.Context()
	if q.Channels, err = p.app.Channels(ctx, v.Principal); err != nil {
		return q, err
	}
	if q.Labels, err = p.app.Labels(ctx, v.Principal); err != nil {
		return q, err
	}
	q.address, q.Range, q.By = v.Path(path), v.Query("range"), analytics.Figure(v.Query("by"))
	if !slices.Contains(append(lengths(), rangeMonth, rangeOwn), q.Range) {
		q.Range = usualRange
	}
	if !q.By.RanksPosts() {
		q.By = analytics.OfPosts()[0]
	}
	for name, into := range map[string]func(text string) bool{
		"channel": func(text string) bool {
			q.Channel, err = ident.Parse[ident.Channel](text)
			return err == nil && slices.ContainsFunc(q.Channels, func(c channel.Channel) bool { return c.ID == q.Channel })
		},
		"label": func(text string) bool {
			at := slices.IndexFunc(q.Labels, func(l post.Label) bool { return post.LabelKey(l.Name) == post.LabelKey(text) })
			if at >= 0 {
				q.Label = q.Labels[at].Name
			}
			return at >= 0
		},
		"post": func(text string) bool {
			q.Post, err = ident.Parse[ident.Post](text)
			return err == nil
		},
	} {
		if text := v.Query(name); text != "" && !into(text) {
			return q, apperr.New(apperr.NotFound, "This page does not exist.")
		}
	}
	readDays(v, &q)
	return q, nil
}

// readDays reads the range. Its faults are those of the dates alone.
func readDays(v *frame.Visit, q *query) {
	today := analytics.DateOf(v.Now())
	switch q.Range {
	case rangeOwn:
		q.From, q.To, q.Faults = strings.TrimSpace(v.Query("from")), strings.TrimSpace(v.Query("to")), make(map[string]string)
		for name, day := range map[string]struct {
			text string
			into *analytics.Date
		}{"from": {q.From, &q.days.From}, "to": {q.To, &q.days.To}} {
			if day.text == "" {
				continue
			}
			var err error
			if *day.into, err = analytics.ParseDate(day.text); err != nil {
				q.Faults[name] = "Choose a day."
			}
		}
		if q.days == (app.Days{}) && len(q.Faults) == 0 {
			q.days = app.Days{From: today.Add(1 - analytics.DefaultDays), To: today}
			q.From, q.To = q.days.From.String(), q.days.To.String()
		}
	case rangeMonth:
		q.days = app.Days{From: analytics.MonthOf(today).Range().From, To: today}
	default:
		n, _ := strconv.Atoi(q.Range) // one of lengths
		q.days = app.Days{From: today.Add(1 - n), To: today}
	}
}

// of returns what the overview is about.
func (q query) of() app.OverviewOf {
	return app.OverviewOf{Days: q.days, Channel: q.Channel, Label: q.Label, Post: q.Post}
}

// Href returns the address with a range, or with this one.
func (q query) Href(span string) string { return q.at("", span) }

// at returns the address of a part of the section, with the parameters.
func (q query) at(part, span string) string {
	values := url.Values{"range": {span}}
	set := func(name, value string, is bool) {
		if is {
			values.Set(name, value)
		}
	}
	set("from", q.From, span == rangeOwn && q.From != "")
	set("to", q.To, span == rangeOwn && q.To != "")
	set("channel", q.Channel.String(), !q.Channel.IsZero())
	set("label", q.Label, q.Label != "")
	set("post", q.Post.String(), !q.Post.IsZero())
	set("by", string(q.By), q.By != analytics.OfPosts()[0])
	return q.address + part + "?" + values.Encode()
}

// ExportHref returns the address of the figures as a file.
func (q query) ExportHref() string { return q.at("/export", q.Range) }

// OfPost returns the address of the figures of one post.
func (q query) OfPost(id ident.Post) string {
	to := q
	to.Post, to.Channel, to.Label = id, ident.Channel{}, ""
	return to.at("", q.Range)
}

// Everything returns the address without filters.
func (q query) Everything() string {
	return q.OfPost(ident.Post{})
}

// Filtered reports whether a filter is set.
func (q query) Filtered() bool { return !q.Channel.IsZero() || q.Label != "" || !q.Post.IsZero() }

// span is a range as a link.
type span struct {
	Text, Href string
	Here       bool
}

// Spans returns the ranges as links.
func (q query) Spans() []span {
	var list []span
	for _, n := range lengths() {
		list = append(list, span{Text: n + " days", Href: q.Href(n), Here: q.Range == n})
	}
	return append(list, span{Text: "This month", Href: q.Href(rangeMonth), Here: q.Range == rangeMonth},
		span{Text: "Own", Href: q.Href(rangeOwn), Here: q.Range == rangeOwn})
}

// Own reports whether the person enters the range.
func (q query) Own() bool { return q.Range == rangeOwn }

// choice is an option of a form.
type choice struct {
	Value, Text string
	Here        bool
}

// Orders returns the figures by which posts can be ranked.
func (q query) Orders() []choice {
	var list []choice
	for _, f := range analytics.OfPosts() {
		list = append(list, choice{string(f), f.Name(), f == q.By})
	}
	return list
}
