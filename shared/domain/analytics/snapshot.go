package analytics

import (
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// ChannelFigures are how an account did on one day. Nil is "the network does not tell".
type ChannelFigures struct {
	Followers     *int64 // at the end of the day, or when it was asked
	Impressions   *int64 // times anything of the account was shown that day
	Reach         *int64 // different people who saw something that day
	Engagements   *int64 // likes, comments, shares, saves and clicks on posts that day
	ProfileViews  *int64
	WebsiteClicks *int64
}

// ChannelDay is the snapshot of a channel's day, in the zone its network reports in.
type ChannelDay struct {
	Date Date
	ChannelFigures
	CollectedAt time.Time
}

// PostFigures are how a post did until a day, from its publication on. Nil is "the network does not tell".
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

// PostDay is the snapshot of a post on a day in the workspace's zone: the last reading of that day.
type PostDay struct {
	Date Date
	PostFigures
	CollectedAt time.Time
}

// PublishedPost is a post whose figures are read.
type PublishedPost struct {
	ID          ident.Post
	ExternalID  string // its id on its network
	PublishedAt time.Time
}

// Counted is a figure as networks tell it: a count below nought says nothing.
func Counted(v *int64) *int64 {
	if v == nil || *v < 0 {
		return nil
	}
	return v
}
