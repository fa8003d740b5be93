package httpapi

import (
	"time"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

func exampleCount(v int64) *int64 { return &v }

func exampleFigures() analytics.ChannelFigures {
	return analytics.ChannelFigures{
		Followers: exampleCount(1830), Impressions: exampleCount(2400), Reach: exampleCount(1900),
		Engagements:  exampleCount(120),
		ProfileViews: exampleCount(85), WebsiteClicks: exampleCount(12),
	}
}

func exampleWorkspaceAnalytics() apiforms.WorkspaceAnalytics {
	sum := func(v int64) analytics.Sum { return analytics.Sum{}.Add(&v) }
	id := idOf[ident.Channel](exampleChannel)
	state := postgres.ChannelState{CollectedAt: exampleDay(5), ChannelSummary: analytics.ChannelSummary{
		ChannelID: id, Followers: exampleCount(1830), Rate: analytics.Rate{}.Add(exampleFigures()), PostsPublished: 24,
		Totals: analytics.Totals{Likes: sum(412), Comments: sum(37), Shares: sum(19)},
	}}
	r := analytics.Range{
		From: analytics.Date{Year: 2026, Month: time.February, Day: 1},
		To:   analytics.Date{Year: 2026, Month: time.March, Day: 2},
	}
	return apiforms.ToAPIWorkspaceAnalytics(app.WorkspaceAnalytics{
		Summary: analytics.Summarize(r, []analytics.ChannelSummary{state.ChannelSummary}),
		Channels: []app.ChannelStanding{
			{ChannelState: state, Channel: channel.Channel{ID: id, Name: "Acme News", Type: channel.Threads}},
		},
	})
}

func exampleChannelAnalytics() apiforms.ChannelAnalytics {
	return apiforms.ToAPIChannelAnalytics(app.ChannelAnalytics{
		ChannelID: idOf[ident.Channel](exampleChannel),
		Days:      []analytics.ChannelDay{{Date: analytics.DateOf(exampleDay(0)), ChannelFigures: exampleFigures()}},
	})
}

func examplePostAnalytics() apiforms.PostAnalytics {
	day := analytics.PostDay{Date: analytics.DateOf(exampleDay(0)), PostFigures: analytics.PostFigures{
		Impressions: exampleCount(1400), Reach: exampleCount(1100), Likes: exampleCount(60), Comments: exampleCount(7),
		Shares: exampleCount(4),
		Saves:  exampleCount(9), Clicks: exampleCount(21),
	}}
	return apiforms.ToAPIPostAnalytics(app.PostAnalytics{
		PostID: idOf[ident.Post](exampleID), Days: []analytics.PostDay{day}, Latest: &day,
	})
}
