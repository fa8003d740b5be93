package analytics

import (
	"socialpub.internal/shared/kernel/ident"
)

// Sum adds up what is known. It is nil as long as nothing is.
type Sum struct {
	value int64
	known bool
}

// Add counts a figure in, when it is known.
func (s Sum) Add(v *int64) Sum {
	if v == nil {
		return s
	}
	return Sum{value: s.value + *v, known: true}
}

// Value is the sum, nil when nothing is known.
func (s Sum) Value() *int64 {
	if !s.known {
		return nil
	}
	return &s.value
}

// newborn is within how many days of its publication a post must be read first for that reading to be all gain.
const newborn = 7

// CountsFromNought reports whether everything that a post without an earlier reading shows was gained in the range: it was
// published in it, or was read within days of its publication.
func (r Range) CountsFromNought(published, firstRead Date) bool {
	return r.Contains(published) || firstRead.DaysSince(published) <= newborn
}

// Course is how one figure of a post went in a range.
type Course struct {
	Before      *int64 // its last value known before the range
	First, Last *int64 // those known in it
	Readings    int    // how many are
}

// Gained is what the figure gained in the range; nil when the range tells nothing of it.
func (c Course) Gained(fromNought bool) *int64 {
	if c.Last == nil {
		return nil
	}
	var start int64
	switch {
	case c.Before != nil:
		start = *c.Before
	case fromNought:
	case c.Readings < 2 || c.First == nil: //nolint:mnd // one reading of an older post tells nothing of what it gained
		return nil
	default:
		start = *c.First
	}
	gain := *c.Last - start
	return &gain
}

// Totals are what posts gained in a range.
type Totals struct {
	Likes, Comments, Shares Sum
}

// Plus is the totals of both.
func (t Totals) Plus(o Totals) Totals {
	return Totals{
		Likes: t.Likes.Add(o.Likes.Value()), Comments: t.Comments.Add(o.Comments.Value()), Shares: t.Shares.Add(o.Shares.Value()),
	}
}

// ChannelSummary is how one channel did in a range.
type ChannelSummary struct {
	ChannelID      ident.Channel
	Followers      *int64 // the last ones known at the end of the range
	Rate           Rate
	PostsPublished int64
	Totals         Totals
}

// Summary is how a workspace did in a range.
type Summary struct {
	Range
	Followers      *int64
	Rate           Rate
	PostsPublished int64
	Totals         Totals
	Channels       []ChannelSummary
}

// Summarize adds channels up.
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
