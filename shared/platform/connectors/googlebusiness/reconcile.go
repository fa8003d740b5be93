package googlebusiness

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// Bounds of reading the location's posts. Google guarantees no order and has no start-time parameter, so absence
// requires reading the whole list.
const (
	pageSize    = 50
	longestList = 40 // pages
)

// listing is a page of the location's posts. Google omits empty members, so a location without posts is {}.
type listing struct {
	LocalPosts    []localPost `json:"localPosts"`
	NextPageToken string      `json:"nextPageToken"`
}

// Reconcile lists the location's posts and searches for the text and the topic around the time of the call. It skips posts that
// belong to other posts of this service, so that two posts with equal texts cannot claim the same one. It also skips
// posts that Google has refused, which are not visible. Absence is certain only if the whole list was read without a
// near match.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	posts, err := c.posts(account)
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	if strings.TrimSpace(sent.Text) == "" { // nothing identifies the post
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	search, topic := readback.NewSearch(sent), topicOf(content.Options)
	next := ""
	for range longestList {
		page, err := c.list(ctx, account, posts, next)
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		if found, ok := search.Read(page.posts(topic)); ok {
			found.URL = c.client.Permalink(found.URL)
			found.InReview = page.inReview(found.ExternalID)
			return platform.EvidenceFound, found, nil
		}
		if next = page.NextPageToken; next == "" {
			return search.Absence(), platform.Publication{}, nil
		}
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

func (c *Connector) list(ctx context.Context, account platform.Account, posts []string, from string) (listing, error) {
	query := url.Values{"pageSize": {strconv.Itoa(pageSize)}}
	if from != "" {
		query.Set("pageToken", from)
	}
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "reconcile",
		Path:      posts,
		Query:     query,
		Header:    bearer(account),
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return listing{}, err
	}
	if !response.OK() {
		return listing{}, c.failure(response)
	}
	var page listing
	if err := response.Decode(&page); err != nil {
		return listing{}, c.client.Unclear(response, "not a listing of posts")
	}
	return page, nil
}

// inReview reports whether Google still reviews the post with this id.
func (l listing) inReview(id string) bool {
	return slices.ContainsFunc(l.LocalPosts, func(p localPost) bool { return p.id() == id && p.State == stateInReview })
}

// posts converts the page's posts of the topic for the search.
func (l listing) posts(topic string) []readback.Listed {
	posts := make([]readback.Listed, 0, len(l.LocalPosts))
	for _, post := range l.LocalPosts {
		if post.State == stateRejected || post.TopicType != "" && post.TopicType != topic {
			continue
		}
		one := readback.Listed{ID: post.id(), Text: post.Summary, URL: post.SearchURL}
		if at, err := time.Parse(time.RFC3339, post.CreateTime); err == nil {
			one.At = at
		}
		posts = append(posts, one)
	}
	return posts
}
