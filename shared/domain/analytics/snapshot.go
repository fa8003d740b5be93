package analytics

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// ChannelFigures holds the figures of an account for one day. Nil means that the network does not report the figure.
type ChannelFigures struct {
	Followers     *int64 // at the end of the day, or when it was read
	Impressions   *int64 // views of all content of the account that day
	Reach         *int64 // distinct people who saw any content that day
	Engagements   *int64 // likes, comments, shares, saves and clicks on posts that day
	ProfileViews  *int64
	WebsiteClicks *int64
}

// ChannelDay is the snapshot of a channel for one day, in the zone in which its network reports.
type ChannelDay struct {
	Date Date
	ChannelFigures
	CollectedAt time.Time
}

// PostFigures holds the cumulative figures of a post since its publication. Nil means that the network does not report
// the figure.
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

// PublishedPost is a published post whose figures are collected.
type PublishedPost struct {
	ID          ident.Post
	ExternalID  string // its ID on its network
	PublishedAt time.Time
	Confirmed   *bool // as of post.Post
}

// Counted returns the figures without invalid ones.
func (f ChannelFigures) Counted() ChannelFigures {
	return ChannelFigures{
		Followers: counted(f.Followers), Impressions: counted(f.Impressions), Reach: counted(f.Reach),
		Engagements: counted(f.Engagements), ProfileViews: counted(f.ProfileViews), WebsiteClicks: counted(f.WebsiteClicks),
	}
}

// Counted returns the figures without invalid ones.
func (f PostFigures) Counted() PostFigures {
	return PostFigures{
		Impressions: counted(f.Impressions), Reach: counted(f.Reach), Likes: counted(f.Likes),
		Comments: counted(f.Comments), Shares: counted(f.Shares), Saves: counted(f.Saves),
		Clicks: counted(f.Clicks), VideoViews: counted(f.VideoViews),
	}
}

// counted returns a figure reported by a network, or nil if it is negative and therefore invalid.
func counted(v *int64) *int64 {
	if v == nil || *v < 0 {
		return nil
	}
	return v
}
