package instagram

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/network"
)

var (
	_ platform.Poller      = (*Connector)(nil)
	_ platform.ReplyFinder = (*Connector)(nil)
	_ platform.Moderator   = (*Connector)(nil)
)

// pollEvery is the time between two rounds.
const pollEvery = 5 * time.Minute

// commentFields are the fields of a comment. Instagram reports no edits, because comments cannot be edited.
const commentFields = "id,text,timestamp,username,from,user"

// commentScope returns the permission to read, answer and moderate comments.
func commentScope(v channel.Variant) string {
	if v == channel.FacebookLogin {
		return "instagram_manage_comments"
	}
	return "instagram_business_manage_comments"
}

// comments returns the comments of accounts with the connector's kind of login.
func (c *Connector) comments(account platform.Account) graph.Comments {
	c, scope := c.of(account), commentScope(account.Credentials.Variant)
	return graph.Comments{
		Client: c.client, Version: c.api.Version, Class: c.failure, Missing: missing, Read: scope, Write: scope,
		Edge: "comments", Query: url.Values{"fields": {commentFields + ",replies{" + commentFields + "}"}, "limit": {"50"}},
	}
}

// reads reports whether the operator has turned comments on.
func (c *Connector) reads() bool { return network.Reads(c.inbox, network.InboxComments) }

// Polling describes the polls of the comments below each post.
func (c *Connector) Polling(account platform.Account) platform.Polling {
	if !c.reads() {
		return platform.Polling{}
	}
	return platform.Polling{
		Every: pollEvery, PerPost: true, Scopes: []string{commentScope(account.Credentials.Variant)},
	}
}

// Poll reads a page of the comments below a post, with their replies.
func (c *Connector) Poll(ctx context.Context, account platform.Account, from platform.PollPlace) (platform.Polled, error) {
	return c.comments(account).Poll(ctx, account, from)
}

// SendReply answers a comment. Instagram puts each answer below the comment that began the conversation.
func (c *Connector) SendReply(ctx context.Context, account platform.Account, reply platform.Reply) (string, error) {
	return c.comments(account).Send(ctx, account, "reply", url.Values{"message": {reply.Text}}, reply.Thread, "replies")
}

// FindReply searches the replies to the comment.
func (c *Connector) FindReply(
	ctx context.Context, account platform.Account, reply platform.Reply, sentAt time.Time,
) (string, error) {
	return c.comments(account).Find(ctx, account, reply, graph.Sent{At: sentAt},
		url.Values{"fields": {commentFields}, "limit": {"50"}}, reply.Thread, "replies")
}

// Moderation returns what the account can do with comments.
func (c *Connector) Moderation(account platform.Account) platform.Moderation {
	if !c.reads() {
		return platform.Moderation{}
	}
	return platform.Moderation{Hide: true, Remove: true, Scopes: []string{commentScope(account.Credentials.Variant)}}
}

// Hide hides a comment from all but its author, or shows it again.
func (c *Connector) Hide(ctx context.Context, account platform.Account, externalID string, hidden bool) error {
	_, err := c.comments(account).Change(ctx, account, http.MethodPost, url.Values{"hide": {strconv.FormatBool(hidden)}}, externalID)
	return err
}

// Remove deletes a comment.
func (c *Connector) Remove(ctx context.Context, account platform.Account, externalID string) error {
	return c.comments(account).Remove(ctx, account, externalID)
}
