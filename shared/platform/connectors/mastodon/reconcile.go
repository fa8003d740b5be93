package mastodon

import (
	"context"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
	"fencepost.internal/shared/platform/rules/textlen"
)

// Bounds of reading the list.
const (
	pageSize    = 40 // the most that a server returns
	longestList = 20 // pages
)

// Reconcile lists the account's statuses since the call and searches for the sent uploads. Without them, which is so for a
// post without attachments and after a restore of the database, it searches for the text with as many attachments. It
// skips statuses that belong to other posts of this service, and those that do not reply to the parent, or to any for a post
// of its own. Absence is certain only if the whole list was read without a near match. A post that is sent again within an
// hour has the same key, so that even then it is not published twice.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	s, err := c.open(account)
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	ids, _ := stateOf(sent.Handle, content.Media, time.Time{}).ids()
	sought := sought{ids: ids, attached: len(content.Media), sent: sent}
	if content.ReplyTo != nil {
		sought.parent = content.ReplyTo.ParentID
	}
	want := readback.Squeeze(plain(html.EscapeString(sent.Text)))
	search := readback.NewSearchBy(sent, func(text string) readback.Match { return compare(text, want) })
	before := ""
	for range longestList {
		page, err := s.list(ctx, before)
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		if found, ok := s.find(page, search, sought); ok {
			return platform.EvidenceFound, found, nil
		}
		last := len(page) - 1
		if last < 0 || !page[last].CreatedAt.IsZero() && page[last].CreatedAt.Before(search.Since()) {
			return search.Absence(), platform.Publication{}, nil
		}
		if before = page[last].ID; !idPattern.MatchString(before) {
			break
		}
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

// sought identifies the status in question, besides its text.
type sought struct {
	ids      []string // the uploads; empty if they are not known
	attached int
	parent   string // id of the status that it replies to; empty: none
	sent     platform.Sent
}

// find returns the status of the page that has the uploads, or if they are not known, the text.
func (s session) find(page []status, search *readback.Search, of sought) (platform.Publication, bool) {
	listed := make([]readback.Listed, 0, len(page))
	for _, one := range page {
		if len(of.ids) > 0 {
			if one.carries(of.ids) && !search.Taken(one.ID) && idPattern.MatchString(one.ID) {
				return s.publication(one), true
			}
			continue
		}
		if len(one.Media) != of.attached || !one.CreatedAt.IsZero() && !of.sent.Within(one.CreatedAt) {
			continue
		}
		if search.Taken(one.ID) || one.ReplyTo != of.parent && one.ReplyTo != "" {
			continue
		}
		entry := readback.Listed{Text: one.Content, At: one.CreatedAt, URL: s.Permalink(one.URL)}
		if idPattern.MatchString(one.ID) && one.ReplyTo == of.parent { // a server drops a parent that was deleted
			entry.ID = one.ID
		}
		listed = append(listed, entry)
	}
	return search.Read(listed)
}

func (o status) carries(ids []string) bool {
	return slices.EqualFunc(o.Media, ids, func(file struct {
		ID string `json:"id"`
	}, id string,
	) bool {
		return file.ID == id
	})
}

func (s session) list(ctx context.Context, before string) ([]status, error) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}, "exclude_reblogs": {"true"}}
	if before != "" {
		query.Set("max_id", before)
	}
	response, err := s.Call(ctx, s.authorized(httpcall.Request{Operation: "reconcile", Query: query},
		"v1", "accounts", s.id, "statuses"))
	if err != nil {
		return nil, err
	}
	if !response.OK() {
		return nil, s.ReadRefused(failure(s.Client, response), "read:statuses")
	}
	var page []status
	if response.Decode(&page) != nil || page == nil {
		return nil, s.Unclear(response, "not a listing of posts")
	}
	return page, nil
}

var (
	breaks = regexp.MustCompile(`(?i)<br\s*/?>|</p>\s*<p>`)
	tags   = regexp.MustCompile(`<[^>]*>`)
)

// plain returns the text of a status from its HTML: line breaks as spaces, links in full, mentions without their server.
func plain(content string) string {
	text := html.UnescapeString(tags.ReplaceAllString(breaks.ReplaceAllString(content, "\n"), ""))
	return textlen.MastodonMention.ReplaceAllString(text, "$1$2")
}

// compare compares the HTML of a listed status with the squeezed text that was sent.
func compare(content, want string) readback.Match {
	letters := func(text string) string { return strings.ToLower(strings.Join(words.FindAllString(text, -1), "")) }
	got := readback.Squeeze(plain(content))
	switch {
	case got == want:
		return readback.Exact
	case letters(want) != "" && letters(got) == letters(want):
		return readback.Near
	default:
		return readback.None
	}
}

var words = regexp.MustCompile(`[\p{L}\p{N}]+`)
