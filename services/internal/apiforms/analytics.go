package apiforms

import (
	"math"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/kernel/ident"
)

// WorkspaceAnalytics holds the figures of a workspace (docs/contract.md, Analytics).
type WorkspaceAnalytics struct {
	From                  string            `json:"from" format:"date" example:"2026-02-01" doc:"First day of the range."`
	To                    string            `json:"to" format:"date" example:"2026-03-02" doc:"Last day of the range, inclusive."`
	TotalFollowers        *int64            `json:"totalFollowers" example:"1830" doc:"Followers of all channels: the sum of the last count of each channel in or before the range."`
	AverageEngagementRate *float64          `json:"averageEngagementRate" example:"0.048" doc:"Engagements ÷ impressions (or reach, for days without impressions) over the days that have both figures. A ratio: 0.05 is 5 %."`
	PostsPublished        int64             `json:"postsPublished" example:"24" doc:"Number of posts published in the range."`
	Likes                 *int64            `json:"likes" example:"412" doc:"Increase of likes in the range."`
	Comments              *int64            `json:"comments" example:"37" doc:"Increase of comments in the range."`
	Shares                *int64            `json:"shares" example:"19" doc:"Increase of shares in the range."`
	Channels              []ChannelStanding `json:"channels" doc:"The channels of the workspace, oldest first."`
}

// ChannelStanding holds the figures of one channel of a workspace.
type ChannelStanding struct {
	ChannelID      ident.Channel     `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the channel."`
	Name           string            `json:"name" example:"Acme News" doc:"Name of the account."`
	Type           ChannelType       `json:"type" example:"THREADS" doc:"Kind of account. Treat unknown types as a generic channel."`
	Followers      *int64            `json:"followers" example:"1830" doc:"Last count of followers in or before the range."`
	EngagementRate *float64          `json:"engagementRate" example:"0.048" doc:"Engagement rate of this channel, computed like averageEngagementRate."`
	PostsPublished int64             `json:"postsPublished" example:"24" doc:"Number of posts published in the range."`
	Likes          *int64            `json:"likes" example:"412" doc:"Increase of likes in the range."`
	Comments       *int64            `json:"comments" example:"37" doc:"Increase of comments in the range."`
	Shares         *int64            `json:"shares" example:"19" doc:"Increase of shares in the range."`
	CollectedAt    OptionalTimestamp `json:"collectedAt" doc:"Time at which figures were last read completely; null if never."`
	Problem        OptionalText      `json:"problem" example:"The account does not allow reading its analytics. Reconnect the channel and allow it." doc:"Reason why figures are not read until the channel is reconnected; null if they are read."`
}

// ChannelAnalytics holds the figures of a channel per day (docs/contract.md, Analytics).
type ChannelAnalytics struct {
	ChannelID ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the channel."`
	Data      []ChannelDay  `json:"data" doc:"Days that have figures, oldest first."`
}

// ChannelDay holds the figures of a channel on one day.
type ChannelDay struct {
	Date           string   `json:"date" format:"date" example:"2026-03-01" doc:"The day, in the time zone of the network."`
	Followers      *int64   `json:"followers" example:"1830" doc:"Followers at the end of the day, or at the time of the count."`
	EngagementRate *float64 `json:"engagementRate" example:"0.05" doc:"Engagements ÷ impressions, or ÷ reach if there are no impressions. A ratio: 0.05 is 5 %."`
	Impressions    *int64   `json:"impressions" example:"2400" doc:"Number of times that content of the account was shown on that day."`
	Reach          *int64   `json:"reach" example:"1900" doc:"Number of people who saw content of the account on that day."`
	ProfileViews   *int64   `json:"profileViews" example:"85" doc:"Views of the profile on that day."`
	WebsiteClicks  *int64   `json:"websiteClicks" example:"12" doc:"Clicks on the profile's website on that day."`
}

// PostAnalytics holds the figures of a post (docs/contract.md, Analytics).
type PostAnalytics struct {
	PostID ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
	Data   []PostDay  `json:"data" doc:"Snapshots, oldest first."`
	Latest *PostDay   `json:"latest" doc:"The latest snapshot; null if there is none."`
}

// PostDay is a snapshot of the figures of a post.
type PostDay struct {
	Date        string `json:"date" format:"date" example:"2026-03-01" doc:"Day of the snapshot, in the time zone of the workspace."`
	Impressions *int64 `json:"impressions" example:"1400" doc:"Number of times that the post was shown since its publication."`
	Reach       *int64 `json:"reach" example:"1100" doc:"Number of people who saw the post."`
	Likes       *int64 `json:"likes" example:"60" doc:"Number of likes."`
	Comments    *int64 `json:"comments" example:"7" doc:"Number of comments."`
	Shares      *int64 `json:"shares" example:"4" doc:"Number of shares."`
	Saves       *int64 `json:"saves" example:"9" doc:"Number of saves."`
	Clicks      *int64 `json:"clicks" example:"21" doc:"Number of clicks."`
	VideoViews  *int64 `json:"videoViews" example:"800" doc:"Number of views of the post's video."`
}

// TransformSchema documents that latest is nullable.
func (PostAnalytics) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return Nullable(s, "latest")
}

// ToAPIWorkspaceAnalytics converts the figures of a workspace.
func ToAPIWorkspaceAnalytics(w app.WorkspaceAnalytics) WorkspaceAnalytics {
	out := WorkspaceAnalytics{
		From: w.From.String(), To: w.To.String(), TotalFollowers: w.Followers, AverageEngagementRate: rounded(w.Rate.Value()),
		PostsPublished: w.PostsPublished, Likes: w.Totals.Likes.Value(), Comments: w.Totals.Comments.Value(),
		Shares:   w.Totals.Shares.Value(),
		Channels: make([]ChannelStanding, len(w.Channels)),
	}
	for i, c := range w.Channels {
		out.Channels[i] = ChannelStanding{
			ChannelID: c.Channel.ID, Name: c.Channel.Name, Type: ChannelType(c.Channel.Type), Followers: c.Followers,
			EngagementRate: rounded(c.Rate.Value()), PostsPublished: c.PostsPublished, Likes: c.Totals.Likes.Value(),
			Comments: c.Totals.Comments.Value(), Shares: c.Totals.Shares.Value(), CollectedAt: OptionalTimestamp(c.CollectedAt),
			Problem: OptionalText(c.Stopped),
		}
	}
	return out
}

// ToAPIChannelAnalytics converts the figures of a channel.
func ToAPIChannelAnalytics(c app.ChannelAnalytics) ChannelAnalytics {
	out := ChannelAnalytics{ChannelID: c.ChannelID, Data: make([]ChannelDay, len(c.Days))}
	for i, d := range c.Days {
		out.Data[i] = ChannelDay{
			Date: d.Date.String(), Followers: d.Followers, EngagementRate: rounded(d.EngagementRate()),
			Impressions: d.Impressions,
			Reach:       d.Reach, ProfileViews: d.ProfileViews, WebsiteClicks: d.WebsiteClicks,
		}
	}
	return out
}

// ToAPIPostAnalytics converts the figures of a post.
func ToAPIPostAnalytics(p app.PostAnalytics) PostAnalytics {
	out := PostAnalytics{PostID: p.PostID, Data: make([]PostDay, len(p.Days))}
	for i, d := range p.Days {
		out.Data[i] = toAPIPostDay(d)
	}
	if p.Latest != nil {
		latest := toAPIPostDay(*p.Latest)
		out.Latest = &latest
	}
	return out
}

func toAPIPostDay(d analytics.PostDay) PostDay {
	return PostDay{
		Date: d.Date.String(), Impressions: d.Impressions, Reach: d.Reach, Likes: d.Likes, Comments: d.Comments,
		Shares: d.Shares,
		Saves:  d.Saves, Clicks: d.Clicks, VideoViews: d.VideoViews,
	}
}

// rounded rounds a ratio to six decimal places.
func rounded(v *float64) *float64 {
	const millionths = 1e6
	if v == nil {
		return nil
	}
	value := math.Round(*v*millionths) / millionths
	return &value
}
