package instagramapi

import (
	"net/http"
	"slices"

	"socialpub.internal/services/sandbox/internal/figures"
	"socialpub.internal/services/sandbox/internal/metaapi"
)

const (
	// mostDays is how many days Instagram answers for at once.
	mostDays = 30
	// fewestViewers is how many people must have seen a post before anything is told of it.
	fewestViewers = 5
)

// refusedFewViewers is the refusal to tell of a post that hardly anybody has seen.
var refusedFewViewers = refusal{code: 10, message: "(#10) Not enough viewers for the media to show insights"}

// accountInsights tells how the account does. The reach alone is told day by day; profile_views is not told any more.
func (a *API) accountInsights(w http.ResponseWriter, r metaapi.Request) {
	known := []string{"reach", "views", "total_interactions", "profile_links_taps", "likes", "comments", "shares", "saves"}
	asked, fault := metaapi.ReadInsights(r.Values, known, mostDays)
	series := r.Values.Get("metric_type") == "time_series"
	switch {
	case fault != "":
		a.wrong(w, fault)
		return
	case !asked.Bounded || r.Values.Get("period") != "day":
		a.wrong(w, "(#100) The sandbox tells figures of days alone: period must be day, with since and until")
		return
	case series && !slices.Equal(asked.Metrics, []string{"reach"}), !series && r.Values.Get("metric_type") != "total_value":
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
			"reach": d.Reach, "views": d.Impressions, "total_interactions": d.Engagements(), "profile_links_taps": d.WebsiteClicks,
			"likes": d.Likes, "comments": d.Comments, "shares": d.Shares, "saves": d.Saves,
		}[name]
	}
}

// postInsights tells how a post does. Of a story other metrics are told, for a day.
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

// insights tells of the account, or of a post of it.
func (a *API) insights(w http.ResponseWriter, r metaapi.Request) {
	if id := r.PathValue("id"); id == "me" || id == r.Account {
		a.accountInsights(w, r)
		return
	}
	a.postInsights(w, r)
}
