// Package figures generates metrics for the sandbox's accounts and posts. The same request at the same time always
// returns the same values, histories go back years, and the counts are consistent with each other.
//
// Nothing is stored. All values derive from names: a hash of the name determines an account's size or a post's success,
// and a hash of the name and the day determines the metrics of that day.
//
// The package also measures texts as the networks do. It shares no code with the service's own measuring, so that a mistake
// on one side meets a refusal by the other. Both are tested with the vectors of X's text library.
package figures

import (
	"hash/fnv"
	"iter"
	"math"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/domain/analytics"
)

// firstYear is the first year in the history of every account.
const firstYear = 2024

// Day holds the metrics of one day of an account. Reach is at most Impressions, and the engagements are at most Reach.
type Day struct {
	Followers     int64 // at the end of the day, or now if the day is not over
	Impressions   int64
	Reach         int64
	Likes         int64
	Comments      int64
	Shares        int64
	Saves         int64
	Clicks        int64
	ProfileViews  int64
	WebsiteClicks int64
}

// Engagements returns the sum of all interactions with posts.
func (d Day) Engagements() int64 { return d.Likes + d.Comments + d.Shares + d.Saves + d.Clicks }

// Account is one account of one network.
type Account struct{ network, name string }

// Of returns the account of that name.
func Of(network, name string) Account { return Account{network, name} }

// Day returns the account's metrics of the date, up to now if that day is not over. It returns false for a day that has
// not started or is before the account's history.
func (a Account) Day(date analytics.Date, now time.Time) (Day, bool) {
	start := date.Start(time.UTC)
	if now.Before(start) || date.Year < firstYear {
		return Day{}, false
	}
	before := a.followersBefore(date)
	size := float64(before)
	whole := size * between(0.2, 0.7, a.network, a.name, "activity") * weekday(date) * a.noise(date, "impressions")
	so := over(start, now)
	d := Day{
		Followers:   before + share(float64(a.gain(date)), 1, so),
		Impressions: share(whole, 1, so),
		Reach:       share(whole, between(0.55, 0.85, a.network, a.name, "reach"), so),
	}
	engaged := whole * between(0.02, 0.08, a.network, a.name, "engagement") * a.noise(date, "engagement")
	d.Likes, d.Comments, d.Shares = share(engaged, 0.62, so), share(engaged, 0.09, so), share(engaged, 0.07, so)
	d.Saves, d.Clicks = share(engaged, 0.06, so), share(engaged, 0.16, so)
	visits := whole * between(0.01, 0.05, a.network, a.name, "visits") * a.noise(date, "visits")
	d.ProfileViews, d.WebsiteClicks = share(visits, 1, so), share(visits, between(0.05, 0.25, a.network, a.name, "clicks"),
		so)
	return d, true
}

// Days returns the account's metrics of each day from since to until that has some.
func (a Account) Days(since, until analytics.Date, now time.Time) iter.Seq2[analytics.Date, Day] {
	return func(yield func(analytics.Date, Day) bool) {
		for date := range analytics.DaysFrom(since, until) {
			if day, ok := a.Day(date, now); ok && !yield(date, day) {
				return
			}
		}
	}
}

// Followers returns the current number of followers.
func (a Account) Followers(now time.Time) int64 {
	day, _ := a.Day(analytics.DateOf(now.UTC()), now)
	return day.Followers
}

// followersBefore returns the number of followers at the start of the day. Each weekday adds its share of the usual
// gain, some days earlier and some later, but the number never decreases.
func (a Account) followersBefore(date analytics.Date) int64 {
	const least, decades, unsteady, week = 300, 1.8, 0.6, 7
	first := analytics.Date{Year: firstYear, Month: time.January, Day: 1}
	days := max(0, date.DaysSince(first))
	busy := 0.0
	for day := range analytics.DaysFrom(date.Add(-days%week), date.Add(-1)) {
		busy += weekday(day)
	}
	for day := range analytics.DaysFrom(first, first.Add(week-1)) {
		busy += float64(days/week) * weekday(day)
	}
	usual := between(0.8, 12, a.network, a.name, "gain")
	return int64(least*math.Pow(10, decades*unit(a.network, a.name, "followers")) +
		usual*(busy+unsteady*unit(a.network, a.name, "gain", date.String())))
}

// gain returns the number of followers gained on the day.
func (a Account) gain(date analytics.Date) int64 {
	return a.followersBefore(date.Next()) - a.followersBefore(date)
}

// noise returns the day's deviation from the usual value: a factor from 0.6 to 1.4.
func (a Account) noise(date analytics.Date, of string) float64 {
	return between(0.6, 1.4, a.network, a.name, of, date.String())
}

// Post holds a post's metrics from its publication until now. No metric ever decreases.
type Post struct {
	Impressions int64
	Reach       int64
	Likes       int64
	Comments    int64
	Shares      int64
	Saves       int64
	Clicks      int64
	VideoViews  int64
}

// OfPost returns the current metrics of the post.
func OfPost(post ledger.Post, now time.Time) Post {
	at := func(low, high float64, of string) float64 { return between(low, high, post.Platform, post.ID, of) }
	followers := Of(post.Platform, post.Account).followersBefore(analytics.DateOf(post.CreatedAt.UTC()))
	whole := 20 + float64(followers)*at(0.15, 1.2, "impressions")
	so := grown(now.Sub(post.CreatedAt))
	reach := at(0.6, 0.9, "reach")
	engaged := reach * at(0.02, 0.12, "engagement")
	return Post{
		Impressions: share(whole, 1, so),
		Reach:       share(whole, reach, so),
		Likes:       share(whole, engaged*0.6, so),
		Comments:    share(whole, engaged*at(0.04, 0.12, "comments"), so),
		Shares:      share(whole, engaged*at(0.03, 0.1, "shares"), so),
		Saves:       share(whole, engaged*at(0.02, 0.08, "saves"), so),
		Clicks:      share(whole, engaged*at(0.03, 0.1, "clicks"), so),
		VideoViews:  share(whole, at(0.35, 0.8, "views"), so),
	}
}

// grown returns the fraction of its final metrics that a post of this age has: about nine tenths after two days, the
// rest over weeks.
func grown(age time.Duration) float64 {
	const quick, slow, late = 16 * time.Hour, 20 * 24 * time.Hour, 0.08
	if age <= 0 {
		return 0
	}
	return (1-late)*(1-math.Exp(-float64(age)/float64(quick))) + late*(1-math.Exp(-float64(age)/float64(slow)))
}

// over returns the fraction of the day that is over.
func over(start, now time.Time) float64 {
	const day = 24 * time.Hour
	return min(1, float64(now.Sub(start))/float64(day))
}

// weekday returns the activity factor of the weekday: lowest at the weekend, highest midweek.
func weekday(date analytics.Date) float64 {
	busy := [...]float64{0.7, 0.95, 1.1, 1.15, 1.1, 0.95, 0.75} // Sunday first
	return busy[date.Start(time.UTC).Weekday()]
}

// share returns that part of the whole, scaled by the elapsed fraction and rounded down.
func share(whole, part, so float64) int64 { return int64(whole * part * so) }

// between returns a number from low to high that depends only on the names.
func between(low, high float64, names ...string) float64 { return low + (high-low)*unit(names...) }

// unit returns a number from 0 to 1 that depends only on the names.
func unit(names ...string) float64 {
	const bits = 53
	hash := fnv.New64a()
	for _, name := range names {
		_, _ = hash.Write(append([]byte(name), 0)) // never fails
	}
	// The last bytes of a text hardly affect the first bits of its FNV hash, so mix them in (SplitMix64).
	mixed := hash.Sum64()
	mixed = (mixed ^ mixed>>30) * 0xbf58476d1ce4e5b9
	mixed = (mixed ^ mixed>>27) * 0x94d049bb133111eb
	mixed ^= mixed >> 31
	return float64(mixed>>(64-bits)) / (1 << bits)
}
