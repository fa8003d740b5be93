package metaapi

import (
	"slices"
	"strconv"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// Comments serves the comments below the posts of a network's accounts.
type Comments struct {
	*API
	stage.Board

	Manage string // the permission to read, write and moderate comments
	Node   *Node
	// Show returns a comment in the network's JSON.
	Show func(stage.Request, chats.Message) stage.Object
}

// Open opens the forum.
func (c *Comments) Open() {
	c.Stage, c.Network, c.Kind = c.API.Stage, c.API.Network, chats.Comment
	c.API.Stage.Forums[c.API.Network] = c.Board
}

// Page responds with a page of comments, newest first.
func (c *Comments) Page(r stage.Request, all []chats.Message) stage.Response {
	const usual, most = 25, 100
	fields, bad := c.Fields(r, c.Node, "id")
	size, ok := r.Int("limit", usual, 1, most)
	if bad = bad.Or(!ok, c.Invalid("(#100) Param limit must be from 1 to 100")); bad.Broken {
		return bad.Fault
	}
	page, next := stage.Paged(all, r.Values.Get("after"), size)
	body := stage.Object{"data": stage.Each(page, func(m chats.Message) stage.Object {
		return stage.Pick(append(fields, "id"), c.Show(r, m))
	})}
	if len(page) > 0 {
		paging := stage.Object{"cursors": map[string]string{"before": page[0].ID, "after": page[len(page)-1].ID}}
		if next != "" {
			paging["next"] = c.API.Stage.Base(r.Request) + r.URL.Path + "?after=" + next
		}
		body["paging"] = paging
	}
	return stage.OK(body)
}

// Below returns the comments directly below a post, or a comment.
func (c *Comments) Below(account, post, above string) []chats.Message {
	return slices.DeleteFunc(c.Board.List(account, post), func(m chats.Message) bool { return m.ReplyTo != above })
}

// Write responds with a reply of the account to a comment.
func (c *Comments) Write(_ stage.Request, to chats.Message, text string, longest int) stage.Response {
	if bad := c.wrong(text, longest); bad.Broken {
		return bad.Fault
	}
	m, err := c.Reply(c.NewID(to.At), text, to)
	return c.After(err, stage.OK(map[string]string{"id": m.ID}))
}

func (c *Comments) wrong(text string, longest int) stage.Check {
	return stage.If(text == "" || len([]rune(text)) > longest,
		c.Invalid("(#100) Param message must be a text of at most "+strconv.Itoa(longest)+" characters"))
}

// Comment responds with a comment of the account directly below a post. Meta documents no words for comments that are turned
// off.
func (c *Comments) Comment(r stage.Request, below ledger.Post, longest int) stage.Response {
	draft := c.Draft(r)
	draft.Text = r.Values.Get("message")
	bad := c.wrong(draft.Text, longest).
		Or(!stage.TakesComments(below), c.Invalid("(#100) Comments are turned off for this post"))
	if bad.Broken {
		return bad.Fault
	}
	m, err := c.Board.Comment(draft, below)
	return c.After(err, stage.OK(map[string]string{"id": m.ID}))
}

// Hide hides a comment of another person, or shows it again, as the parameter says.
func (c *Comments) Hide(r stage.Request, m chats.Message, parameter string) stage.Response {
	hidden, err := strconv.ParseBool(r.Values.Get(parameter))
	if err != nil || stage.IsOwn(m) {
		return c.Invalid("(#100) Param " + parameter + " must be a boolean, for a comment of another person")
	}
	_, err = c.API.Stage.Chats.Change(m.ID, func(m *chats.Message) { m.Hidden = hidden })
	return c.After(err, stage.OK(map[string]bool{"success": true}))
}

// Delete deletes a comment.
func (c *Comments) Delete(m chats.Message) stage.Response {
	return c.After(c.Remove(m), stage.OK(map[string]bool{"success": true}))
}

// Permitted refuses a call whose token lacks a permission, which the path of the call does not determine.
func (c *Comments) Permitted(r stage.Request, scope string) stage.Check {
	return stage.If(!r.Grant.Has(scope), c.Error(codeDenied, 0, denied))
}
