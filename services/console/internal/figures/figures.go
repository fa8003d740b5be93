// Package figures tabulates what networks report about posts.
package figures

import (
	"time"

	"fencepost.internal/services/internal/chart"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/kernel/ident"
)

// Table has the figures of several posts.
type Table struct {
	Names []string // of the columns: the figures that one of the networks reports
	Lines []Line
	Sum   []string  // empty for one line
	At    time.Time // of the oldest snapshot
}

// Line has the sums of the figures of some posts.
type Line struct {
	Name   string
	Values []string
}

// Posts are posts of one line.
type Posts struct {
	Name string
	IDs  []ident.Post
}

type kind struct {
	name  string
	of    func(analytics.PostFigures) *int64
	added bool // the figures of several posts have a sum
}

// kinds returns the kinds of figures.
func kinds() []kind {
	return []kind{
		{"Impressions", func(f analytics.PostFigures) *int64 { return f.Impressions }, true},
		{"Reach", func(f analytics.PostFigures) *int64 { return f.Reach }, false}, // the same person may see several posts
		{"Views", func(f analytics.PostFigures) *int64 { return f.VideoViews }, true},
		{"Likes", func(f analytics.PostFigures) *int64 { return f.Likes }, true},
		{"Comments", func(f analytics.PostFigures) *int64 { return f.Comments }, true},
		{"Shares", func(f analytics.PostFigures) *int64 { return f.Shares }, true},
		{"Saves", func(f analytics.PostFigures) *int64 { return f.Saves }, true},
		{"Clicks", func(f analytics.PostFigures) *int64 { return f.Clicks }, true},
	}
}

// Of returns the table of posts by their last snapshots; nil if their networks have reported no figure. Lines without a
// snapshot are left out.
func Of(lines []Posts, latest map[ident.Post]analytics.PostDay) *Table {
	table := &Table{}
	var days [][]analytics.PostDay // of each line
	for _, line := range lines {
		var known []analytics.PostDay
		for _, id := range line.IDs {
			if day, ok := latest[id]; ok {
				known = append(known, day)
			}
		}
		if len(known) == 0 {
			continue
		}
		table.Lines, days = append(table.Lines, Line{Name: line.Name}), append(days, known)
		for _, day := range known {
			if table.At.IsZero() || day.CollectedAt.Before(table.At) {
				table.At = day.CollectedAt
			}
		}
	}
	for _, k := range kinds() {
		table.add(k, days)
	}
	if len(table.Names) == 0 {
		return nil
	}
	return table
}

// add adds the column of a kind, unless no network reports it.
func (t *Table) add(k kind, days [][]analytics.PostDay) {
	values, all := make([]string, len(days)), analytics.Sum{}
	for i, line := range days {
		var sum analytics.Sum
		for _, day := range line {
			sum = sum.Add(k.of(day.PostFigures))
			all = all.Add(k.of(day.PostFigures))
		}
		values[i] = Grouped(sum.Value())
		if len(line) > 1 && !k.added {
			values[i] = none
		}
	}
	if all.Value() == nil {
		return
	}
	t.Names = append(t.Names, k.name)
	for i, value := range values {
		t.Lines[i].Values = append(t.Lines[i].Values, value)
	}
	switch {
	case len(t.Lines) == 1:
	case k.added:
		t.Sum = append(t.Sum, Grouped(all.Value()))
	default:
		t.Sum = append(t.Sum, none)
	}
}

// none is shown for a figure that a network does not report.
const none = chart.None

// Grouped writes a number with a space between thousands.
func Grouped(n *int64) string {
	if n == nil {
		return none
	}
	return chart.Grouped(*n)
}
