package threadsapi

import (
	"net/http"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/metaapi"
)

const mostDays = 93

// accountInsights returns the account's metrics: views per day, the current number of followers, and all others as a
// sum over the requested days.
func (a *API) accountInsights(w http.ResponseWriter, r metaapi.Request) {
	known := []string{"views", "likes", "replies", "reposts", "quotes", "clicks", "followers_count"}
	asked, fault := metaapi.ReadInsights(r.Values, known, mostDays)
	if fault != "" {
		a.Error(w, http.StatusBadRequest, 100, 0, fault)
		return
	}
	account, now := figures.Of(network, r.Account), a.Stage.Clock.Now()
	total := func(figure func(figures.Day) int64) int64 { return asked.Total(account, now, figure) }
	data := []map[string]any{}
	for _, name := range asked.Metrics {
		switch name {
		case "views":
			data = append(data, asked.Series(name, account, now, func(d figures.Day) int64 { return d.Impressions }))
		case "likes":
			data = append(data, metaapi.TotalValue(name, "day", total(func(d figures.Day) int64 { return d.Likes })))
		case "replies":
			data = append(data, metaapi.TotalValue(name, "day", total(func(d figures.Day) int64 { return d.Comments })))
		case "reposts":
			data = append(data, metaapi.TotalValue(name, "day",
				total(func(d figures.Day) int64 { return d.Shares - d.Shares/3 })))
		case "quotes":
			data = append(data, metaapi.TotalValue(name, "day", total(func(d figures.Day) int64 { return d.Shares / 3 })))
		case "clicks":
			data = append(data, map[string]any{
				"name": name, "period": "day", "title": name, "description": name, "id": r.Account + "/insights/" + name,
				"link_total_values": []map[string]any{{
					"value": total(func(d figures.Day) int64 { return d.WebsiteClicks }), "link_url": "https://example.com/",
				}},
			})
		case "followers_count":
			data = append(data, metaapi.TotalValue(name, "day", account.Followers(now)))
		}
	}
	r.Answer(w, map[string]any{"data": data})
}

// postInsights returns the metrics of a post.
func (a *API) postInsights(w http.ResponseWriter, r metaapi.Request) {
	asked, fault := metaapi.ReadInsights(r.Values, []string{"views", "likes", "replies", "reposts", "quotes", "shares"},
		mostDays)
	if fault != "" {
		a.Error(w, http.StatusBadRequest, 100, 0, fault)
		return
	}
	post, ok := a.Post(r, r.PathValue("id"))
	if !ok {
		a.Missing(w)
		return
	}
	so := figures.OfPost(post, a.Stage.Clock.Now())
	values := map[string]int64{
		"views": so.Impressions, "likes": so.Likes, "replies": so.Comments, "reposts": so.Shares / 2, "quotes": so.Shares / 4,
		"shares": so.Shares - so.Shares/2 - so.Shares/4,
	}
	data := []map[string]any{}
	for _, name := range asked.Metrics {
		data = append(data, metaapi.Lifetime(name, values[name]))
	}
	r.Answer(w, map[string]any{"data": data})
}
