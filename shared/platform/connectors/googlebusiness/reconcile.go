package googlebusiness

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
	"socialpub.internal/shared/platform/connectors/internal/match"
)

// How the location's posts are read. Google promises no order and takes no time to begin at, so that only the whole list
// shows what is absent.
const (
	pageSize    = 50
	longestList = 40 // pages
)

// listing is a page of the location's posts. Google leaves out what is empty, so that a location without posts is {}.
type listing struct {
	LocalPosts    []localPost `json:"localPosts"`
	NextPageToken string      `json:"nextPageToken"`
}

// Reconcile lists the location's posts and looks for the text around the time of the call. Posts that belong to other posts
// of ours are passed over, so that two equal texts cannot both claim one, and so are those that Google has refused: nobody
// sees them. Absence is certain only when the whole listing was read and nothing came near.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, _ platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	posts, err := c.posts(account)
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	search := match.New(sent)
	next := ""
	for range longestList {
		page, err := c.list(ctx, account, posts, next)
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		if found, ok := search.Read(page.posts()); ok {
			found.URL = c.client.Permalink(found.URL)
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

// posts are the page's posts in the form in which they are searched.
func (l listing) posts() []match.Listed {
	posts := make([]match.Listed, 0, len(l.LocalPosts))
	for _, post := range l.LocalPosts {
		if post.State == stateRejected || post.TopicType != "" && post.TopicType != topicStandard {
			continue
		}
		one := match.Listed{ID: post.id(), Text: post.Summary, URL: post.SearchURL}
		if at, err := time.Parse(time.RFC3339, post.CreateTime); err == nil {
			one.At = at
		}
		posts = append(posts, one)
	}
	return posts
}
