package linkedin

import (
	"context"
	"net/url"
	"strings"
	"time"

	"socialpub.internal/shared/domain/analytics"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/days"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// LinkedIn's names of the counts of a profile's posts. One call returns one of them. Older versions of the API lack
// some of them.
const (
	countImpressions = "IMPRESSION"
	countReached     = "MEMBERS_REACHED" // only for a single post, not by day
	countReactions   = "REACTION"
	countComments    = "COMMENT"
	countReshares    = "RESHARE"
	countSaves       = "POST_SAVE"
	countSends       = "POST_SEND"
	countClicks      = "LINK_CLICKS"
)

func dayCounts() []string {
	return []string{countImpressions, countReactions, countComments, countReshares, countSaves, countSends, countClicks}
}

func postCounts() []string {
	return []string{
		countImpressions, countReached, countReactions, countComments, countReshares, countSaves, countSends, countClicks,
	}
}

func optional(count string) bool {
	return count == countSaves || count == countSends || count == countClicks
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

// counted is one count, of a day or of the whole lifetime of a post.
type counted struct {
	Count httpcall.Figure `json:"count"`
	Range httpcall.Maybe[struct {
		Start struct {
			Year  int `json:"year"`
			Month int `json:"month"`
			Day   int `json:"day"`
		} `json:"start"`
	}] `json:"dateRange"`
}

// date returns the count's day. It returns false if there is none.
func (c counted) date() (analytics.Date, bool) {
	start := c.Range.Value.Start
	date := analytics.Date{Year: start.Year, Month: time.Month(start.Month), Day: start.Day}
	return date, !date.IsZero() && date.Add(0) == date
}

// profileDays reads the daily figures of the member's posts.
func (c *Connector) profileDays(
	ctx context.Context, account platform.Account, book *days.Book, since, until analytics.Date,
) error {
	sums := make(map[analytics.Date]httpcall.Figure)
	for _, count := range dayCounts() {
		tail := "dateRange=(start:" + dateTuple(since) + ",end:" + dateTuple(until.Next()) + ")"
		rows, err := c.profileCounts(ctx, account, url.Values{"q": {"me"}, "aggregation": {"DAILY"}}, tail, count)
		if err != nil {
			return err
		}
		for _, one := range rows {
			date, ok := one.date()
			if !ok {
				continue
			}
			if count == countImpressions {
				book.Day(date).Impressions = one.Count.Value()
				continue
			}
			if count == countClicks {
				book.Day(date).WebsiteClicks = one.Count.Value()
			}
			sums[date] = httpcall.Sum(sums[date], one.Count)
		}
	}
	for date, sum := range sums {
		book.Day(date).Engagements = sum.Value()
	}
	return nil
}

// profilePost reads the figures of one post. It returns zero figures for a post that is gone.
func (c *Connector) profilePost(
	ctx context.Context, account platform.Account, id string,
) (analytics.PostFigures, error) {
	tail := "entity=(" + entityOf(id) + ":" + url.QueryEscape(id) + ")"
	totals := make(map[string]httpcall.Figure)
	for i, count := range postCounts() {
		request := c.profileRequest(account, url.Values{"q": {"entity"}, "aggregation": {"TOTAL"}}, tail, count)
		response, err := c.client.Call(ctx, request)
		if err != nil {
			return analytics.PostFigures{}, err
		}
		if c.unknown(response) {
			if i == 0 {
				return analytics.PostFigures{}, nil
			}
			continue
		}
		rows, err := decoded[counted](c, account, response)
		if err != nil {
			return analytics.PostFigures{}, err
		}
		if len(rows) == 1 {
			totals[count] = rows[0].Count
		}
	}
	return analytics.PostFigures{
		Impressions: totals[countImpressions].Value(), Reach: totals[countReached].Value(),
		Likes:    totals[countReactions].Value(),
		Comments: totals[countComments].Value(), Shares: httpcall.Sum(totals[countReshares], totals[countSends]).Value(),
		Saves: totals[countSaves].Value(), Clicks: totals[countClicks].Value(),
	}, nil
}

// profileCounts reads one count. It returns nil for an optional count that this version of the API lacks.
func (c *Connector) profileCounts(
	ctx context.Context, account platform.Account, query url.Values, tail, count string,
) ([]counted, error) {
	response, err := c.client.Call(ctx, c.profileRequest(account, query, tail, count))
	if err != nil {
		return nil, err
	}
	if optional(count) && c.unknown(response) {
		return nil, nil
	}
	return decoded[counted](c, account, response)
}

func (c *Connector) profileRequest(account platform.Account, query url.Values, tail, count string) httpcall.Request {
	query.Set("queryType", count)
	request := c.insights(account, query, "memberCreatorPostAnalytics")
	request.QueryTail = tail
	return request
}

func (c *Connector) profileFollowers(ctx context.Context, account platform.Account) (httpcall.Figure, error) {
	rows, err := elements[struct {
		Count httpcall.Figure `json:"memberFollowersCount"`
	}](ctx, c, account, c.insights(account, url.Values{"q": {"me"}}, "memberFollowersCount"))
	if err != nil || len(rows) == 0 {
		return httpcall.Figure{}, err
	}
	return rows[0].Count, nil
}
