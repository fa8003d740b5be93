package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Comments reads, answers and moderates the comments below the posts of an account, at each of Meta's networks.
type Comments struct {
	Client  *httpcall.Client
	Version string
	// Class classifies an error response of calls about posts.
	Class func(httpcall.Response) *platform.Failure
	// Missing reports whether the error means that the network does not know the object.
	Missing func(Error) bool
	// Edge and Query are the edge of a post with its comments, newest first, and its parameters.
	Edge  string
	Query url.Values
	// Read and Write are the permissions to read comments, and to answer and moderate them.
	Read, Write string
}

// comment is a comment in the JSON of the three networks.
type comment struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Message string `json:"message"` // of Facebook
	Time    string `json:"timestamp"`
	Created string `json:"created_time"` // of Facebook
	Link    string `json:"permalink"`
	LinkURL string `json:"permalink_url"` // of Facebook
	Own     bool   `json:"is_reply_owned_by_me"`
	Kind    string `json:"media_type"` // of Threads

	Username   string                           `json:"username"`
	User       httpcall.Maybe[reference]        `json:"user"` // of Instagram: only of the account's comments
	From       httpcall.Maybe[author]           `json:"from"`
	Attachment httpcall.Maybe[attachment]       `json:"attachment"` // of Facebook
	Parent     httpcall.Maybe[reference]        `json:"parent"`     // of Facebook
	RepliedTo  httpcall.Maybe[reference]        `json:"replied_to"` // of Threads
	Replies    httpcall.Maybe[listOf[*comment]] `json:"replies"`    // of Instagram
}

type author struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username"`
}

type attachment struct {
	Type string `json:"type"`
}

type reference struct {
	ID   string                 `json:"id"`
	From httpcall.Maybe[author] `json:"from"` // of Facebook
}

type listOf[T any] struct {
	Data   httpcall.Some[T] `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
	} `json:"paging"`

	whole bool // no element was left out because it cannot be decoded
}

// at returns when the comment was written; zero: unknown.
func (c *comment) at() time.Time {
	at, _ := ParseTime(c.Time + c.Created) // zero with an error
	return at.UTC()
}

// above returns the ID of the comment that the comment answers; empty: it is directly below the post.
func (c *comment) above(post string) string {
	above := cmp.Or(c.Parent.Value.ID, c.RepliedTo.Value.ID)
	if above == post || above == c.ID {
		return ""
	}
	return above
}

// isOf reports whether the account wrote the comment.
func (c *comment) isOf(account platform.Account) bool {
	from, name := c.From.Value, account.Username
	return c.Own || c.User.Value.ID != "" || from.ID != "" && from.ID == account.ExternalID ||
		name != "" && strings.EqualFold(name, cmp.Or(c.Username, from.Username))
}

// person returns the author; a zero one if it is the account. A network that hides the author leaves only the comment.
func (c *comment) person(account platform.Account) inbox.Identity {
	if c == nil || c.isOf(account) {
		return inbox.Identity{}
	}
	from := c.From.Value
	username := cmp.Or(c.Username, from.Username)
	return inbox.Identity{
		ID: cmp.Or(from.ID, username, "comment/"+c.ID), Name: cmp.Or(from.Name, username), Username: username,
	}
}

// Poll reads a page of the comments below a post.
func (c Comments) Poll(ctx context.Context, account platform.Account, from platform.PollPlace) (platform.Polled, error) {
	round := comments.Resume(from)
	list, failure := c.list(ctx, account, c.Query, round.Page, from.Post, c.Edge)
	if failure != nil && failure.Code != comments.CodeGone { // the comments of a post that is gone are gone too
		return platform.Polled{}, failure
	}
	times := make([]time.Time, 0, len(list.Data))
	for _, one := range list.Data {
		times = append(times, one.at())
	}
	round.Read(list.Paging.Cursors.After, times...)
	return round.Polled(account, c.read(account, from.Post, list.Data)), nil
}

// list reads a page of a list of comments, without those that cannot be used.
func (c Comments) list(
	ctx context.Context, account platform.Account, query url.Values, after string, path ...string,
) (listOf[*comment], *platform.Failure) {
	list, failure := c.page(ctx, account, query, after, path...)
	list.Data = slices.DeleteFunc(list.Data, strange)
	for _, one := range list.Data {
		one.Replies.Value.Data = slices.DeleteFunc(one.Replies.Value.Data, strange)
	}
	return list, failure
}

// page reads a page of a list of comments.
func (c Comments) page(
	ctx context.Context, account platform.Account, query url.Values, after string, path ...string,
) (listOf[*comment], *platform.Failure) {
	if query = maps.Clone(query); after != "" {
		query.Set("after", after)
	}
	var list listOf[*comment]
	response, err := c.Client.Call(ctx, c.request(account, httpcall.Request{Operation: "comments", Query: query}, path...))
	switch {
	case err != nil:
		return list, platform.FailureOf(err)
	case !response.OK():
		return list, c.unread(response)
	case response.Decode(&list) != nil:
		return list, c.Client.Unclear(response, "not a listing of comments")
	}
	var all listOf[json.RawMessage]
	list.whole = response.Decode(&all) == nil && all.Data != nil && len(all.Data) == len(list.Data)
	return list, nil
}

// strange reports whether the comment cannot be used.
func strange(c *comment) bool { return c == nil || !CommentID(c.ID) }

// CommentID reports whether the text has the format of a comment's ID, which Facebook composes of two.
func CommentID(text string) bool {
	post, own, both := strings.Cut(text, "_")
	return ID(post) && (!both || ID(own))
}

// request completes a request with the token and the path.
func (c Comments) request(account platform.Account, r httpcall.Request, path ...string) httpcall.Request {
	r.Path = append([]string{c.Version}, path...)
	r.Header = http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}}
	r.Secrets = []string{account.Credentials.AccessToken}
	return r
}

// read returns the comments of a page, and the replies in them.
func (c Comments) read(account platform.Account, post string, list []*comment) []comments.Comment {
	known := make(map[string]*comment, len(list))
	for _, one := range list {
		known[one.ID] = one
	}
	var found []comments.Comment
	for _, one := range list {
		above := one.above(post)
		parent := known[above]
		if parent == nil && one.Parent.Value.From.Value.ID != "" { // on another page
			parent = &comment{ID: above, From: one.Parent.Value.From}
		}
		found = append(found, c.show(account, post, topOf(account, one, post, known), above, parent.person(account), one))
		with := one.person(account)
		replies := slices.SortedFunc(slices.Values(one.Replies.Value.Data), func(a, b *comment) int { return a.at().Compare(b.at()) })
		for _, reply := range replies {
			found = append(found, c.show(account, post, one.ID, one.ID, with, reply))
			if person := reply.person(account); person.ID != "" {
				with = person
			}
		}
	}
	return found
}

// topOf returns the ID of the comment at the beginning of the conversation, as far as the page shows it. Below a part of a
// thread of the account, it is the comment directly below the part.
func topOf(account platform.Account, one *comment, post string, known map[string]*comment) string {
	top := one.ID
	for range known {
		above := one.above(post)
		if above == "" || known[above].isPart(account, post, known) {
			break
		}
		if top = above; known[above] == nil {
			break
		}
		one = known[above]
	}
	return top
}

// isPart reports whether the comment is a part of a thread: the account wrote it below the post, or below another part.
func (c *comment) isPart(account platform.Account, post string, known map[string]*comment) bool {
	for range known {
		if c == nil || !c.isOf(account) {
			return false
		}
		above := c.above(post)
		if above == "" {
			return true
		}
		c = known[above]
	}
	return false
}

// show returns a comment. The person is the one to whom the account wrote it, if it did.
func (c Comments) show(
	account platform.Account, post, thread, above string, to inbox.Identity, one *comment,
) comments.Comment {
	shown := comments.Comment{
		Kind: inbox.Comments, ID: one.ID, Thread: thread, ReplyTo: above, Post: post, Own: one.isOf(account), Person: to,
		Permalink: c.Client.Permalink(one.Link + one.LinkURL), Text: one.Text + one.Message, At: one.at(),
	}
	if !shown.Own {
		shown.Person = one.person(account)
	}
	if one.Attachment.Value.Type != "" || one.Kind != "" && one.Kind != "TEXT_POST" {
		shown.Unsupported = "a picture or another attachment"
	}
	return shown
}
