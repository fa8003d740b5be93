package containers

import (
	"context"
	"errors"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/graph"
	"socialpub.internal/shared/platform/wire"
)

// Where among the account's posts the one that was published is looked for.
const (
	longestList = 20 // pages
	// listingDelay is how long a published post may take to appear in the account's list.
	listingDelay = 2 * time.Minute
)

var errNotListed = errors.New("published, but not listed yet")

// evidence asks the container what became of the call that published it. Published is certain, and find then tells which post
// it became; Finished, Failed and Expired are certain too: the post is not out, and the same container may be published again.
func (s session) evidence(ctx context.Context, sent platform.Sent, pages Pages) (platform.Evidence, platform.Publication, error) {
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
	case Finished, Failed, Expired:
		return platform.EvidenceAbsent, platform.Publication{}, nil
	case InProgress, Gone, Unknown:
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

// Pages reads a page of the account's posts, newest first; after is the cursor of the one before, or empty.
type Pages func(ctx context.Context, after string) (Page, error)

// Page is a page of the account's posts.
type Page struct {
	Posts []Listed
	After string // leads to the next page; empty when there is none
}

// Listed is one post of the account.
type Listed struct {
	ID, Text, URL string
	At            time.Time
	Textless      bool // it is of a kind whose text cannot be read: any text may be its
}

// find looks up the published post. While it is not listed yet the failure is transient; when it should be, the post
// is reported as found without an id, because that it is out is certain.
func (s session) find(ctx context.Context, sent platform.Sent, pages Pages) (platform.Evidence, platform.Publication, error) {
	found, verdict, err := search(ctx, sent, pages)
	switch {
	case err != nil:
		return platform.EvidenceUnclear, platform.Publication{}, err
	case verdict == listed:
		return platform.EvidenceFound, s.publication(found), nil
	case s.Client.Now().Before(sent.ListedBy(listingDelay)):
		return platform.EvidenceUnclear, platform.Publication{}, s.Client.Unavailable(errNotListed)
	default:
		return platform.EvidenceFound, platform.Publication{}, nil
	}
}

// byText looks for a post of which no container is known. Absence is certain only when the whole list was read, at a time at
// which the post would stand in it.
func (s session) byText(ctx context.Context, sent platform.Sent, pages Pages) (platform.Evidence, platform.Publication, error) {
	found, verdict, err := search(ctx, sent, pages)
	switch {
	case err != nil:
		return platform.EvidenceUnclear, platform.Publication{}, err
	case verdict == listed && !found.Textless:
		return platform.EvidenceFound, s.publication(found), nil
	case verdict == notListed && !s.Client.Now().Before(sent.ListedBy(listingDelay)):
		return platform.EvidenceAbsent, platform.Publication{}, nil
	default:
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
}

func (s session) publication(l Listed) platform.Publication {
	return platform.Publication{ExternalID: l.ID, URL: s.Client.Permalink(l.URL)}
}

// verdict is what reading the account's list showed.
type verdict int

const (
	endless   verdict = iota // it was not read to its end
	notListed                // it was, and the post is not in it
	listed
)

// search goes through the account's posts for the one of the call.
func search(ctx context.Context, sent platform.Sent, pages Pages) (Listed, verdict, error) {
	after := ""
	for range longestList {
		page, err := pages(ctx, after)
		if err != nil {
			return Listed{}, endless, err
		}
		if found, ok := pick(page.Posts, sent); ok {
			return found, listed, nil
		}
		if after = page.After; after == "" || older(page.Posts, sent) {
			return Listed{}, notListed, nil
		}
	}
	return Listed{}, endless, nil
}

// pick is the listed post that is ours: by text, not another post's, the nearest in time.
func pick(posts []Listed, sent platform.Sent) (Listed, bool) {
	var best Listed
	found, distance := false, time.Duration(0)
	for _, post := range posts {
		if !sent.Within(post.At) || !post.Textless && squeeze(post.Text) != squeeze(sent.Text) ||
			sent.Taken != nil && sent.Taken(post.ID) {
			continue
		}
		if away := post.At.Sub(sent.At).Abs(); !found || away < distance {
			best, found, distance = post, true, away
		}
	}
	return best, found
}

// older reports whether the page, and so all that follow, is from before the call.
func older(posts []Listed, sent platform.Sent) bool {
	return len(posts) > 0 && posts[len(posts)-1].At.Before(sent.Earliest())
}

// squeeze folds what Meta may trim from a text.
func squeeze(text string) string { return strings.Join(strings.Fields(norm.NFC.String(text)), " ") }

// readPage reads Meta's listing of posts. Posts without an id or a time that can be read are passed over.
func readPage(response wire.Response) (Page, error) {
	var answer struct {
		Data []struct {
			ID        string `json:"id"`
			Text      string `json:"text"`    // of Threads
			Caption   string `json:"caption"` // of Instagram
			Permalink string `json:"permalink"`
			Timestamp string `json:"timestamp"`
		} `json:"data"`
		Paging struct {
			Cursors struct {
				After string `json:"after"`
			} `json:"cursors"`
		} `json:"paging"`
	}
	if err := response.Decode(&answer); err != nil {
		return Page{}, err
	}
	page := Page{After: answer.Paging.Cursors.After}
	for _, post := range answer.Data {
		if at, err := graph.ParseTime(post.Timestamp); err == nil && ID(post.ID) {
			page.Posts = append(page.Posts, Listed{ID: post.ID, Text: post.Text + post.Caption, URL: post.Permalink, At: at})
		}
	}
	return page, nil
}
