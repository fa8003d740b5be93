package analytics

import (
	"fencepost.internal/shared/kernel/ident"
)

// Sum is the sum of the known figures. It has no value until a known figure is added.
type Sum struct {
	value int64
	known bool
}

// Add adds a figure if it is known.
func (s Sum) Add(v *int64) Sum {
	if v == nil {
		return s
	}
	return Sum{value: s.value + *v, known: true}
}

// Value returns the sum, or nil if no figure was known.
func (s Sum) Value() *int64 {
	if !s.known {
		return nil
	}
	return &s.value
}

// newborn is the number of days after publication within which the first reading of a post counts entirely as gain.
const newborn = 7

// CountsFromZero reports whether the first reading of a post counts entirely as gain of the range: the post was
// published in the range, or was first read within days of its publication.
func (r Range) CountsFromZero(published, firstRead Date) bool {
	return r.Contains(published) || firstRead.DaysSince(published) <= newborn
}

// Course is the course of one figure of a post in a range.
type Course struct {
	Before      *int64 // the last known value before the range
	First, Last *int64 // the first and last known values in the range
	Readings    int    // number of known values in the range
}

// Gained returns the gain of the figure in the range, or nil if it is unknown.
func (c Course) Gained(fromZero bool) *int64 {
	if c.Last == nil {
		return nil
	}
	var start int64
	switch {
	case c.Before != nil:
		start = *c.Before
	case fromZero:
	case c.Readings < 2 || c.First == nil: //nolint:mnd // one reading of an older post does not show a gain
		return nil
	default:
		start = *c.First
	}
	gain := *c.Last - start
	return &gain
}

// Totals holds the gains of posts in a range.
type Totals struct {
	Likes, Comments, Shares Sum
}

// Plus returns the sum of both.
func (t Totals) Plus(o Totals) Totals {
	return Totals{
		Likes: t.Likes.Add(o.Likes.Value()), Comments: t.Comments.Add(o.Comments.Value()),
		Shares: t.Shares.Add(o.Shares.Value()),
	}
}

// ChannelSummary summarizes one channel in a range.
type ChannelSummary struct {
	ChannelID      ident.Channel
	Followers      *int64 // the last known value at the end of the range
	Rate           Rate
	PostsPublished int64
	Totals         Totals
}

// Summary summarizes a workspace in a range.
type Summary struct {
	Range
	Followers      *int64
	Rate           Rate
	PostsPublished int64
	Totals         Totals
	Channels       []ChannelSummary
}

// Summarize sums the summaries of channels.
func Summarize(r Range, channels []ChannelSummary) Summary {
	out := Summary{Range: r, Channels: channels}
	var followers Sum
	for _, c := range channels {
		followers = followers.Add(c.Followers)
		out.Rate = out.Rate.Plus(c.Rate)
		out.PostsPublished += c.PostsPublished
		out.Totals = out.Totals.Plus(c.Totals)
	}
	out.Followers = followers.Value()
	return out
}
