package postgres

import (
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/kernel/ident"
)

// channelDayRow is a row of channel_insight, both as the JSON that PostgreSQL reads and as a query result.
type channelDayRow struct {
	Day           analytics.Date `json:"day"            gorm:"-"`
	Date          dayColumn      `json:"-"              gorm:"column:day"`
	Followers     *int64         `json:"followers"`
	Impressions   *int64         `json:"impressions"`
	Reach         *int64         `json:"reach"`
	Engagements   *int64         `json:"engagements"`
	ProfileViews  *int64         `json:"profile_views"`
	WebsiteClicks *int64         `json:"website_clicks"`
	CollectedAt   time.Time      `json:"collected_at"`
}

func toChannelDayRow(d analytics.ChannelDay) channelDayRow {
	return channelDayRow{
		Day: d.Date, Followers: d.Followers, Impressions: d.Impressions, Reach: d.Reach, Engagements: d.Engagements,
		ProfileViews: d.ProfileViews, WebsiteClicks: d.WebsiteClicks, CollectedAt: d.CollectedAt,
	}
}

func fromChannelDayRow(r channelDayRow) analytics.ChannelDay {
	return analytics.ChannelDay{
		Date: analytics.Date(r.Date), CollectedAt: r.CollectedAt,
		ChannelFigures: analytics.ChannelFigures{
			Followers: r.Followers, Impressions: r.Impressions, Reach: r.Reach, Engagements: r.Engagements,
			ProfileViews: r.ProfileViews, WebsiteClicks: r.WebsiteClicks,
		},
	}
}

// postDayRow is a row of post_insight, both as the JSON that PostgreSQL reads and as a query result.
type postDayRow struct {
	PostID      ident.Post     `json:"post_id"                gorm:"-"`
	Day         analytics.Date `json:"day"                    gorm:"-"`
	Date        dayColumn      `json:"-"                      gorm:"column:day"`
	Impressions *int64         `json:"impressions"`
	Reach       *int64         `json:"reach"`
	Likes       *int64         `json:"likes"`
	Comments    *int64         `json:"comments"`
	Shares      *int64         `json:"shares"`
	Saves       *int64         `json:"saves"`
	Clicks      *int64         `json:"clicks"`
	VideoViews  *int64         `json:"video_views"`
	CollectedAt time.Time      `json:"collected_at"`
}

func toPostDayRow(id ident.Post, d analytics.PostDay) postDayRow {
	return postDayRow{
		PostID: id, Day: d.Date, Impressions: d.Impressions, Reach: d.Reach, Likes: d.Likes, Comments: d.Comments,
		Shares: d.Shares,
		Saves:  d.Saves, Clicks: d.Clicks, VideoViews: d.VideoViews, CollectedAt: d.CollectedAt,
	}
}

func fromPostDayRow(r postDayRow) analytics.PostDay {
	return analytics.PostDay{
		Date: analytics.Date(r.Date), CollectedAt: r.CollectedAt,
		PostFigures: analytics.PostFigures{
			Impressions: r.Impressions, Reach: r.Reach, Likes: r.Likes, Comments: r.Comments, Shares: r.Shares, Saves: r.Saves,
			Clicks: r.Clicks, VideoViews: r.VideoViews,
		},
	}
}
