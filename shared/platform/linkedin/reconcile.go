package linkedin

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/wire"
)

// How a page's posts are read.
const (
	pageSize     = 10
	longestList  = 20               // pages
	windowBefore = 2 * time.Minute  // clocks may differ
	windowAfter  = 30 * time.Minute // a request may linger on its way
)

type listing struct {
	Elements []listed `json:"elements"`
}

// listed is one post of a listing.
type listed struct {
	ID         string `json:"id"`
	Commentary string `json:"commentary"`
	State      string `json:"lifecycleState"`
	CreatedAt  int64  `json:"createdAt"` // milliseconds
}

// Reconcile lists the page's posts since the call and looks for the text. Posts that belong to other posts of ours are passed
// over, so that two equal texts cannot both claim one. Absence is certain only when the whole listing was read and nothing
// came near. A profile's posts cannot be read, so nothing is known of them.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, _ platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if !c.kind.listed {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	author, err := c.author(account)
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	verdict := verdict{sent: sent, want: signatureOf(sent.Text)}
	for page := range longestList {
		list, err := c.list(ctx, account, author, page*pageSize)
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		if urn := verdict.read(list.Elements); urn != "" {
			return platform.EvidenceFound, c.publication(urn), nil
		}
		if verdict.ends(list.Elements) {
			return verdict.absence(), platform.Publication{}, nil
		}
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

func (c *Connector) list(ctx context.Context, account platform.Account, author string, start int) (listing, error) {
	header := c.header(account)
	header.Set("X-Restli-Method", "FINDER")
	response, err := c.client.Call(ctx, wire.Request{
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
		return listing{}, c.failure(account, response)
	}
	var list listing
	if err := response.Decode(&list); err != nil || list.Elements == nil {
		return listing{}, c.client.Unclear(response, "not a listing of posts")
	}
	return list, nil
}

// verdict gathers what the pages of a listing say.
type verdict struct {
	sent  platform.Sent
	want  signature
	doubt bool
}

// read returns the name of the post on this page that is ours, the one nearest to the call when there are several. What is
// ours and not out, or not to be named, leaves a doubt.
func (v *verdict) read(page []listed) string {
	best, distance := "", time.Duration(0)
	for _, post := range page {
		at := time.UnixMilli(post.CreatedAt)
		if at.Before(v.sent.At.Add(-windowBefore)) && post.CreatedAt > 0 || at.After(v.sent.At.Add(windowAfter)) || v.taken(post.ID) {
			continue
		}
		match := post.match(v.want)
		ours := match == matchExact && postURN.MatchString(post.ID) && post.CreatedAt > 0 &&
			(post.State == "" || post.State == "PUBLISHED")
		v.doubt = v.doubt || match != matchNone && !ours
		if away := at.Sub(v.sent.At).Abs(); ours && (best == "" || away < distance) {
			best, distance = post.ID, away
		}
	}
	return best
}

// ends reports whether nothing that follows the page can be ours. A single old post proves nothing: it may stand there
// because it was edited.
func (v *verdict) ends(page []listed) bool {
	for _, post := range page {
		if !time.UnixMilli(post.CreatedAt).Before(v.sent.At.Add(-windowBefore)) {
			return false
		}
	}
	return true
}

func (v *verdict) taken(id string) bool { return v.sent.Taken != nil && v.sent.Taken(id) }

func (v *verdict) absence() platform.Evidence {
	if v.doubt {
		return platform.EvidenceUnclear
	}
	return platform.EvidenceAbsent
}
