package instagramapi

import (
	"net/http"
	"slices"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/metaapi"
)

const (
	// mostDays is the longest range that Instagram accepts in one request.
	mostDays = 30
	// fewestViewers is the minimum reach before a post's metrics are reported.
	fewestViewers = 5
)

// refusedFewViewers refuses the metrics of a post with too few viewers.
var refusedFewViewers = refusal{code: 10, message: "(#10) Not enough viewers for the media to show insights"}

// accountInsights returns the account's metrics. Only reach is available per day. profile_views is no longer available.
func (a *API) accountInsights(w http.ResponseWriter, r metaapi.Request) {
	known := []string{"reach", "views", "total_interactions", "profile_links_taps", "likes", "comments", "shares", "saves"}
	asked, fault := metaapi.ReadInsights(r.Values, known, mostDays)
	series := r.Values.Get("metric_type") == "time_series"
	switch {
	case fault != "":
		a.wrong(w, fault)
		return
	case !asked.Bounded || r.Values.Get("period") != "day":
		a.wrong(w, "(#100) The sandbox reports only figures of days: period must be day, with since and until")
		return
	case series && !slices.Equal(asked.Metrics, []string{"reach"}), !series &&
		r.Values.Get("metric_type") != "total_value":
		a.wrong(w, "(#100) The metrics must be specified with another parameter metric_type")
		return
	}
	account, now := figures.Of(network, r.Account), a.Stage.Clock.Now()
	data := []map[string]any{}
	for _, name := range asked.Metrics {
		if series {
			data = append(data, asked.Series(name, account, now, dayFigure(name)))
		} else {
			data = append(data, metaapi.TotalValue(name, "day", asked.Total(account, now, dayFigure(name))))
		}
	}
	r.Answer(w, map[string]any{"data": data})
}

func dayFigure(name string) func(figures.Day) int64 {
	return func(d figures.Day) int64 {
		return map[string]int64{
			"reach": d.Reach, "views": d.Impressions, "total_interactions": d.Engagements(),
			"profile_links_taps": d.WebsiteClicks,
			"likes":              d.Likes, "comments": d.Comments, "shares": d.Shares, "saves": d.Saves,
		}[name]
	}
}

// postInsights returns the metrics of a post. A story has other metrics, for one day only.
func (a *API) postInsights(w http.ResponseWriter, r metaapi.Request) {
	post, ok := a.Post(r, r.PathValue("id"))
	if !ok {
		a.Missing(w)
		return
	}
	known := []string{"views", "reach", "likes", "comments", "saved", "shares", "total_interactions"}
	now := a.Stage.Clock.Now()
	if _, product := a.kind(post); product == "STORY" {
		known = []string{"views", "reach", "replies", "shares"}
		if now.Sub(post.CreatedAt) > day {
			a.Missing(w)
			return
		}
	}
	asked, fault := metaapi.ReadInsights(r.Values, known, mostDays)
	if fault != "" {
		a.wrong(w, fault)
		return
	}
	so := figures.OfPost(post, now)
	if so.Reach < fewestViewers {
		a.refuse(w, refusedFewViewers)
		return
	}
	values := map[string]int64{
		"views": so.Impressions, "reach": so.Reach, "likes": so.Likes, "comments": so.Comments, "replies": so.Comments,
		"saved": so.Saves, "shares": so.Shares, "total_interactions": so.Likes + so.Comments + so.Saves + so.Shares,
	}
	data := []map[string]any{}
	for _, name := range asked.Metrics {
		data = append(data, metaapi.Lifetime(name, values[name]))
	}
	r.Answer(w, map[string]any{"data": data})
}

// insights returns the metrics of the account or of one of its posts.
func (a *API) insights(w http.ResponseWriter, r metaapi.Request) {
	if id := r.PathValue("id"); id == "me" || id == r.Account {
		a.accountInsights(w, r)
		return
	}
	a.postInsights(w, r)
}
