package youtube

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/google"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

type newThread struct {
	Snippet newThreadSnippet `json:"snippet"`
}

type newThreadSnippet struct {
	Channel string   `json:"channelId"` // of the video
	Video   string   `json:"videoId"`
	Top     newReply `json:"topLevelComment"`
}

// commitFirst publishes the first comment below a video, as the channel.
func (c *Connector) commitFirst(
	ctx context.Context, account platform.Account, content platform.Content,
) (platform.Publication, error) {
	root := content.ReplyTo.RootID
	if !videoID.MatchString(root) {
		return platform.Publication{}, c.client.ParentGone(*content.ReplyTo, httpcall.ErrNoParent)
	}
	c.units.spend(writeUnits, c.client.Now(), c.quotaEnd())
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "publish", Method: http.MethodPost, Path: []string{"commentThreads"}, Query: url.Values{"part": {"snippet"}},
		JSON: newThread{newThreadSnippet{
			Channel: account.ExternalID, Video: root, Top: newReply{replySnippet{Text: content.Text}},
		}},
		Header: bearer(account), Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return platform.Publication{}, c.words().FirstFailure(err)
	}
	if !response.OK() {
		return platform.Publication{}, c.unwritten(*content.ReplyTo, response)
	}
	var created thread
	if response.Decode(&created) != nil || !commentID(created.Snippet.Top.ID) {
		return platform.Publication{}, c.words().FirstFailure(c.client.Unclear(response, "success without the comment's id"))
	}
	return c.firstPublication(root, created.Snippet.Top.ID), nil
}

func (c *Connector) firstPublication(video, id string) platform.Publication {
	return platform.Publication{ExternalID: id, URL: c.client.Permalink(c.commentLink(video, id))}
}

// reconcileFirst searches the conversations below the video, newest first, for one that the channel began.
func (c *Connector) reconcileFirst(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	root := content.ReplyTo.RootID
	if !videoID.MatchString(root) {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	search, from := readback.NewSearch(sent), ""
	evidence, found, err := comments.Search(search, func() (comments.Page, error) {
		var page struct {
			Items []thread `json:"items"`
			Next  string   `json:"nextPageToken"`
		}
		query := url.Values{
			"part": {"snippet"}, "videoId": {root}, "order": {"time"}, "maxResults": {commentsPage}, "textFormat": {"plainText"},
		}
		if err := c.read(ctx, account, query, from, &page, "commentThreads"); err != nil {
			return comments.Page{}, err
		}
		if page.Items == nil {
			return comments.Page{}, c.client.Unavailable(errNoThreads)
		}
		from = page.Next
		listed, last := ofChannel(account, page.Items, search)
		return comments.Page{Listed: listed, Last: from == "" || last}, nil
	})
	if evidence == platform.EvidenceFound {
		found = c.firstPublication(root, found.ExternalID)
	}
	return evidence, found, err
}

// ofChannel returns the comments that the channel may have written, and whether all of the page are older than the call. One
// whose ID is malformed, or whose author is not shown, has no ID.
func ofChannel(account platform.Account, page []thread, search *readback.Search) (listed []readback.Listed, last bool) {
	last = true
	for _, one := range page {
		top := one.Snippet.Top
		last = last && !top.at().IsZero() && top.at().Before(search.Since())
		hidden := top.Snippet.AuthorID.Value == ""
		if !top.isOf(account) && !hidden {
			continue
		}
		written := readback.Listed{ID: top.ID, Text: cmp.Or(top.Snippet.Original, top.Snippet.Text), At: top.at()}
		if hidden || !commentID(top.ID) {
			written.ID = ""
		}
		listed = append(listed, written)
	}
	return listed, last
}

var errNoThreads = errors.New("no list of comments in the response")

// unwritten returns the failure for a refused first comment.
func (c *Connector) unwritten(to platform.ReplyTo, response httpcall.Response) *platform.Failure {
	e, cause := google.ErrorOf(response), response.Cause("refused")
	missing := lacksScope(e)
	switch {
	case e.Has("commentsDisabled"):
		return c.words().Off(cause, ", as YouTube does for private videos and those made for kids")
	case e.Has("commentTextTooLong"):
		return c.words().FirstTooLong(cause)
	case e.Has("videoNotFound", "channelNotFound"):
		return c.client.ParentGone(to, cause)
	case e.Has("processingFailure"):
		return c.words().FirstFailure(c.client.Unclear(response, "a fault that may be a passing one"))
	case missing == "" && e.Has("forbidden", "ineligibleAccount"):
		return c.client.Fail(platform.ClassUser, comments.CodeNotAllowed, cause,
			"YouTube does not let this channel comment below the video. Look at the comments of the video in YouTube Studio, then "+
				"continue the post.")
	}
	return c.words().Unwritten(c.commentFailure(response), missing)
}
