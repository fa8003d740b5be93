package linkedinapi

import (
	"net/http"
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
func (r request) raw(name string) string {
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value
		}
	}
	return ""
}

func (a *API) now() time.Time { return a.stage.Clock.Now() }

// elements writes a list response.
func (r request) elements(w http.ResponseWriter, elements []map[string]any) {
	if elements == nil {
		elements = []map[string]any{}
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"paging": map[string]any{"start": 0, "count": 10, "links": []any{}}, "elements": elements,
		})
	}
}

// ofPage checks that the token may act for the organization in the parameter. If not, it writes an error response and
// returns false.
func (r request) ofPage(w http.ResponseWriter, parameter string) bool {
	query := r.URL.Query()
	switch name := query.Get(parameter); {
	case query.Get("q") != parameter:
		problem(w, http.StatusBadRequest, 0, "ILLEGAL_ARGUMENT", "The finder is "+parameter+".")
	case name != organization+r.account:
		denied(w, "statistics of "+name)
	default:
		return true
	}
	return false
}

var intervalsPattern = regexp.MustCompile(
	`^\(timeRange:\(start:([0-9]{1,15}),end:([0-9]{1,15})\),timeGranularityType:DAY\)$`)

// interval returns the days in the timeIntervals parameter. A zero start means that there is no such parameter.
func (r request) interval() (since, until analytics.Date, ok bool) {
	parts := intervalsPattern.FindStringSubmatch(r.raw("timeIntervals"))
	if parts == nil {
		return analytics.Date{}, analytics.Date{}, r.raw("timeIntervals") == ""
	}
	at := func(text string) time.Time {
		milli, _ := strconv.ParseInt(text, 10, 64) // fifteen digits fit
		return time.UnixMilli(milli).UTC()
	}
	return analytics.DateOf(at(parts[1])), analytics.DateOf(at(parts[2]).Add(-time.Millisecond)), true
}

func badInterval(w http.ResponseWriter) {
	problem(w, http.StatusBadRequest, 0, "ILLEGAL_ARGUMENT", "timeIntervals is not a structure of Rest.li.")
}

// shareStatistics returns metrics of an organization's posts: per day for all posts, or for the requested posts.
func (a *API) shareStatistics(w http.ResponseWriter, r request) {
	if !r.ofPage(w, "organizationalEntity") {
		return
	}
	if r.raw("shares") != "" || r.raw("ugcPosts") != "" {
		a.namedShares(w, r)
		return
	}
	since, until, ok := r.interval()
	if !ok || since.IsZero() {
		badInterval(w)
		return
	}
	var elements []map[string]any
	for date := range analytics.DaysFrom(since, until) {
		if day, ok := figures.Of(network, r.account).Day(date, a.now()); ok {
			elements = append(elements, map[string]any{
				"organizationalEntity": organization + r.account, "timeRange": rangeOf(date),
				"totalShareStatistics": statistics(day.Impressions, day.Reach, day.Likes, day.Comments, day.Shares, day.Clicks),
			})
		}
	}
	r.elements(w, elements)
}

func rangeOf(date analytics.Date) map[string]int64 {
	return map[string]int64{"start": date.Start(time.UTC).UnixMilli(), "end": date.Next().Start(time.UTC).UnixMilli()}
}

func statistics(impressions, reach, likes, comments, shares, clicks int64) map[string]any {
	engagement := 0.0
	if impressions > 0 {
		engagement = float64(likes+comments+shares+clicks) / float64(impressions)
	}
	return map[string]any{
		"impressionCount": impressions, "uniqueImpressionsCount": reach, "clickCount": clicks, "likeCount": likes,
		"commentCount": comments, "shareCount": shares, "engagement": engagement,
	}
}

// namedShares returns the metrics of the requested posts and omits posts of other authors.
func (a *API) namedShares(w http.ResponseWriter, r request) {
	member, list := "share", r.raw("shares")
	if list == "" {
		member, list = "ugcPost", r.raw("ugcPosts")
	}
	inner, isList := strings.CutPrefix(list, "List(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !isList || !closed {
		problem(w, http.StatusBadRequest, 0, "ILLEGAL_ARGUMENT", "The posts are not a List of Rest.li.")
		return
	}
	var elements []map[string]any
	for escaped := range strings.SplitSeq(inner, ",") {
		urn, err := url.QueryUnescape(escaped)
		if err != nil || strings.Contains(escaped, ":") {
			problem(w, http.StatusBadRequest, 0, "ILLEGAL_ARGUMENT", "The name of a post must be escaped.")
			return
		}
		if post, ok := a.stage.Ledger.Get(network, urn); ok && post.Origin == organization+r.account {
			so := figures.OfPost(post, a.now())
			elements = append(elements, map[string]any{
				"organizationalEntity": post.Origin, member: urn,
				"totalShareStatistics": statistics(so.Impressions, so.Reach, so.Likes, so.Comments, so.Shares, so.Clicks),
			})
		}
	}
	r.elements(w, elements)
}

// pageStatistics returns the views and clicks of an organization's page per day.
func (a *API) pageStatistics(w http.ResponseWriter, r request) {
	if !r.ofPage(w, "organization") {
		return
	}
	since, until, ok := r.interval()
	if !ok || since.IsZero() {
		badInterval(w)
		return
	}
	var elements []map[string]any
	for date := range analytics.DaysFrom(since, until) {
		day, ok := figures.Of(network, r.account).Day(date, a.now())
		if !ok {
			continue
		}
		elements = append(elements, map[string]any{
			"organization": organization + r.account, "timeRange": rangeOf(date),
			"totalPageStatistics": map[string]any{
				"views": map[string]any{
					"allPageViews": map[string]int64{"pageViews": day.ProfileViews, "uniquePageViews": day.ProfileViews * 4 / 5},
				},
				"clicks": map[string]any{
					"desktopCustomButtonClickCounts": []map[string]any{
						{"customButtonType": "VIEW_WEBSITE", "clicks": day.WebsiteClicks / 2},
					},
					"mobileCustomButtonClickCounts": []map[string]any{
						{"customButtonType": "VIEW_WEBSITE", "clicks": day.WebsiteClicks - day.WebsiteClicks/2},
					},
				},
			},
		})
	}
	r.elements(w, elements)
}

// networkSize returns the number of an organization's followers.
func (a *API) networkSize(w http.ResponseWriter, r request) {
	switch urn := r.PathValue("urn"); {
	case r.URL.Query().Get("edgeType") != "COMPANY_FOLLOWED_BY_MEMBER" ||
		!strings.HasSuffix(r.URL.EscapedPath(), url.QueryEscape(urn)):
		problem(w, http.StatusBadRequest, 0, "ILLEGAL_ARGUMENT", "The edge type or the key cannot be used.")
	case urn != organization+r.account:
		denied(w, "networkSizes of "+urn)
	case !r.held.Lost(w, r.Request):
		stage.JSON(w, http.StatusOK, map[string]int64{"firstDegreeSize": figures.Of(network, r.account).Followers(a.now())})
	}
}
