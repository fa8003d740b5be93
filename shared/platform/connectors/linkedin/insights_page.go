package linkedin

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// sharesPerCall is the number of a page's posts per call. Their URNs fit into a URL.
const sharesPerCall = 50

// shareStatistics holds LinkedIn's counts of a page's posts.
type shareStatistics struct {
	Impressions httpcall.Figure `json:"impressionCount"`
	Reach       httpcall.Figure `json:"uniqueImpressionsCount"`
	Clicks      httpcall.Figure `json:"clickCount"`
	Likes       httpcall.Figure `json:"likeCount"`
	Comments    httpcall.Figure `json:"commentCount"`
	Shares      httpcall.Figure `json:"shareCount"`
}

// timeRange is a time range, in milliseconds.
type timeRange struct {
	Start int64 `json:"start"`
}

// date returns the day on which the range starts. It returns false if the range is missing.
func (r timeRange) date() (analytics.Date, bool) {
	return analytics.DateOf(time.UnixMilli(r.Start).UTC()), r.Start > 0
}

// pageDays reads the figures of the page's posts, and the page's own views and clicks.
func (c *Connector) pageDays(
	ctx context.Context, account platform.Account, author string, book *readback.Book, since, until analytics.Date,
) error {
	shares := c.insights(account, url.Values{"q": {"organizationalEntity"}, "organizationalEntity": {author}},
		"organizationalEntityShareStatistics")
	shares.QueryTail = daily(since, until)
	rows, err := elements[struct {
		Range timeRange                       `json:"timeRange"`
		Total httpcall.Maybe[shareStatistics] `json:"totalShareStatistics"`
	}](ctx, c, account, shares)
	if err != nil {
		return err
	}
	for _, one := range rows {
		if date, ok := one.Range.date(); ok {
			day, total := book.Day(date), one.Total.Value
			day.Impressions, day.Reach = total.Impressions.Value(), total.Reach.Value()
			day.Engagements = httpcall.Sum(total.Likes, total.Comments, total.Shares, total.Clicks).Value()
		}
	}
	return c.pageViews(ctx, account, author, book, since, until)
}

// customClicks is the number of clicks on one of the page's buttons.
type customClicks struct {
	Clicks httpcall.Figure `json:"clicks"`
}

type pageStatistics struct {
	Views httpcall.Maybe[struct {
		All httpcall.Maybe[struct {
			Views httpcall.Figure `json:"pageViews"`
		}] `json:"allPageViews"`
	}] `json:"views"`
	Clicks httpcall.Maybe[struct {
		Desktop httpcall.Maybe[httpcall.Some[customClicks]] `json:"desktopCustomButtonClickCounts"`
		Mobile  httpcall.Maybe[httpcall.Some[customClicks]] `json:"mobileCustomButtonClickCounts"`
	}] `json:"clicks"`
}

// pressed returns the clicks on all buttons. It is unknown if the response has no list of them.
func (s pageStatistics) pressed() httpcall.Figure {
	var sum httpcall.Figure
	for _, list := range []httpcall.Some[customClicks]{s.Clicks.Value.Desktop.Value, s.Clicks.Value.Mobile.Value} {
		if list != nil {
			sum = httpcall.Sum(sum, httpcall.Count(0))
		}
		for _, button := range list {
			sum = httpcall.Sum(sum, button.Clicks)
		}
	}
	return sum
}

func (c *Connector) pageViews(
	ctx context.Context, account platform.Account, author string, book *readback.Book, since, until analytics.Date,
) error {
	request := c.insights(account, url.Values{"q": {"organization"}, "organization": {author}},
		"organizationPageStatistics")
	request.QueryTail = daily(since, until)
	rows, err := elements[struct {
		Range timeRange                      `json:"timeRange"`
		Total httpcall.Maybe[pageStatistics] `json:"totalPageStatistics"`
	}](ctx, c, account, request)
	if err != nil {
		return err
	}
	for _, one := range rows {
		if date, ok := one.Range.date(); ok {
			book.Day(date).ProfileViews = one.Total.Value.Views.Value.All.Value.Views.Value()
			book.Day(date).WebsiteClicks = one.Total.Value.pressed().Value()
		}
	}
	return nil
}

// daily requests one entry per day. The end is exclusive.
func daily(since, until analytics.Date) string {
	milli := func(date analytics.Date) string { return strconv.FormatInt(date.Start(time.UTC).UnixMilli(), 10) }
	return "timeIntervals=(timeRange:(start:" + milli(since) + ",end:" + milli(until.Next()) + "),timeGranularityType:DAY)"
}

// pagePosts adds the figures of the posts to found. Shares and the older UGC posts need separate calls.
func (c *Connector) pagePosts(
	ctx context.Context, account platform.Account, author string, posts []string, found map[string]analytics.PostFigures,
) error {
	byEntity := make(map[string][]string)
	for _, id := range posts {
		byEntity[entityOf(id)] = append(byEntity[entityOf(id)], id)
	}
	for _, entity := range []string{entityShare, entityPost} {
		for batch := range slices.Chunk(byEntity[entity], sharesPerCall) {
			if err := c.pageBatch(ctx, account, author, entity, batch, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// pageBatch reads several posts. If LinkedIn refuses a batch because of one of its posts, pageBatch splits it in half
// until that post is found, and omits that post.
func (c *Connector) pageBatch(
	ctx context.Context, account platform.Account, author, entity string, ids []string, found map[string]analytics.PostFigures,
) error {
	request := c.insights(account, url.Values{"q": {"organizationalEntity"}, "organizationalEntity": {author}},
		"organizationalEntityShareStatistics")
	escaped := make([]string, len(ids))
	for i, id := range ids {
		escaped[i] = url.QueryEscape(id)
	}
	request.QueryTail = map[string]string{entityShare: "shares", entityPost: "ugcPosts"}[entity] + "=List(" +
		strings.Join(escaped, ",") + ")"
	response, err := c.client.Call(ctx, request)
	if err != nil {
		return err
	}
	if c.unknown(response) {
		if len(ids) == 1 {
			return nil
		}
		half := len(ids) / 2
		if err := c.pageBatch(ctx, account, author, entity, ids[:half], found); err != nil {
			return err
		}
		return c.pageBatch(ctx, account, author, entity, ids[half:], found)
	}
	rows, err := decoded[struct {
		Share string                          `json:"share"`
		Post  string                          `json:"ugcPost"`
		Total httpcall.Maybe[shareStatistics] `json:"totalShareStatistics"`
	}](c, account, response)
	if err != nil {
		return err
	}
	for _, one := range rows {
		if id := one.Share + one.Post; slices.Contains(ids, id) {
			if figures := one.Total.Value.post(); figures != (analytics.PostFigures{}) {
				found[id] = figures
			}
		}
	}
	return nil
}

func (s shareStatistics) post() analytics.PostFigures {
	return analytics.PostFigures{
		Impressions: s.Impressions.Value(), Reach: s.Reach.Value(), Likes: s.Likes.Value(), Comments: s.Comments.Value(),
		Shares: s.Shares.Value(), Clicks: s.Clicks.Value(),
	}
}

// unknown reports whether LinkedIn, in its own format, refuses the request because part of it does not exist.
func (c *Connector) unknown(response httpcall.Response) bool {
	p, readable := problemOf(response)
	return readable && !p.aboutVersion() && (response.Status == http.StatusNotFound ||
		response.Status == http.StatusBadRequest)
}

// elements makes the call and decodes the list.
func elements[T any](
	ctx context.Context, c *Connector, account platform.Account, request httpcall.Request,
) ([]T, error) {
	response, err := c.client.Call(ctx, request)
	if err != nil {
		return nil, err
	}
	return decoded[T](c, account, response)
}

// decoded returns the list in the response.
func decoded[T any](c *Connector, account platform.Account, response httpcall.Response) ([]T, error) {
	if !response.OK() {
		return nil, c.client.InsightsFailure(response, c.failure(account, response))
	}
	var result struct {
		Elements httpcall.Some[T] `json:"elements"`
	}
	if response.Decode(&result) != nil || result.Elements == nil {
		return nil, c.client.Unclear(response, "no list of figures in the response")
	}
	return result.Elements, nil
}

// The kinds of posts in LinkedIn's requests.
const (
	entityShare = "share"
	entityPost  = "ugc"
)

// entityOf returns the kind of the post, or an empty string for a URN that is not a post's.
func entityOf(urn string) string {
	switch {
	case !postURN.MatchString(urn):
		return ""
	case strings.HasPrefix(urn, "urn:li:share:"):
		return entityShare
	case strings.HasPrefix(urn, "urn:li:ugcPost:"):
		return entityPost
	default:
		return ""
	}
}
