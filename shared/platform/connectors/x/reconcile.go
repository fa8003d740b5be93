package x

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Bounds of reading the list. X bills each listed post, so the first page is small and reading stops at a match. The
// other pages are large, so that the post can be found behind the newest posts of a busy account.
const (
	firstPage   = 10
	pageSize    = 100
	longestList = 20 // pages
)

type timeline struct {
	Data   []listed `json:"data"`
	Errors []any    `json:"errors"`
	Meta   *struct {
		ResultCount int    `json:"result_count"`
		NextToken   string `json:"next_token"`
	} `json:"meta"`
}

// Reconcile lists the account's posts since the call and searches for the sent uploads, or otherwise for the text. It
// skips posts that belong to other posts of this service, so that two posts with equal texts cannot claim the same one.
// Absence is certain only if the whole list was read without a near match. A post with a similar text or with different
// media leaves the outcome unclear. A reply is only found below its parent, and a post of its own only if it replies to none.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if account.Credentials.AccessToken == "" || account.ExternalID == "" {
		return platform.EvidenceUnclear, platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	verdict := newVerdict(account, content, sent)
	page := ""
	for range longestList {
		list, err := c.list(ctx, account, sent, page)
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		if id := verdict.read(list.Data); id != "" {
			return platform.EvidenceFound, c.publication(account, id), nil
		}
		verdict.doubt = verdict.doubt || len(list.Errors) > 0
		if page = list.Meta.NextToken; page == "" {
			return verdict.absence(), platform.Publication{}, nil
		}
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

func (c *Connector) list(
	ctx context.Context, account platform.Account, sent platform.Sent, page string,
) (timeline, error) {
	size := pageSize
	if page == "" {
		size = firstPage
	}
	query := url.Values{
		"max_results": {strconv.Itoa(size)},
		"start_time":  {sent.Earliest().UTC().Format(time.RFC3339)},
		"exclude":     {"retweets"},
	}
	fields := "created_at,text,entities,attachments," + c.config.Dialect.note()
	if c.config.Dialect == PostFields { // has the posts that a post refers to as an expansion only
		query.Set("expansions", "referenced_posts")
	} else {
		fields += ",referenced_tweets"
	}
	query.Set(string(c.config.Dialect), fields)
	if page != "" {
		query.Set("pagination_token", page)
	}
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "reconcile",
		Path:      []string{"2", "users", account.ExternalID, "tweets"},
		Query:     query,
		Header:    bearer(account),
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return timeline{}, err
	}
	if !response.OK() {
		return timeline{}, c.failure(response)
	}
	var list timeline
	if err := response.Decode(&list); err != nil || list.Meta == nil || list.Meta.ResultCount != len(list.Data) {
		return timeline{}, c.client.Unclear(response, "not a listing of posts")
	}
	return list, nil
}

// verdict collects the findings from the pages of a list.
type verdict struct {
	sent  platform.Sent
	want  wanted
	doubt bool
}

func newVerdict(account platform.Account, content platform.Content, sent platform.Sent) *verdict {
	// The handle's ids are used regardless of its age. Without them, the search uses only the text.
	ids, err := idsOf(sent.Handle, content.Media, time.Time{})
	if err != nil {
		ids = nil
	}
	want := wanted{text: signatureOf(sent.Text), media: len(content.Media), ids: ids, quote: quoted(content.Options.Quote)}
	if content.ReplyTo != nil {
		want.parent, want.mention = content.ReplyTo.ParentID, "@"+account.Username+" "
	}
	return &verdict{sent: sent, want: want}
}

// read returns the id of the matching post on this page: the one with the strongest match, and among equals the nearest
// in time to the call. X drops a field that it does not know without an error. A post without a readable time that
// matches by its text therefore leaves a doubt: it may be the post, and nothing proves that it is not.
func (v *verdict) read(page []listed) string {
	best, kind, distance := "", matchNone, time.Duration(0)
	for _, post := range page {
		match, named := post.match(v.want), postID.MatchString(post.ID)
		undated := post.CreatedAt.IsZero()
		if match == matchNone || !undated && !v.sent.Within(post.CreatedAt) || v.taken(post.ID) {
			continue
		}
		if undated && match < matchSure {
			v.doubt = true
			continue
		}
		v.doubt = v.doubt || match == matchNear || match >= matchExact && !named
		away := post.CreatedAt.Sub(v.sent.At).Abs()
		if named && match >= matchExact && (match > kind || match == kind && away < distance) {
			best, kind, distance = post.ID, match, away
		}
	}
	return best
}

func (v *verdict) taken(id string) bool { return v.sent.Taken != nil && v.sent.Taken(id) }

func (v *verdict) absence() platform.Evidence {
	if v.doubt {
		return platform.EvidenceUnclear
	}
	return platform.EvidenceAbsent
}
