package graph

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// Bounds of the search for the published post in the account's list.
const (
	longestList = 20 // pages
	// listingDelay is the maximum time until a published post appears in the account's list.
	listingDelay = 2 * time.Minute
)

var errNotListed = errors.New("published, but not listed yet")

// evidence determines the outcome of the call from the container's state. Published is certain, and find then
// identifies the post. Finished, Failed and Expired are also certain: the post is not published, and the same container
// may be published again.
func (s session) evidence(
	ctx context.Context, sent platform.Sent, pages Pages,
) (platform.Evidence, platform.Publication, error) {
	if sent.Handle == "" {
		return s.byText(ctx, sent, pages)
	}
	id, ok := of(sent.Handle)
	if !ok {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	look, err := s.look(ctx, id)
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	switch look.State {
	case Published:
		return s.find(ctx, sent, pages)
	case Finished, Failed, ContainerExpired:
		return platform.EvidenceAbsent, platform.Publication{}, nil
	case InProgress, Gone, Unknown:
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

// Pages reads a page of the account's posts, newest first. The parameter after is the cursor of the previous page, or
// empty.
type Pages func(ctx context.Context, after string) (ContainerPage, error)

// ContainerPage is a page of the account's posts.
type ContainerPage struct {
	Posts []Listed
	After string // the cursor of the next page; empty if there is none
}

// Listed is one post of the account.
type Listed struct {
	ID, Text, URL string    // the id is empty if it does not have the format of Meta's ids
	Parent        string    // id of the post that it replies to, if the list was read with it
	At            time.Time // zero if it cannot be parsed
	Textless      bool      // a kind whose text cannot be read: it may have any text
}

// find searches for the published post. If it is not listed yet, the failure is transient. If the listing delay has
// passed, find reports EvidenceFound without an id, because the publication itself is certain.
func (s session) find(
	ctx context.Context, sent platform.Sent, pages Pages,
) (platform.Evidence, platform.Publication, error) {
	var found Listed
	listed := false
	_, err := walk(ctx, sent, pages, func(posts []Listed) bool {
		found, listed = pick(posts, sent)
		return listed
	})
	switch {
	case err != nil:
		return platform.EvidenceUnclear, platform.Publication{}, err
	case listed:
		return platform.EvidenceFound, s.publication(found), nil
	case s.Client.Now().Before(sent.ListedBy(listingDelay)):
		return platform.EvidenceUnclear, platform.Publication{}, s.Client.Unavailable(errNotListed)
	default:
		return platform.EvidenceFound, platform.Publication{}, nil
	}
}

// byText searches for a post whose container is unknown. Absence is certain only if the whole list was read after the
// listing delay and no post in it can be the one searched for.
func (s session) byText(
	ctx context.Context, sent platform.Sent, pages Pages,
) (platform.Evidence, platform.Publication, error) {
	matching := readback.NewSearch(sent)
	var found platform.Publication
	evidence := platform.EvidenceUnclear
	ended, err := walk(ctx, sent, pages, func(posts []Listed) bool {
		publication, ok := matching.Read(asCompared(posts, sent, matching))
		if ok {
			found, evidence = publication, platform.EvidenceFound
		}
		return ok
	})
	switch {
	case err != nil:
		return platform.EvidenceUnclear, platform.Publication{}, err
	case evidence == platform.EvidenceFound:
		found.URL = s.Client.Permalink(found.URL)
	case ended && !s.Client.Now().Before(sent.ListedBy(listingDelay)):
		evidence = matching.Absence()
	}
	return evidence, found, nil
}

// asCompared converts the posts for the comparison by text. A post whose text cannot be read may be the one searched
// for, but this cannot be confirmed.
func asCompared(posts []Listed, sent platform.Sent, matching *readback.Search) []readback.Listed {
	listed := make([]readback.Listed, 0, len(posts))
	for _, post := range posts {
		one := readback.Listed{ID: post.ID, Text: post.Text, At: post.At, URL: post.URL}
		if post.Textless {
			if matching.Taken(post.ID) {
				continue
			}
			one.ID, one.Text = "", sent.Text
		}
		listed = append(listed, one)
	}
	return listed
}

func (s session) publication(l Listed) platform.Publication {
	return platform.Publication{ExternalID: l.ID, URL: s.Client.Permalink(l.URL)}
}

// walk reads the account's posts, newest first, until the remaining posts are older than the call or found returns
// true. It returns false if it did not reach the end.
func walk(ctx context.Context, sent platform.Sent, pages Pages, found func([]Listed) bool) (ended bool, err error) {
	after := ""
	for range longestList {
		page, err := pages(ctx, after)
		if err != nil {
			return false, err
		}
		if found(page.Posts) {
			return false, nil
		}
		if after = page.After; after == "" || older(page.Posts, sent) {
			return true, nil
		}
	}
	return false, nil
}

// pick returns the matching post: it has the same text, does not belong to another post, and is nearest in time.
func pick(posts []Listed, sent platform.Sent) (Listed, bool) {
	var best Listed
	found, distance := false, time.Duration(0)
	for _, post := range posts {
		if post.ID == "" || !sent.Within(post.At) || !post.Textless && squeeze(post.Text) != squeeze(sent.Text) ||
			sent.Taken != nil && sent.Taken(post.ID) {
			continue
		}
		if away := post.At.Sub(sent.At).Abs(); !found || away < distance {
			best, found, distance = post, true, away
		}
	}
	return best, found
}

// older reports whether the page, and so all that follow, is from before the call. It ignores posts without a valid
// time.
func older(posts []Listed, sent platform.Sent) bool {
	for _, post := range slices.Backward(posts) {
		if !post.At.IsZero() {
			return post.At.Before(sent.Earliest())
		}
	}
	return false
}

// squeeze normalizes whitespace, which Meta may trim.
func squeeze(text string) string { return strings.Join(strings.Fields(norm.NFC.String(text)), " ") }

// readPage parses Meta's list of posts. A post with an invalid id or time is kept without it.
func readPage(response httpcall.Response) (ContainerPage, error) {
	var result struct {
		Data []struct {
			ID        string `json:"id"`
			Text      string `json:"text"`    // of Threads
			Caption   string `json:"caption"` // of Instagram
			Permalink string `json:"permalink"`
			Timestamp string `json:"timestamp"`
			RepliedTo struct {
				ID string `json:"id"`
			} `json:"replied_to"` // of Threads
		} `json:"data"`
		Paging struct {
			Cursors struct {
				After string `json:"after"`
			} `json:"cursors"`
		} `json:"paging"`
	}
	if err := response.Decode(&result); err != nil {
		return ContainerPage{}, err
	}
	page := ContainerPage{After: result.Paging.Cursors.After}
	for _, post := range result.Data {
		one := Listed{Text: post.Text + post.Caption, URL: post.Permalink, Parent: post.RepliedTo.ID}
		if ID(post.ID) {
			one.ID = post.ID
		}
		if at, err := ParseTime(post.Timestamp); err == nil {
			one.At = at
		}
		page.Posts = append(page.Posts, one)
	}
	return page, nil
}
