package analytics

import (
	"cmp"
	"slices"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// PostCourse has the snapshots of a post: those of a range, and the last one with each figure before it.
type PostCourse struct {
	ID        ident.Post
	Channel   ident.Channel
	Published Date // in the zone of the workspace
	Days      []PostDay
}

// Gains returns what the post gained on each day of the range (see Course). The sum of the days is the gain of the range.
func (p PostCourse) Gains(r Range) Source {
	out := Source{Channel: p.Channel}
	first := slices.IndexFunc(p.Days, func(d PostDay) bool { return r.Contains(d.Date) })
	if first < 0 {
		return out
	}
	fromZero := r.CountsFromZero(p.Published, p.Days[first].Date)
	var before PostFigures
	for _, day := range p.Days {
		if r.Contains(day.Date) {
			gained := day.since(before, fromZero)
			out.Days = append(out.Days, ChannelDay{Date: day.Date, ChannelFigures: gained.shown(), CollectedAt: day.CollectedAt})
		}
		before = day.or(before)
	}
	return out
}

// pairs calls do with each figure of both.
func (f PostFigures) pairs(o PostFigures, do func(a, b *int64) *int64) PostFigures {
	return PostFigures{
		Impressions: do(f.Impressions, o.Impressions), Reach: do(f.Reach, o.Reach), Likes: do(f.Likes, o.Likes),
		Comments: do(f.Comments, o.Comments), Shares: do(f.Shares, o.Shares), Saves: do(f.Saves, o.Saves), Clicks: do(f.Clicks, o.Clicks),
		VideoViews: do(f.VideoViews, o.VideoViews),
	}
}

// or returns the figures, with those of o where there is none.
func (f PostFigures) or(o PostFigures) PostFigures {
	return f.pairs(o, func(a, b *int64) *int64 { return cmp.Or(a, b) })
}

// since returns what the figures grew by. A figure without a value before has grown from zero, or is not known.
func (f PostFigures) since(before PostFigures, fromZero bool) PostFigures {
	return f.pairs(before, func(now, then *int64) *int64 {
		switch {
		case now == nil || then == nil && !fromZero:
			return nil
		case then == nil:
			return now
		}
		grown := *now - *then
		return &grown
	})
}

// PostResult has the last known figures of a post.
type PostResult struct {
	ID          ident.Post
	Channel     ident.Channel
	PublishedAt time.Time
	Latest      PostDay
}

// Rank returns the posts that have a figure, the largest first, and the number of those that have none.
func Rank(posts []PostResult, f Figure) (ranked []PostResult, missing int) {
	for _, p := range posts {
		if p.Latest.Value(f) == nil {
			missing++
			continue
		}
		ranked = append(ranked, p)
	}
	slices.SortStableFunc(ranked, func(a, b PostResult) int {
		return cmp.Or(cmp.Compare(*b.Latest.Value(f), *a.Latest.Value(f)), b.PublishedAt.Compare(a.PublishedAt))
	})
	return ranked, missing
}

const (
	// PartHours is the length of a part of a day in Times.
	PartHours = 3
	// Parts is the number of them.
	Parts = 24 / PartHours
	// EnoughPosts is the number of posts below which Times shows nothing.
	EnoughPosts = 20
	// EnoughInPart is the number of posts in a part of a day below which it is none of the best.
	EnoughInPart = 3

	daysOfWeek = 7
	mostBest   = 3
)

// Part is a part of a day of the week, with the posts that were published in it.
type Part struct {
	Weekday time.Weekday
	Hour    int // at which it begins
	Posts   int
	Rate    Rate
}

// Times shows when posts had most reactions for each time that they were seen.
type Times struct {
	Posts int      // that have the figures for it
	Week  [][]Part // from Monday, with all parts of each day
	Best  []Part   // the best first; none if there are too few posts
}

// Enough reports whether there are enough posts to show anything.
func (t Times) Enough() bool { return t.Posts >= EnoughPosts }

// TimesOf sorts posts into the parts of a week in a zone.
func TimesOf(posts []PostResult, zone *time.Location) Times {
	t := Times{Week: make([][]Part, daysOfWeek)}
	for day := range t.Week {
		t.Week[day] = make([]Part, Parts)
		for part := range t.Week[day] {
			t.Week[day][part] = Part{Weekday: time.Weekday((day + 1) % daysOfWeek), Hour: part * PartHours}
		}
	}
	for _, p := range posts {
		shown := p.Latest.shown()
		if shown.EngagementRate() == nil {
			continue
		}
		at := p.PublishedAt.In(zone)
		in := &t.Week[(int(at.Weekday())+daysOfWeek-1)%daysOfWeek][at.Hour()/PartHours]
		in.Posts, in.Rate, t.Posts = in.Posts+1, in.Rate.Add(shown), t.Posts+1
	}
	if t.Enough() {
		t.Best = t.best()
	}
	return t
}

func (t Times) best() (best []Part) {
	for _, day := range t.Week {
		for _, part := range day {
			if part.Posts >= EnoughInPart {
				best = append(best, part)
			}
		}
	}
	slices.SortStableFunc(best, func(a, b Part) int { return cmp.Compare(*b.Rate.Value(), *a.Rate.Value()) })
	return best[:min(len(best), mostBest)]
}
