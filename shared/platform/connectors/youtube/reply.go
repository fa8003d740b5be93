package youtube

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/google"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var (
	_ platform.ReplyFinder = (*Connector)(nil)
	_ platform.Moderator   = (*Connector)(nil)
)

// commentPattern matches a comment's ID.
var commentPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64})?$`)

type newReply struct {
	Snippet replySnippet `json:"snippet"`
}

type replySnippet struct {
	Parent string `json:"parentId,omitempty"` // empty: it begins a conversation
	Text   string `json:"textOriginal"`
}

// SendReply answers a comment. YouTube has no answers to answers: each is below the comment that began the conversation.
func (c *Connector) SendReply(ctx context.Context, account platform.Account, reply platform.Reply) (string, error) {
	if !usable(account) {
		return "", c.client.Reconnect(errNoToken)
	}
	if !commentID(reply.Thread) {
		return "", c.words().Gone(errThread)
	}
	c.units.spend(writeUnits, c.client.Now(), c.quotaEnd())
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "reply", Method: http.MethodPost, Path: []string{"comments"}, Query: url.Values{"part": {"snippet"}},
		JSON: newReply{replySnippet{reply.Thread, reply.Text}}, Header: bearer(account),
		Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return "", c.client.ReplyFailure(err)
	}
	if !response.OK() {
		return "", c.unsent(response)
	}
	var sent comment
	if response.Decode(&sent) != nil || !commentID(sent.ID) {
		return "", c.client.ReplyFailure(c.client.Unclear(response, "success without the comment's id"))
	}
	return sent.ID, nil
}

// FindReply searches the channel's own replies to the comment.
func (c *Connector) FindReply(
	ctx context.Context, account platform.Account, reply platform.Reply, sentAt time.Time,
) (string, error) {
	const most = 5 // pages
	var listed []readback.Listed
	next := ""
	for range most {
		list, further, err := c.below(ctx, account, reply.Thread, next)
		if err != nil {
			return "", err
		}
		listed = append(listed, own(account, list)...)
		if next = further; next == "" {
			break
		}
	}
	return c.words().Found(reply, sentAt, listed, next == "")
}

// States of comments.
const (
	statePublished = "published"
	stateHeld      = "heldForReview" // the owner sees it in YouTube Studio
	stateRejected  = "rejected"      // with the replies to it
)

// Moderation returns what the channel can do with comments.
func (c *Connector) Moderation(platform.Account) platform.Moderation {
	if !c.reads() {
		return platform.Moderation{}
	}
	return platform.Moderation{Hide: true, Remove: true, Scopes: []string{scopeComments}}
}

// Hide holds a comment for review, or publishes it again.
func (c *Connector) Hide(ctx context.Context, account platform.Account, externalID string, hidden bool) error {
	if hidden {
		return c.change(ctx, account, externalID, stateHeld)
	}
	return c.change(ctx, account, externalID, statePublished)
}

// Remove rejects a comment. Only its author can delete it.
func (c *Connector) Remove(ctx context.Context, account platform.Account, externalID string) error {
	return c.change(ctx, account, externalID, stateRejected)
}

// lacksScope returns the permission that the connection lacks; empty: the error has another reason.
func lacksScope(e google.Error) string {
	if e.Has("insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT") {
		return "youtube.force-ssl"
	}
	return ""
}

// unreadComments returns the failure for a refused list of comments.
func (c *Connector) unreadComments(response httpcall.Response) *platform.Failure {
	e := google.ErrorOf(response)
	if e.Has("commentNotFound", "commentThreadNotFound", "videoNotFound", "parentCommentNotFound") {
		return c.words().Gone(response.Cause("refused"))
	}
	return c.words().Unread(c.commentFailure(response), lacksScope(e))
}

// unsent returns the failure for a refused answer.
func (c *Connector) unsent(response httpcall.Response) *platform.Failure {
	e, cause := google.ErrorOf(response), response.Cause("refused")
	switch {
	case e.Has("commentsDisabled"):
		return c.client.Fail(platform.ClassRejected, comments.CodeOff, cause,
			"Comments are turned off below this video. Turn them on in YouTube Studio, then send the answer again.")
	case e.Has("operationNotSupported"):
		return c.client.Fail(platform.ClassRejected, comments.CodeRefused, cause,
			"YouTube does not take answers to this comment through its API. Answer it in YouTube Studio.")
	case e.Has("commentTextTooLong"):
		return c.words().TooLong(cause)
	case e.Has("parentCommentNotFound", "commentNotFound", "commentThreadNotFound", "videoNotFound", "channelNotFound"):
		return c.words().Gone(cause)
	case e.Has("parentCommentIsPrivate", "forbidden", "ineligibleAccount"):
		return c.client.Fail(platform.ClassUser, comments.CodeNotAllowed, cause,
			"YouTube does not let this channel answer the comment. Answer it in YouTube Studio.")
	}
	return c.words().Unsent(c.commentFailure(response), lacksScope(e))
}

// unchanged returns the failure for a refused moderation.
func (c *Connector) unchanged(response httpcall.Response) *platform.Failure {
	return c.words().Unchanged(c.commentFailure(response), lacksScope(google.ErrorOf(response)))
}

// commentFailure classifies an error response of a call about comments.
func (c *Connector) commentFailure(response httpcall.Response) *platform.Failure {
	failure := c.refusal(response)
	if failure.Code == post.CodeDailyQuota {
		failure.Message = "YouTube allows this service no more calls about comments today."
	}
	return failure
}
