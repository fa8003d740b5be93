package linkedin

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// Bounds of reading a page's posts.
const (
	pageSize    = 10
	longestList = 20 // pages
)

type listing struct {
	Elements []listed `json:"elements"`
}

// listed is one post of a list.
type listed struct {
	ID         string `json:"id"`
	Commentary string `json:"commentary"`
	State      string `json:"lifecycleState"`
	CreatedAt  int64  `json:"createdAt"` // milliseconds

	Content *attached `json:"content"`
}

// Reconcile lists the page's posts since the call and searches for the sent media, or otherwise for the text. It skips
// posts that belong to other posts of this service, so that two posts with equal texts cannot claim the same one.
// Absence is certain only if the whole list was read without a near match. A profile's posts cannot be read, so the
// result is EvidenceUnclear.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if !c.kind.listed {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	author, err := c.author(account)
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	if comments.IsFirst(content) {
		return c.reconcileFirst(ctx, account, author, content, sent)
	}
	search := readback.NewSearchOf(sent, wantedOf(content, sent).match)
	for page := range longestList {
		list, err := c.list(ctx, account, author, page*pageSize)
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		if found, ok := search.Read(list.posts(search)); ok {
			return platform.EvidenceFound, c.publication(found.ExternalID), nil
		}
		if list.ends(search.Since()) {
			return search.Absence(), platform.Publication{}, nil
		}
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

func (c *Connector) list(ctx context.Context, account platform.Account, author string, start int) (listing, error) {
	header := c.header(account)
	header.Set("X-Restli-Method", "FINDER")
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "reconcile",
		Method:    http.MethodGet,
		Path:      []string{"rest", "posts"},
		Query: url.Values{
			"q": {"author"}, "author": {author}, "sortBy": {"CREATED"},
			"start": {strconv.Itoa(start)}, "count": {strconv.Itoa(pageSize)},
		},
		Header:  header,
		Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return listing{}, err
	}
	if !response.OK() {
		if response.Status == http.StatusForbidden {
			return listing{}, c.client.ReadRefused(c.failure(account, response), "r_organization_social")
		}
		return listing{}, c.failure(account, response)
	}
	var list listing
	if err := response.Decode(&list); err != nil || list.Elements == nil {
		return listing{}, c.client.Unclear(response, "not a listing of posts")
	}
	return list, nil
}

// posts converts the page's posts for the search. A post that is not published, or has a malformed URN, gets no id: if
// it matches, the outcome is unclear.
func (l listing) posts(search *readback.Search) []readback.Listed {
	posts := make([]readback.Listed, 0, len(l.Elements))
	for _, post := range l.Elements {
		if search.Taken(post.ID) {
			continue
		}
		one := readback.Listed{Text: post.Commentary, Details: post.Content.urns()}
		if post.CreatedAt > 0 {
			one.At = time.UnixMilli(post.CreatedAt)
		}
		if postURN.MatchString(post.ID) && (post.State == "" || post.State == "PUBLISHED") {
			one.ID = post.ID
		}
		posts = append(posts, one)
	}
	return posts
}

// ends reports whether every later page is older than since. A single old post is not sufficient, because an edit may
// have moved it up.
func (l listing) ends(since time.Time) bool {
	for _, post := range l.Elements {
		if !time.UnixMilli(post.CreatedAt).Before(since) {
			return false
		}
	}
	return true
}
