package graph

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// First makes the irrevocable call for the first comment below a post, and returns its ID.
func (c Comments) First(
	ctx context.Context, account platform.Account, content platform.Content, valid func(post string) bool,
) (string, error) {
	post := content.ReplyTo.RootID
	if !valid(post) {
		return "", c.Client.ParentGone(*content.ReplyTo, httpcall.ErrNoParent)
	}
	return c.write(ctx, account, httpcall.Request{Operation: "publish", Form: url.Values{"message": {content.Text}}},
		func(response httpcall.Response) *platform.Failure { return c.unwritten(*content.ReplyTo, response) },
		c.words().FirstFailure, post, c.Edge)
}

// unwritten returns the failure for the refusal of a first comment. Meta documents no code for comments that are turned off.
func (c Comments) unwritten(to platform.ReplyTo, response httpcall.Response) *platform.Failure {
	missing, gone := c.refused(response, c.Write)
	cause := response.Cause("refused")
	switch e := ErrorOf(response); {
	case gone:
		return c.Client.ParentGone(to, cause)
	case response.Status < http.StatusInternalServerError && e.Says("COMMENT") && (e.Says("DISABLED") || e.Says("TURNED OFF")):
		return c.words().Off(cause, "")
	}
	return c.words().Unwritten(c.Class(response), missing)
}

// FindFirst searches the account's comments directly below a post for a first comment whose response was lost.
func (c Comments) FindFirst(
	ctx context.Context, account platform.Account, sent platform.Sent, query url.Values, post string,
) (platform.Evidence, platform.Publication, error) {
	search, after := readback.NewSearch(sent), ""
	evidence, found, err := comments.Search(search, func() (comments.Page, error) {
		list, failure := c.page(ctx, account, query, after, post, c.Edge)
		switch {
		case failure != nil:
			return comments.Page{}, failure
		case !list.whole:
			return comments.Page{}, c.Client.Unavailable(errNotWhole)
		}
		after = list.Paging.Cursors.After
		return comments.Page{Listed: ofAccount(account, list.Data), Last: after == "" || before(search.Since(), list.Data)}, nil
	})
	found.URL = c.Client.Permalink(found.URL)
	return evidence, found, err
}

// before reports whether all comments of a page are older than the time, as those of an empty one. Those that follow are older
// too.
func before(since time.Time, list []*comment) bool {
	return !slices.ContainsFunc(list, func(one *comment) bool {
		return one == nil || one.at().IsZero() || !one.at().Before(since)
	})
}

// ofAccount returns the comments that the account may have written. One whose ID is malformed, or whose author the network
// hides, has no ID.
func ofAccount(account platform.Account, list []*comment) []readback.Listed {
	var own []readback.Listed
	for _, one := range list {
		if one == nil {
			continue
		}
		from := one.From.Value
		hidden := from.ID == "" && from.Username == "" && one.Username == ""
		if !one.isOf(account) && !hidden {
			continue
		}
		listed := readback.Listed{ID: one.ID, Text: one.Text + one.Message, At: one.at(), URL: one.Link + one.LinkURL}
		if hidden && !one.isOf(account) || strange(one) {
			listed.ID = ""
		}
		own = append(own, listed)
	}
	return own
}

var errNotWhole = errors.New("the list of comments is not whole")
