// Package report writes the report of a month as PDF. Its figures are those of the page of analytics and of the API.
package report

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/chart"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/kernel/ident"
)

// Maker makes the reports of workspaces that are mailed.
type Maker struct{ Figures *app.Figures }

// Make returns the report of a month; NOT_FOUND if there is no such workspace.
func (m Maker) Make(ctx context.Context, of ident.Workspace, month analytics.Month) ([]byte, error) {
	found, err := m.Figures.WorkspaceReport(ctx, of, month)
	if err != nil {
		return nil, err
	}
	return Write(found)
}

// shown are the figures of a report, in their order.
func shown() []analytics.Figure {
	return []analytics.Figure{analytics.Impressions, analytics.Reach, analytics.EngagementRate, analytics.Followers}
}

// Write returns the report as PDF.
func Write(r app.Report) ([]byte, error) {
	s, err := newSheet(r.Workspace+", "+r.Month.Name(), r.At)
	if err != nil {
		return nil, err
	}
	s.head(r)
	s.totals(r)
	s.charts(r)
	s.channels(r)
	s.best(r)
	s.notes(r)
	var out bytes.Buffer
	if err := s.pdf.Output(&out); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return out.Bytes(), nil
}

// head writes the logo, the name and the period.
func (s *sheet) head(r app.Report) {
	left := float64(margin)
	if w := s.logo(r.Logo); w > 0 {
		left += w + gap
	}
	room := pageWidth - margin - left
	s.style(bold, large, ink)
	y := float64(margin)
	for _, line := range s.lines(r.Workspace, room, 2) { //nolint:mnd // lines
		s.text(left, y, line)
		y += 7.5
	}
	y++
	s.style(plain, medium, soft)
	s.text(left, y, "Report for "+r.Month.Name())
	s.style(plain, small, soft)
	s.text(left, y+5, fmt.Sprintf("Made on %s. Times are those of %s.", r.At.Format("2 January 2006, 15:04"), strings.ReplaceAll(r.City, "_", " ")))
	s.y = max(y+5, margin+logoHeight) + 12
}

// totals writes the figures of the whole month.
func (s *sheet) totals(r app.Report) {
	s.title("Figures")
	before := r.Month.Previous().Name()
	t := s.table([]column{{"", 64, false}, {r.Month.Name(), 38, true}, {before, 38, true}, {"Change", 38, true}})
	for _, f := range shown() {
		c := r.Of(f)
		change, _ := chart.Change(f, c.Change())
		t.row(f.Name(), chart.Text(f, c.Total), chart.Text(f, c.Earlier.Total), change)
	}
	change, _ := chart.Change(analytics.Impressions, r.Published)
	t.row("Posts published", chart.Text(analytics.Impressions, r.Published.Now), chart.Text(analytics.Impressions, r.Published.Before), change)
	s.y += 6
}

// charts draws each figure by day, two in a row.
func (s *sheet) charts(r app.Report) {
	const w, h, columns = 85, 34, 2
	for i, f := range shown() {
		if i%columns == 0 {
			s.room(h + 20)
		}
		c := r.Of(f)
		drawn := chart.Chart{
			Title: f.Name(), Now: chart.Line{Values: c.Values}, Then: chart.Line{Values: c.Earlier.Values}, Write: chart.Writer(f),
			Near: f == analytics.Followers,
		}
		x := margin + float64(i%columns)*(w+8)
		s.chart(drawn, box{x, s.y, w, h}, r.From.String(), r.To.String())
		if i%columns == columns-1 {
			s.y += h + 18
		}
	}
}

// channels writes the figures of each channel.
func (s *sheet) channels(r app.Report) {
	s.room(30)
	s.title("By channel")
	t := s.table([]column{
		{"Channel", 62, false}, {"Followers", 23, true}, {"Impressions", 26, true}, {"Reach", 22, true}, {"Engagement", 26, true}, {"Posts", 19, true},
	})
	for _, c := range r.Channels {
		cells := []string{c.Channel.Name + " (" + c.Channel.Type.Name() + ")"}
		for _, f := range []analytics.Figure{analytics.Followers, analytics.Impressions, analytics.Reach, analytics.EngagementRate} {
			cells = append(cells, chart.Text(f, c.Of(f).Total))
		}
		t.row(append(cells, chart.Grouped(c.PostsPublished))...)
	}
	if len(r.Channels) == 0 {
		t.row("No channel is connected.")
	}
	s.y += 6
}

// mostRanked is the number of posts that a report lists.
const mostRanked = 10

// best lists the posts with most engagements.
func (s *sheet) best(r app.Report) {
	words, results := make(map[ident.Post]string), make([]analytics.PostResult, len(r.Results))
	for i, p := range r.Results {
		words[p.ID], results[i] = p.Words, p.PostResult
	}
	ranked, _ := analytics.Rank(results, analytics.Engagements)
	if len(ranked) == 0 {
		return
	}
	names := make(map[ident.Channel]string)
	for _, c := range r.Channels {
		names[c.Channel.ID] = c.Channel.Name
	}
	s.room(30)
	s.title("Best posts by engagements")
	t := s.table([]column{
		{"Post", 72, false}, {"Channel", 36, false}, {"Published", 24, false}, {"Engagements", 24, true}, {"Impressions", 22, true},
	})
	for _, p := range ranked[:min(len(ranked), mostRanked)] {
		text := words[p.ID]
		if strings.TrimSpace(text) == "" {
			text = "Post without a text"
		}
		t.row(text, names[p.Channel], p.PublishedAt.In(r.Zone).Format("2 Jan, 15:04"), chart.Text(analytics.Engagements, p.Latest.Value(analytics.Engagements)),
			chart.Text(analytics.Impressions, p.Latest.Value(analytics.Impressions)))
	}
	s.y += 6
}

// notes says what is missing in the figures.
func (s *sheet) notes(r app.Report) {
	s.room(20)
	s.title("About these figures")
	list := []string{
		"– means that the network does not give the figure. It is not zero. Reach is added up by day, so that one person counts on each day.",
	}
	named := make(map[string]bool)
	for _, c := range r.Channels {
		name := c.Channel.Type.Name()
		if !named[name] {
			list = append(list, c.Coverage.Words(name))
		}
		named[name] = true
		if c.Stopped != "" {
			list = append(list, c.Channel.Name+": "+c.Stopped)
		}
	}
	for _, text := range list {
		s.style(plain, small, soft)
		lines := s.lines(text, pageWidth-2*margin, 6)
		s.room(float64(len(lines)) * 4.5)
		for _, line := range lines {
			s.style(plain, small, soft)
			s.text(margin, s.y, line)
			s.y += 4.5
		}
	}
}
