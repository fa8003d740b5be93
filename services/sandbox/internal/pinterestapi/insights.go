package pinterestapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/analytics"
)

const (
	// mostDays is the number of past days that Pinterest reports.
	mostDays = 90
	// unready is the number of latest days that are still being processed.
	unready = 1
)

// account returns the account.
func (a *API) account(w http.ResponseWriter, r request) {
	followers := figures.Of(network, r.account).Followers(a.stage.Clock.Now())
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"account_type": "BUSINESS", "username": stage.Username(r.account), "profile_image": nil, "website_url": "",
			"follower_count": followers, "following_count": 0, "monthly_views": followers * 8,
		})
	}
}

// asked holds the parameters of a request for metrics.
type asked struct {
	since, until analytics.Date
	metrics      []string
}

// ask parses the parameters. If they are invalid, it writes an error response and returns false.
func (a *API) ask(w http.ResponseWriter, r request, known []string) (asked, bool) {
	query, today := r.URL.Query(), analytics.DateOf(a.stage.Clock.Now().UTC())
	since, sinceErr := analytics.ParseDate(query.Get("start_date"))
	until, untilErr := analytics.ParseDate(query.Get("end_date"))
	metrics := strings.Split(query.Get("metric_types"), ",")
	switch {
	case sinceErr != nil || untilErr != nil || until.Before(since) || today.DaysSince(since) > mostDays:
		apiError(w, http.StatusBadRequest, codeInvalid,
			"Parameters 'start_date' and 'end_date' must be dates of the last 90 days.")
	case slices.ContainsFunc(metrics, func(name string) bool { return !slices.Contains(known, name) }):
		apiError(w, http.StatusBadRequest, codeInvalid, "Parameter 'metric_types' is not valid.")
	default:
		if until.After(today) {
			until = today
		}
		return asked{since, until, metrics}, true
	}
	return asked{}, false
}

// accountAnalytics returns the account's metrics per day.
func (a *API) accountAnalytics(w http.ResponseWriter, r request) {
	known := []string{"IMPRESSION", "ENGAGEMENT", "PIN_CLICK", "OUTBOUND_CLICK", "SAVE"}
	q, ok := a.ask(w, r, known)
	if !ok {
		return
	}
	now := a.stage.Clock.Now()
	answer := q.report(now, func(date analytics.Date) (map[string]int64, string) {
		day, ok := figures.Of(network, r.account).Day(date, now)
		if !ok {
			return nil, "BEFORE_BUSINESS_CREATED"
		}
		return map[string]int64{
			"IMPRESSION": day.Impressions, "ENGAGEMENT": day.Engagements(), "PIN_CLICK": day.Clicks,
			"OUTBOUND_CLICK": day.WebsiteClicks,
			"SAVE":           day.Saves,
		}, "READY"
	})
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"all": answer})
	}
}

// pinAnalytics returns the metrics of a pin.
func (a *API) pinAnalytics(w http.ResponseWriter, r request) {
	known := []string{
		"IMPRESSION", "OUTBOUND_CLICK", "PIN_CLICK", "SAVE", "TOTAL_COMMENTS", "TOTAL_REACTIONS", "VIDEO_MRC_VIEW",
	}
	q, ok := a.ask(w, r, known)
	if !ok {
		return
	}
	post, ok := a.stage.Ledger.Get(network, r.PathValue("id"))
	if !ok || post.Account != r.account {
		apiError(w, http.StatusNotFound, codePin, "Pin not found.")
		return
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"all": a.pin(post, q)})
	}
}

// severalPins refuses: the call is in beta and not available to all applications.
func (a *API) severalPins(w http.ResponseWriter, _ request) {
	apiError(w, http.StatusForbidden, codeTrial, "You are not permitted to access that resource.")
}

// pin returns the metrics of each day. Only reactions and comments are reported as lifetime metrics.
func (a *API) pin(post ledger.Post, q asked) map[string]any {
	now := a.stage.Clock.Now()
	at := func(when time.Time) map[string]int64 {
		so := figures.OfPost(post, when)
		return map[string]int64{
			"IMPRESSION": so.Impressions, "OUTBOUND_CLICK": so.Clicks / 2, "PIN_CLICK": so.Clicks - so.Clicks/2,
			"SAVE":           so.Saves,
			"VIDEO_MRC_VIEW": so.VideoViews,
		}
	}
	made := analytics.DateOf(post.CreatedAt.UTC())
	answer := q.report(now, func(date analytics.Date) (map[string]int64, string) {
		if date.Before(made) {
			return nil, "BEFORE_PIN_CREATED"
		}
		end := date.Next().Start(time.UTC)
		if end.After(now) {
			end = now
		}
		came := at(end)
		for name, before := range at(date.Start(time.UTC)) {
			came[name] -= before
		}
		return came, "READY"
	})
	so := figures.OfPost(post, now)
	answer["lifetime_metrics"] = map[string]int64{"TOTAL_REACTIONS": so.Likes, "TOTAL_COMMENTS": so.Comments}
	return answer
}

// report returns the metrics per day and their sum. The latest days are still being processed: they have no metrics,
// but their values are part of the sum.
func (q asked) report(now time.Time, figure func(analytics.Date) (map[string]int64, string)) map[string]any {
	daily, summary := []map[string]any{}, make(map[string]int64)
	newest := analytics.DateOf(now.UTC()).Add(-unready)
	for date := range analytics.DaysFrom(q.since, q.until) {
		metrics, status := figure(date)
		shown := make(map[string]int64)
		for _, name := range q.metrics {
			if value, ok := metrics[name]; ok {
				shown[name] = value
				summary[name] += value
			}
		}
		if date.After(newest) && status == "READY" {
			shown, status = map[string]int64{}, "PROCESSING"
		}
		daily = append(daily, map[string]any{"date": date.String(), "data_status": status, "metrics": shown})
	}
	return map[string]any{"daily_metrics": daily, "summary_metrics": summary}
}
