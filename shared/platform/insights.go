package platform

import "context"

// Insighter is a link whose network tells how an account and its posts do. What a network does not tell stays nil: nil is
// "not known", never nought. Both methods only read, so that they may be repeated.
//
// A connection that may publish and not read figures is a Failure of class user with CodeInsightsNotGranted: it says nothing
// of publishing. The class reconnect means, as everywhere, that the whole connection is gone.
type Insighter interface {
	// AccountInsights reads the account's figures of the days from since to until, both included: one entry for each day the
	// network has figures of, oldest first, each once. A network that only knows the present gives one entry, with today's
	// date in UTC, when that is among the days. The latest days may be incomplete or missing; they are there when they are
	// asked for again later.
	AccountInsights(ctx context.Context, account Account, since, until Date) ([]AccountDay, error)

	// PostInsights reads how the published posts with these platform ids do at this moment, each counted from its
	// publication on. A post the network no longer has, or tells nothing of, is left out. The ids may be as many as one likes:
	// they are asked for in as many calls as it takes. What was read before a failure is returned beside it.
	PostInsights(ctx context.Context, account Account, posts []string) (map[string]PostFigures, error)
}

// Codes of figures that were not told.
const (
	// CodeInsightsNotGranted is that of a connection which may not read figures: its person has to allow it.
	CodeInsightsNotGranted = "INSIGHTS_NOT_GRANTED"
	// CodeInsightsRefused is that of a network which refuses to tell them for a reason of its own.
	CodeInsightsRefused = "INSIGHTS_REFUSED"
)

// AccountDay is what a network tells of one day of an account (decisions, section 8).
type AccountDay struct {
	Date          Date
	Followers     *int64 // at the end of the day, or when it was asked
	Impressions   *int64 // times anything of the account was shown that day
	Reach         *int64 // different people who saw something that day
	Engagements   *int64 // likes, comments, shares, saves and clicks on posts that day
	ProfileViews  *int64
	WebsiteClicks *int64
}

// PostFigures is how a post does, counted from its publication on (decisions, section 8).
type PostFigures struct {
	Impressions *int64
	Reach       *int64
	Likes       *int64
	Comments    *int64
	Shares      *int64
	Saves       *int64
	Clicks      *int64
	VideoViews  *int64
}
