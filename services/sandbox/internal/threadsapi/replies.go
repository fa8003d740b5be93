package threadsapi

import (
	"slices"
	"strconv"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
)

const (
	scopeReadReplies = "threads_read_replies"
	scopeReplies     = "threads_manage_replies"

	firstReply = 18_000_000_000_000_000 // lowest number of an id
	// detailReply is the detail of a container with the reply that it answers.
	detailReply = "reply_to_id"
)

func (a *api) openReplies() {
	const reference = "ThreadsMedia{text}"
	a.replies = &metaapi.Comments{
		API: &a.API, Manage: scopeReplies, Show: a.showReply, Board: stage.Board{Floor: firstReply},
		Node: metaapi.NewNode("ThreadsMedia{text,media_type,username,shortcode,permalink,timestamp,has_replies,is_reply," +
			"is_reply_owned_by_me,hide_status,root_post:" + reference + ",replied_to:" + reference + "}"),
	}
	a.replies.Open()
}

func (a *api) replyRoutes() []metaapi.Route {
	const reading, managing = scopeBasic + " " + scopeReadReplies, scopeBasic + " " + scopeReplies
	return []metaapi.Route{
		{Pattern: "GET /{id}/conversation", Step: stage.StepStatus, Scopes: reading, Serve: a.conversation},
		{Pattern: "GET /{user}/replies", Step: stage.StepStatus, Scopes: reading, Serve: a.ownReplies},
		{Pattern: "POST /{id}/manage_reply", Step: stage.StepOther, Scopes: managing, Serve: a.manage},
	}
}

// showReply returns a reply in Threads' JSON.
func (a *api) showReply(r stage.Request, m chats.Message) stage.Object {
	name, to, status := m.Person.NameOf(), m.ReplyTo, "NOT_HUSHED"
	if stage.IsOwn(m) {
		name = stage.Username(m.Account)
	}
	if to == "" {
		to = m.Post
	}
	if m.Hidden {
		status = "HIDDEN"
	}
	kind := "TEXT_POST"
	if post, ok := a.Post(r, m.ID); ok {
		kind, _ = a.show(r, post)["media_type"].(string)
	}
	return stage.Object{
		"id": m.ID, "text": m.Text, "media_type": kind, "username": name, "shortcode": m.ID, "timestamp": metaapi.Time(m.At),
		"permalink": a.Stage.Base(r.Request) + "/threads/post/" + m.ID, "is_reply": true, "is_reply_owned_by_me": stage.IsOwn(m),
		"has_replies": len(a.replies.Below(m.Account, m.Post, m.ID)) > 0, "hide_status": status,
		"root_post": map[string]string{"id": a.rootOf(m.Post)}, "replied_to": map[string]string{"id": to},
	}
}

// rootOf returns the id of the first post of the thread of a post.
func (a *api) rootOf(id string) string {
	post, ok := a.Stage.Ledger.Get(string(a.Network), id)
	if !ok || post.Parent == "" {
		return id
	}
	return a.rootOf(post.Parent)
}

// written returns a reply to a post of the account by itself, as what people write.
func (a *api) written(post ledger.Post) chats.Message {
	return chats.Message{
		Platform: post.Platform, Account: post.Account, ID: post.ID, Origin: chats.FromReply, Text: post.Text, At: post.CreatedAt,
		Kind: chats.Comment, Post: post.Parent,
	}
}

// conversation lists all replies below a post.
func (a *api) conversation(r stage.Request) stage.Response {
	post, ok := a.Post(r, r.PathValue("id"))
	if !ok {
		return a.NotFound()
	}
	list := a.replies.Board.List(r.Account, post.ID)
	for _, below := range a.Stage.Ledger.Below(post.Platform, post.ID) {
		list = append(append(list, a.written(below)), a.replies.Board.List(r.Account, below.ID)...)
	}
	newestFirst(list)
	if r.Values.Get("reverse") == "false" {
		slices.Reverse(list)
	}
	return a.replies.Page(r, list)
}

func newestFirst(list []chats.Message) {
	slices.SortStableFunc(list, func(a, b chats.Message) int { return b.At.Compare(a.At) })
}

// ownReplies lists the replies of the account, to others and to itself.
func (a *api) ownReplies(r stage.Request) stage.Response {
	since, _ := strconv.ParseInt(r.Values.Get("since"), 10, 64)
	list := a.replies.Board.List(r.Account, "")
	for _, post := range a.Stage.Ledger.List(ledger.Filter{Platform: string(a.Network), Account: r.Account}) {
		if post.Parent != "" {
			list = append(list, a.written(post))
		}
	}
	newestFirst(list)
	return a.replies.Page(r, slices.DeleteFunc(list, func(m chats.Message) bool {
		return !stage.IsOwn(m) || m.At.Before(time.Unix(since, 0))
	}))
}

// manage hides a reply to the post, with all below it.
func (a *api) manage(r stage.Request) stage.Response {
	m, ok := a.replies.Get(r.Account, r.PathValue("id"))
	bad := stage.If(!ok, a.NotFound()).Or(m.ReplyTo != "", a.Invalid("Only top-level replies can be hidden"))
	if bad.Broken {
		return bad.Fault
	}
	return a.replies.Hide(r, m, "hide")
}

// repliesTo checks the reply that a container answers, or the account's own post.
func (a *api) repliesTo(r stage.Request, c *metaapi.Container) stage.Check {
	id := r.Values.Get(detailReply)
	if id == "" {
		return stage.Check{}
	}
	_, ok := a.replies.Get(r.Account, id)
	if _, own := a.Post(r, id); own {
		c.Parent, ok = id, true
	} else {
		c.Details = map[string]string{detailReply: id}
	}
	return a.replies.Permitted(r, scopeReplies).Or(!ok, a.NotFound())
}

// publish publishes a container as a post, or as a reply.
func (a *api) publish(r stage.Request) stage.Response {
	c, ok := a.Of(r.Account, r.Values.Get("creation_id"))
	id := c.Details[detailReply]
	if _, own := a.Post(r, c.Parent); c.Parent != "" && !own {
		return a.NotFound()
	}
	if !ok || id == "" {
		return a.PublishContainer(r)
	}
	defer a.publishing.Lock(c.ID)()
	c, _ = a.Of(r.Account, c.ID) // as another call left it
	to, ok := a.replies.Get(r.Account, id)
	bad := stage.If(c.Post != "" || !a.Fresh(c), a.Rules.Unknown).Or(!ok, a.NotFound())
	if bad.Broken {
		return bad.Fault
	}
	m, err := a.replies.Reply(a.replies.NewID(to.At), c.Text, to)
	if err == nil {
		c.Post, c.PostedAt = m.ID, m.At
		err = a.Keep(c)
	}
	return a.After(err, stage.OK(map[string]string{"id": m.ID}))
}

// steps returns the step of a call: the publication of a reply is a reply.
func (a *api) steps(r stage.Request, step stage.Step) []stage.Step {
	if c, ok := a.Of(r.Account, r.Values.Get("creation_id")); ok && c.Details[detailReply] != "" && step == stage.StepCommit {
		return []stage.Step{stage.StepReply}
	}
	return metaapi.Fetches(r, step)
}
