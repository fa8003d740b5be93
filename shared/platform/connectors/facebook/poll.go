package facebook

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

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

// Permissions to read what people write below posts, and to answer and moderate it.
const (
	scopeRead   = "pages_read_user_content"
	scopeEngage = "pages_manage_engagement"
)

// commentFields are the fields of a comment. Facebook does not report when one was edited.
const commentFields = "id,message,created_time,from{id,name},parent{id,from{id,name}},permalink_url,attachment{type}"

func commentQuery() url.Values {
	return url.Values{
		"fields": {commentFields}, "filter": {"stream"}, "order": {"reverse_chronological"}, "limit": {"100"},
	}
}

func (c *Connector) comments() graph.Comments {
	return graph.Comments{
		Client: c.client, Version: c.version, Class: c.failure, Missing: graph.Error.Missing, Read: scopeRead, Write: scopeEngage,
		Edge: "comments", Query: commentQuery(),
	}
}

// reads reports whether the operator has turned comments on.
func (c *Connector) reads() bool { return network.Reads(c.inbox, network.InboxComments) }

// Polling describes the polls of the comments below each post.
func (c *Connector) Polling(platform.Account) platform.Polling {
	if !c.reads() {
		return platform.Polling{}
	}
	return platform.Polling{Every: pollEvery, PerPost: true, Scopes: []string{scopeRead}}
}

// Poll reads a page of the comments below a post, with their replies.
func (c *Connector) Poll(ctx context.Context, account platform.Account, from platform.PollPlace) (platform.Polled, error) {
	return c.comments().Poll(ctx, account, from)
}

// SendReply answers a comment as the Page.
func (c *Connector) SendReply(ctx context.Context, account platform.Account, reply platform.Reply) (string, error) {
	return c.comments().Send(ctx, account, "reply", url.Values{"message": {reply.Text}}, reply.Thread, "comments")
}

// FindReply searches the replies to the comment.
func (c *Connector) FindReply(
	ctx context.Context, account platform.Account, reply platform.Reply, sentAt time.Time,
) (string, error) {
	return c.comments().Find(ctx, account, reply, graph.Sent{At: sentAt}, commentQuery(), reply.Thread, "comments")
}

// Moderation returns what the Page can do with comments.
func (c *Connector) Moderation(platform.Account) platform.Moderation {
	if !c.reads() {
		return platform.Moderation{}
	}
	return platform.Moderation{Hide: true, Remove: true, Scopes: []string{scopeEngage}}
}

// Hide hides a comment from all but its author and the author's friends, or shows it again.
func (c *Connector) Hide(ctx context.Context, account platform.Account, externalID string, hidden bool) error {
	_, err := c.comments().Change(ctx, account, http.MethodPost, url.Values{"is_hidden": {strconv.FormatBool(hidden)}}, externalID)
	return err
}

// Remove deletes a comment.
func (c *Connector) Remove(ctx context.Context, account platform.Account, externalID string) error {
	return c.comments().Remove(ctx, account, externalID)
}
