package facebook

import (
	"context"
	"net/url"
	"strconv"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/graph"
	"socialpub.internal/shared/platform/connectors/internal/match"
)

// Bounds of reading the Page's posts. A page is small because a text may have hundreds of kilobytes.
const (
	pageSize    = 10
	longestList = 20 // pages
)

// listed is one post of a list.
type listed struct {
	ID          string `json:"id"`
	Message     string `json:"message"`
	CreatedTime string `json:"created_time"`
	Permalink   string `json:"permalink_url"`
}

// listing is one page of the Page's posts. Only Next indicates a further page: the last page also has cursors.
type listing struct {
	Data   []listed `json:"data"`
	Paging struct {
		Next    string `json:"next"`
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
	} `json:"paging"`
}

// Reconcile lists the posts that the Page published around the time of the call and searches for the text. It skips
// posts that belong to other posts of this service, so that two posts with equal texts cannot claim the same one.
// Absence is certain only if the whole list was read without a near match.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, _ platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if !usable(account) {
		return platform.EvidenceUnclear, platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	search := match.New(sent)
	query := url.Values{
		"fields": {"id,message,created_time,permalink_url"},
		"since":  {strconv.FormatInt(search.Since().Unix(), 10)},
		"until":  {strconv.FormatInt(search.Until().Unix(), 10)},
		"limit":  {strconv.Itoa(pageSize)},
	}
	for range longestList {
		page, err := c.list(ctx, account, query)
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		if found, ok := search.Read(page.posts()); ok {
			return platform.EvidenceFound, c.publication(found.ExternalID, found.URL), nil
		}
		if page.Paging.Next == "" {
			return search.Absence(), platform.Publication{}, nil
		}
		if page.Paging.Cursors.After == "" {
			break // there is another page, but no cursor for it
		}
		query.Set("after", page.Paging.Cursors.After)
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

func (c *Connector) list(ctx context.Context, account platform.Account, query url.Values) (listing, error) {
	response, err := c.get(ctx, "reconcile", account, query, account.ExternalID, "published_posts")
	if err != nil {
		return listing{}, err
	}
	if !response.OK() {
		if graph.ErrorOf(response).Meaning(response.Status) == graph.Forbidden {
			return listing{}, c.client.ReadRefused(c.failure(response), "pages_read_engagement")
		}
		return listing{}, c.failure(response)
	}
	var page listing
	if err := response.Decode(&page); err != nil || page.Data == nil {
		return listing{}, c.client.Unclear(response, "not a listing of posts")
	}
	return page, nil
}

// posts converts the page's posts for the search.
func (l listing) posts() []match.Listed {
	posts := make([]match.Listed, 0, len(l.Data))
	for _, post := range l.Data {
		one := match.Listed{Text: post.Message, URL: post.Permalink}
		if idPattern.MatchString(post.ID) {
			one.ID = post.ID
		}
		if at, err := graph.ParseTime(post.CreatedTime); err == nil {
			one.At = at
		}
		posts = append(posts, one)
	}
	return posts
}
