package analytics

import "slices"

// Figure names a value that networks report, or that is computed from such values.
type Figure string

// Figures of channels and posts.
const (
	Followers      Figure = "followers"
	Impressions    Figure = "impressions"
	Reach          Figure = "reach"
	Engagements    Figure = "engagements"
	EngagementRate Figure = "rate" // engagements ÷ views
	ProfileViews   Figure = "profile_views"
	WebsiteClicks  Figure = "website_clicks"
	Likes          Figure = "likes"
	Comments       Figure = "comments"
	Shares         Figure = "shares"
	Saves          Figure = "saves"
	Clicks         Figure = "clicks"
	VideoViews     Figure = "video_views"
)

// Charted returns the figures of an overview, in the order in which they are shown.
func Charted() []Figure { return []Figure{Followers, Impressions, Reach, EngagementRate} }

// OfPosts returns the figures by which posts are ranked.
func OfPosts() []Figure {
	return []Figure{Engagements, EngagementRate, Impressions, Reach, Likes, Comments, Shares, Saves, Clicks, VideoViews}
}

// RanksPosts reports whether posts are ranked by the figure.
func (f Figure) RanksPosts() bool { return slices.Contains(OfPosts(), f) }

// Name returns the figure in words.
func (f Figure) Name() string {
	names := map[Figure]string{
		Followers: "Followers", Impressions: "Impressions", Reach: "Reach", Engagements: "Engagements", EngagementRate: "Engagement rate",
		ProfileViews: "Profile views", WebsiteClicks: "Website clicks", Likes: "Likes", Comments: "Comments", Shares: "Shares", Saves: "Saves",
		Clicks: "Clicks", VideoViews: "Video views",
	}
	return names[f]
}

// Value returns a figure of the day; nil if the network does not report it.
func (f ChannelFigures) Value(of Figure) *float64 {
	switch of { //nolint:exhaustive // the others are of posts
	case Followers:
		return exactly(f.Followers)
	case Impressions:
		return exactly(f.Impressions)
	case Reach:
		return exactly(f.Reach)
	case Engagements:
		return exactly(f.Engagements)
	case EngagementRate:
		return f.EngagementRate()
	case ProfileViews:
		return exactly(f.ProfileViews)
	case WebsiteClicks:
		return exactly(f.WebsiteClicks)
	default:
		return nil
	}
}

// Value returns a figure of the post; nil if the network does not report it.
func (f PostFigures) Value(of Figure) *float64 {
	switch of { //nolint:exhaustive // the others are of channels
	case Impressions:
		return exactly(f.Impressions)
	case Reach:
		return exactly(f.Reach)
	case Engagements:
		return exactly(f.Engagements())
	case EngagementRate:
		return f.shown().EngagementRate()
	case Likes:
		return exactly(f.Likes)
	case Comments:
		return exactly(f.Comments)
	case Shares:
		return exactly(f.Shares)
	case Saves:
		return exactly(f.Saves)
	case Clicks:
		return exactly(f.Clicks)
	case VideoViews:
		return exactly(f.VideoViews)
	default:
		return nil
	}
}

// Engagements returns the sum of the known likes, comments, shares, saves and clicks; nil if none is known.
func (f PostFigures) Engagements() *int64 {
	return Sum{}.Add(f.Likes).Add(f.Comments).Add(f.Shares).Add(f.Saves).Add(f.Clicks).Value()
}

// shown returns the figures that posts and channels have in common.
func (f PostFigures) shown() ChannelFigures {
	return ChannelFigures{Impressions: f.Impressions, Reach: f.Reach, Engagements: f.Engagements()}
}

// exactly returns a count as a value of a chart.
func exactly(count *int64) *float64 {
	if count == nil {
		return nil
	}
	value := float64(*count)
	return &value
}
