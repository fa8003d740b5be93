package analytics

import (
	"slices"

	"fencepost.internal/shared/kernel/ident"
)

// Earlier returns the range of the same length that ends where this one begins.
func (r Range) Earlier() Range {
	return Range{From: r.From.Add(-r.Days()), To: r.From.Add(-1)}
}

// Source has the days of what figures are about: a channel, or a post with what it gained on each day.
type Source struct {
	Channel   ident.Channel
	Days      []ChannelDay // in or before the range, oldest first
	Followers *int64       // the last count before the first of Days
}

// Series has a figure of several sources per day.
type Series struct {
	Figure Figure
	Range
	Values []*float64 // of each day of the range; nil: no source reports it
	// Total is the value of the whole range: the last one of followers, the average of rates, the sum of the others; nil: none is
	// known.
	Total *float64
	// Complete is the last day that every channel with the figure has reported; zero: there is none.
	Complete Date
	Missing  []ident.Channel // that have no figure of the kind in the range
}

// Compose adds up a figure of several sources per day. A source without the figure is missing, it does not count as zero.
func Compose(f Figure, r Range, sources []Source) Series {
	out := Series{Figure: f, Range: r, Values: make([]*float64, r.Days())}
	days, total, last := make([]sums, r.Days()), sums{}, make(map[ident.Channel]Date)
	for _, s := range sources {
		if day, known := s.add(f, r, days, &total); known && !day.Before(last[s.Channel]) {
			last[s.Channel] = day
		}
	}
	for _, s := range sources {
		day, known := last[s.Channel]
		switch {
		case !known && !slices.Contains(out.Missing, s.Channel):
			out.Missing = append(out.Missing, s.Channel)
		case known && (out.Complete.IsZero() || day.Before(out.Complete)):
			out.Complete = day
		}
	}
	for i, day := range days {
		out.Values[i] = day.value(f)
	}
	out.Total = total.value(f)
	return out
}

// sums are those of a day, or of a range.
type sums struct {
	rate Rate
	sum  Sum
}

func (s sums) value(f Figure) *float64 {
	if f == EngagementRate {
		return s.rate.Value()
	}
	return exactly(s.sum.Value())
}

// add adds the figure of the source to each day and to the total. It returns the last day with the figure.
func (s Source) add(f Figure, r Range, days []sums, total *sums) (last Date, known bool) {
	if f == Followers {
		return s.addFollowers(r, days, total)
	}
	for _, day := range s.Days {
		if !r.Contains(day.Date) || day.Value(f) == nil {
			continue
		}
		last, known = day.Date, true
		for _, into := range []*sums{&days[day.Date.DaysSince(r.From)], total} {
			into.rate = into.rate.Add(day.ChannelFigures)
			into.sum = into.sum.Add(day.count(f))
		}
	}
	return last, known
}

// addFollowers adds a state: each day has the last count up to it.
func (s Source) addFollowers(r Range, days []sums, total *sums) (last Date, known bool) {
	count, at := s.Followers, 0
	for i := range days {
		today := r.From.Add(i)
		for ; at < len(s.Days) && !s.Days[at].Date.After(today); at++ {
			if s.Days[at].Followers != nil {
				count = s.Days[at].Followers
			}
		}
		days[i].sum = days[i].sum.Add(count)
	}
	total.sum = total.sum.Add(count)
	return r.To, count != nil
}

// count returns a figure that is counted; nil for rates.
func (f ChannelFigures) count(of Figure) *int64 {
	switch of { //nolint:exhaustive // the others are states, rates or of posts
	case Impressions:
		return f.Impressions
	case Reach:
		return f.Reach
	case Engagements:
		return f.Engagements
	case ProfileViews:
		return f.ProfileViews
	case WebsiteClicks:
		return f.WebsiteClicks
	default:
		return nil
	}
}

// Change compares a value with that of the period before.
type Change struct {
	Now, Before *float64
}

// Known reports whether both values are.
func (c Change) Known() bool { return c.Now != nil && c.Before != nil }

// By returns the difference; zero unless both values are known.
func (c Change) By() float64 {
	if !c.Known() {
		return 0
	}
	return *c.Now - *c.Before
}

// Ratio returns the difference as a part of the value before; nil unless both are known and the value before is positive.
func (c Change) Ratio() *float64 {
	if !c.Known() || *c.Before <= 0 {
		return nil
	}
	ratio := c.By() / *c.Before
	return &ratio
}
