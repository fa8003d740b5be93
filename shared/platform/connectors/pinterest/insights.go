package pinterest

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Connector)(nil)

const (
	// reachBack is the maximum age in days that Pinterest reports, less one day for time zones.
	reachBack = 89

	accountMetrics = "IMPRESSION,ENGAGEMENT,PIN_CLICK,OUTBOUND_CLICK,SAVE"
	pinMetrics     = "IMPRESSION,OUTBOUND_CLICK,PIN_CLICK,SAVE,TOTAL_COMMENTS,TOTAL_REACTIONS,VIDEO_MRC_VIEW"
)

// report holds Pinterest's figures of an account or a pin.
type report struct {
	Daily    httpcall.Some[dailyMetrics]                `json:"daily_metrics"`
	Summary  httpcall.Maybe[map[string]httpcall.Figure] `json:"summary_metrics"`
	Lifetime httpcall.Maybe[map[string]httpcall.Figure] `json:"lifetime_metrics"`
}

type dailyMetrics struct {
	Status  string                                     `json:"data_status"`
	Date    string                                     `json:"date"`
	Metrics httpcall.Maybe[map[string]httpcall.Figure] `json:"metrics"`
}

// available reports whether the day's figures are available. Those of the latest days are still being computed.
func (d dailyMetrics) available() bool { return d.Status == "READY" || d.Status == "ESTIMATE" }

// AccountInsights reads the account's figures by day, at most ninety days back, and the current number of followers.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	if account.Credentials.AccessToken == "" {
		return nil, c.client.Reconnect(errNoToken)
	}
	book, today := readback.NewBook(since, until), analytics.DateOf(c.client.Now())
	from, to, _ := book.Last(reachBack+1, today)
	if earliest := today.Add(-reachBack); from.Before(earliest) {
		from = earliest
	}
	if !from.After(to) {
		if err := c.days(ctx, account, book, from, to); err != nil {
			return nil, err
		}
	}
	if book.Has(today) {
		followers, err := c.followers(ctx, account)
		if err != nil {
			return nil, err
		}
		book.Day(today).Followers = followers.Value()
	}
	return book.Days(), nil
}

func (c *Connector) days(
	ctx context.Context, account platform.Account, book *readback.Book, since, until analytics.Date,
) error {
	response, err := c.ask(ctx, account, url.Values{
		"start_date": {since.String()}, "end_date": {until.String()}, "metric_types": {accountMetrics},
	}, "user_account", "analytics")
	if err != nil {
		return err
	}
	if !response.OK() {
		return c.client.InsightsFailure(response, c.failure(response))
	}
	var result struct {
		All report `json:"all"`
	}
	if response.Decode(&result) != nil || result.All.Daily == nil {
		return c.client.Unclear(response, "no days in the response")
	}
	for _, one := range result.All.Daily {
		date, err := analytics.ParseDate(one.Date)
		if err != nil || !one.available() {
			continue
		}
		day, metrics := book.Day(date), one.Metrics.Value
		day.Impressions = metrics["IMPRESSION"].Value()
		day.Engagements = metrics["ENGAGEMENT"].Value()
		day.WebsiteClicks = metrics["OUTBOUND_CLICK"].Value()
	}
	return nil
}

func (c *Connector) followers(ctx context.Context, account platform.Account) (httpcall.Figure, error) {
	response, err := c.ask(ctx, account, url.Values{}, "user_account")
	if err != nil {
		return httpcall.Figure{}, err
	}
	if !response.OK() {
		return httpcall.Figure{}, c.client.InsightsFailure(response, c.failure(response))
	}
	var result struct {
		Username  string          `json:"username"`
		Followers httpcall.Figure `json:"follower_count"`
	}
	if response.Decode(&result) != nil || result.Username == "" {
		return httpcall.Figure{}, c.client.Unclear(response, "no account in the response")
	}
	return result.Followers, nil
}

// PostInsights makes a call for each pin. The call for several pins is in beta, and refused to most applications.
func (c *Connector) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	found := make(map[string]analytics.PostFigures, len(posts))
	if account.Credentials.AccessToken == "" {
		return found, c.client.Reconnect(errNoToken)
	}
	for _, id := range posts {
		if !idPattern.MatchString(id) {
			continue
		}
		if err := c.pin(ctx, account, id, found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// pin adds the figures of the pin to found. A pin that is gone has none.
func (c *Connector) pin(
	ctx context.Context, account platform.Account, id string, found map[string]analytics.PostFigures,
) error {
	today := analytics.DateOf(c.client.Now())
	response, err := c.ask(ctx, account, url.Values{
		"metric_types": {pinMetrics}, "start_date": {today.Add(-reachBack).String()}, "end_date": {today.String()},
	}, "pins", id, "analytics")
	if err != nil {
		return err
	}
	if response.Status == http.StatusNotFound {
		return nil
	}
	if !response.OK() {
		return c.client.InsightsFailure(response, c.failure(response))
	}
	var body *struct {
		All report `json:"all"`
	}
	if response.Decode(&body) != nil || body == nil {
		return c.client.Unclear(response, "no pin in the response")
	}
	if figures := body.All.post(); figures != (analytics.PostFigures{}) {
		found[id] = figures
	}
	return nil
}

// post returns the figures of a pin since its creation. Pinterest's lifetime total is preferred. The sum over the
// requested days is equal if the pin is younger than that range.
func (r report) post() analytics.PostFigures {
	young := slices.ContainsFunc(r.Daily, func(d dailyMetrics) bool { return d.Status == "BEFORE_PIN_CREATED" })
	whole := func(name string) httpcall.Figure {
		if figure := r.Lifetime.Value[name]; figure.Value() != nil || !young {
			return figure
		}
		return r.Summary.Value[name]
	}
	return analytics.PostFigures{
		Impressions: whole("IMPRESSION").Value(),
		Likes:       whole("TOTAL_REACTIONS").Value(),
		Comments:    whole("TOTAL_COMMENTS").Value(),
		Saves:       whole("SAVE").Value(),
		Clicks:      httpcall.Sum(whole("PIN_CLICK"), whole("OUTBOUND_CLICK")).Value(),
		VideoViews:  whole("VIDEO_MRC_VIEW").Value(),
	}
}

// ask makes a call for figures.
func (c *Connector) ask(
	ctx context.Context, account platform.Account, query url.Values, path ...string,
) (httpcall.Response, error) {
	return c.client.Call(ctx, httpcall.Request{
		Operation: "insights",
		Path:      append([]string{version}, path...),
		Query:     query,
		Header:    bearer(account),
		Secrets:   []string{account.Credentials.AccessToken},
	})
}
