package threads

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/network"
)

var (
	_ platform.Poller      = (*Connector)(nil)
	_ platform.ReplyFinder = (*Connector)(nil)
	_ platform.Moderator   = (*Connector)(nil)

	errNoRemoval = errors.New("threads: replies of others cannot be deleted")
)

// pollEvery is the time between two rounds.
const pollEvery = 5 * time.Minute

// Permissions to read replies, and to answer and hide them.
const (
	scopeRead   = "threads_read_replies"
	scopeManage = "threads_manage_replies"
)

// replyFields are the fields of a reply. Threads does not report when one was edited.
const replyFields = "id,text,username,permalink,timestamp,media_type,replied_to,is_reply_owned_by_me"

func (c *Connector) comments() graph.Comments {
	return graph.Comments{
		Client: c.client, Version: c.api.Version, Class: c.failure, Missing: missing, Read: scopeRead, Write: scopeManage,
		Edge: "conversation", Query: url.Values{"fields": {replyFields}, "reverse": {"true"}, "limit": {"100"}},
	}
}

// reads reports whether the operator has turned replies on.
func (c *Connector) reads() bool { return network.Reads(c.inbox, network.InboxComments) }

// Polling describes the polls of the replies to each post.
func (c *Connector) Polling(platform.Account) platform.Polling {
	if !c.reads() {
		return platform.Polling{}
	}
	return platform.Polling{Every: pollEvery, PerPost: true, Scopes: []string{scopeRead}}
}

// Poll reads a page of the conversation below a post.
func (c *Connector) Poll(ctx context.Context, account platform.Account, from platform.PollPlace) (platform.Polled, error) {
	return c.comments().Poll(ctx, account, from)
}

// target returns the ID of the reply that is answered.
func target(reply platform.Reply) string { return cmp.Or(reply.ReplyTo, reply.Thread) }

// SendReply creates a container, which is invisible, and publishes it.
func (c *Connector) SendReply(ctx context.Context, account platform.Account, reply platform.Reply) (string, error) {
	container, err := c.api.Container(ctx, account, url.Values{
		"media_type": {"TEXT"}, "text": {reply.Text}, "reply_to_id": {target(reply)},
	}, c.comments().Unsent)
	if err != nil {
		return "", err
	}
	return c.comments().Send(ctx, account, "reply", url.Values{"creation_id": {container}}, account.ExternalID, c.api.PublishEdge)
}

// FindReply searches the account's own replies.
func (c *Connector) FindReply(
	ctx context.Context, account platform.Account, reply platform.Reply, sentAt time.Time,
) (string, error) {
	return c.comments().Find(ctx, account, reply, graph.Sent{At: sentAt, To: target(reply), All: true}, url.Values{
		"fields": {replyFields}, "limit": {"100"},
		"since": {strconv.FormatInt(platform.Sent{At: sentAt}.Earliest().Unix(), 10)},
	}, "me", "replies")
}

// Moderation returns what the account can do with replies.
func (c *Connector) Moderation(platform.Account) platform.Moderation {
	if !c.reads() {
		return platform.Moderation{}
	}
	return platform.Moderation{Hide: true, Scopes: []string{scopeManage}}
}

// Hide hides a reply to the post with all that is below it, or shows it again.
func (c *Connector) Hide(ctx context.Context, account platform.Account, externalID string, hidden bool) error {
	_, err := c.comments().Change(ctx, account, http.MethodPost, url.Values{"hide": {strconv.FormatBool(hidden)}}, externalID,
		"manage_reply")
	return err
}

// Remove returns a failure: Threads deletes no replies of others.
func (c *Connector) Remove(context.Context, platform.Account, string) error {
	return c.client.Fail(platform.ClassRejected, comments.CodeRefused, errNoRemoval,
		"Threads lets accounts hide replies, but not delete them.")
}
