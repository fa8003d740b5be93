package linkedinapi

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/analytics"
)

// raw returns a query parameter as it was sent. Rest.li treats the parentheses, commas and colons of a structure as
// syntax only if they are not percent-encoded.
func raw(r stage.Request, name string) string {
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value
		}
	}
	return ""
}

// ofPage checks that the token may act for the organization in the parameter.
func ofPage(r stage.Request, parameter string) stage.Rule[stage.Response] {
	named := r.Values.Get(parameter)
	return stage.If(r.Values.Get("q") != parameter, illegal("The finder is "+parameter+".")).
		Or(named != organization+r.Account, denied("statistics of "+named))
}

var intervalsPattern = regexp.MustCompile(
	`^\(timeRange:\(start:([0-9]{1,15}),end:([0-9]{1,15})\),timeGranularityType:DAY\)$`)

// daily returns statistics of an organization for each day of the interval.
func (a *api) daily(r stage.Request, parameter string, show func(figures.Day) stage.Object) stage.Response {
	parts := intervalsPattern.FindStringSubmatch(raw(r, "timeIntervals"))
	if parts == nil {
		return illegal("timeIntervals is not a structure of Rest.li.")
	}
	at := func(text string) time.Time {
		milli, _ := strconv.ParseInt(text, 10, 64) // fifteen digits fit
		return time.UnixMilli(milli).UTC()
	}
	since, until := analytics.DateOf(at(parts[1])), analytics.DateOf(at(parts[2]).Add(-time.Millisecond))
	var days []stage.Object
	for date, day := range figures.Of(network, r.Account).Days(since, until, a.Stage.Clock.Now()) {
		shown := show(day)
		shown[parameter] = organization + r.Account
		shown["timeRange"] = map[string]int64{
			"start": date.Start(time.UTC).UnixMilli(), "end": date.Next().Start(time.UTC).UnixMilli(),
		}
		days = append(days, shown)
	}
	return elements(0, 10, days)
}

// shares returns metrics of an organization's posts: per day for all posts, or for the requested posts.
func (a *api) shares(r stage.Request) stage.Response {
	if rule := ofPage(r, "organizationalEntity"); rule.Broken {
		return rule.Fault
	}
	for _, member := range []string{"share", "ugcPost"} {
		if list := raw(r, member+"s"); list != "" {
			return a.namedShares(r, member, list)
		}
	}
	return a.daily(r, "organizationalEntity", func(d figures.Day) stage.Object {
		return statistics(d.Impressions, d.Reach, d.Likes, d.Comments, d.Shares, d.Clicks)
	})
}

func statistics(impressions, reach, likes, comments, shares, clicks int64) stage.Object {
	engagement := 0.0
	if impressions > 0 {
		engagement = float64(likes+comments+shares+clicks) / float64(impressions)
	}
	return stage.Object{"totalShareStatistics": stage.Object{
		"impressionCount": impressions, "uniqueImpressionsCount": reach, "clickCount": clicks, "likeCount": likes,
		"commentCount": comments, "shareCount": shares, "engagement": engagement,
	}}
}

// namedShares returns the metrics of the requested posts and omits posts of other authors.
func (a *api) namedShares(r stage.Request, member, list string) stage.Response {
	inner, isList := strings.CutPrefix(list, "List(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !isList || !closed {
		return illegal("The posts are not a List of Rest.li.")
	}
	var found []stage.Object
	for escaped := range strings.SplitSeq(inner, ",") {
		urn, err := url.QueryUnescape(escaped)
		if err != nil || strings.Contains(escaped, ":") {
			return illegal("The name of a post must be escaped.")
		}
		if post, ok := a.Stage.Ledger.Get(network, urn); ok && post.Origin == organization+r.Account {
			so := figures.OfPost(post, a.Stage.Clock.Now())
			shown := statistics(so.Impressions, so.Reach, so.Likes, so.Comments, so.Shares, so.Clicks)
			shown["organizationalEntity"], shown[member] = post.Origin, urn
			found = append(found, shown)
		}
	}
	return elements(0, 10, found)
}

// pageStatistics returns the views and clicks of an organization's page per day.
func (a *api) pageStatistics(r stage.Request) stage.Response {
	return ofPage(r, "organization").Else(a.daily(r, "organization", func(d figures.Day) stage.Object {
		views := map[string]int64{"pageViews": d.ProfileViews, "uniquePageViews": d.ProfileViews * 4 / 5}
		buttons := func(clicks int64) []stage.Object {
			return []stage.Object{{"customButtonType": "VIEW_WEBSITE", "clicks": clicks}}
		}
		return stage.Object{"totalPageStatistics": stage.Object{
			"views": stage.Object{"allPageViews": views},
			"clicks": stage.Object{
				"desktopCustomButtonClickCounts": buttons(d.WebsiteClicks / 2),
				"mobileCustomButtonClickCounts":  buttons(d.WebsiteClicks - d.WebsiteClicks/2),
			},
		}}
	}))
}

// networkSize returns the number of an organization's followers.
func (a *api) networkSize(r stage.Request) stage.Response {
	urn := r.PathValue("urn")
	usable := r.Values.Get("edgeType") == "COMPANY_FOLLOWED_BY_MEMBER" &&
		strings.HasSuffix(r.URL.EscapedPath(), url.QueryEscape(urn))
	followers := figures.Of(network, r.Account).Followers(a.Stage.Clock.Now())
	return stage.If(!usable, illegal("The edge type or the key cannot be used.")).
		Or(urn != organization+r.Account, denied("networkSizes of "+urn)).
		Else(stage.OK(map[string]int64{"firstDegreeSize": followers}))
}
