package threads

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/graph"
)

// How the account's posts are read.
const (
	pageSize     = 100
	longestList  = 20               // pages
	windowAfter  = 30 * time.Minute // a request may linger on its way
	windowBefore = 2 * time.Minute  // clocks may differ
	// listingDelay is how long a published post may take to appear in the account's list.
	listingDelay = 2 * time.Minute
)

var errNotListed = errors.New("published, but not listed yet")

type listed struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	Permalink string `json:"permalink"`
	Timestamp string `json:"timestamp"`
}

// Reconcile asks the container. PUBLISHED is certain, and the account's list then tells which post it became;
// FINISHED, ERROR and EXPIRED are certain too: the post is not out, and the same container may be published again.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, _ platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if !usable(account) {
		return platform.EvidenceUnclear, platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	if !idPattern.MatchString(string(sent.Handle)) {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	state, err := c.status(ctx, account, sent.Handle)
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	switch state.Status {
	case statusPublished:
		return c.find(ctx, account, sent)
	case statusFinished, statusError, statusExpired:
		return platform.EvidenceAbsent, platform.Publication{}, nil
	default:
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
}

// find looks up the published post. While it is not listed yet the failure is transient; when it should be, the post
// is reported as found without an id, because that it is out is certain.
func (c *Connector) find(
	ctx context.Context, account platform.Account, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	query := url.Values{
		"fields": {"id,text,permalink,timestamp,media_type"},
		"since":  {strconv.FormatInt(sent.At.Add(-windowBefore).Unix(), 10)},
		"until":  {strconv.FormatInt(sent.At.Add(windowAfter).Unix(), 10)},
		"limit":  {strconv.Itoa(pageSize)},
	}
	for range longestList {
		page, err := c.page(ctx, account, query)
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		if post := pick(page.Data, sent); post.ID != "" {
			return platform.EvidenceFound, platform.Publication{ExternalID: post.ID, URL: c.client.Permalink(post.Permalink)}, nil
		}
		if page.Paging.Cursors.After == "" {
			break
		}
		query.Set("after", page.Paging.Cursors.After)
	}
	if c.client.Now().Before(sent.At.Add(listingDelay)) {
		return platform.EvidenceUnclear, platform.Publication{}, c.client.Unavailable(errNotListed)
	}
	return platform.EvidenceFound, platform.Publication{}, nil
}

// listing is a page of the account's posts.
type listing struct {
	Data   []listed `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
	} `json:"paging"`
}

func (c *Connector) page(ctx context.Context, account platform.Account, query url.Values) (listing, error) {
	response, err := c.get(ctx, "reconcile", account, query, "me", "threads")
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

// pick is the listed post that is ours: by text, not another post's, the nearest in time.
func pick(page []listed, sent platform.Sent) listed {
	var best listed
	var distance time.Duration
	for _, post := range page {
		at, err := graph.ParseTime(post.Timestamp)
		if err != nil || !idPattern.MatchString(post.ID) || squeeze(post.Text) != squeeze(sent.Text) ||
			at.Before(sent.At.Add(-windowBefore)) || sent.Taken != nil && sent.Taken(post.ID) {
			continue
		}
		if away := at.Sub(sent.At).Abs(); best.ID == "" || away < distance {
			best, distance = post, away
		}
	}
	return best
}

// squeeze folds what Threads may trim from a text.
func squeeze(text string) string { return strings.Join(strings.Fields(norm.NFC.String(text)), " ") }
