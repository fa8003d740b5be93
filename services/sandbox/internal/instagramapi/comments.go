package instagramapi

import (
	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
)

const (
	scopeComments   = "instagram_business_manage_comments"
	longestReply    = 300
	longestComment  = 2_200
	firstComment    = 17_900_000_000_000_000 // lowest number of an id
	commentFields   = "text,timestamp,username,hidden,parent_id,like_count,from:IGCommentFromUser{username},user:IGUser{username}"
	commentNodeText = "IGComment{" + commentFields + ",replies:IGComment{" + commentFields + "}}"
)

// openComments opens the forum. Both hosts have the same one.
func (a *api) openComments() {
	a.comments = &metaapi.Comments{
		API: &a.API, Manage: scopeComments, Node: metaapi.NewNode(commentNodeText), Show: a.showComment,
		Board: stage.Board{Floor: firstComment},
	}
	a.comments.Open()
}

// commentRoutes are the calls about comments.
func (a *api) commentRoutes() []metaapi.Route {
	const managing = scopeBasic + " " + scopeComments
	return []metaapi.Route{
		{Pattern: "GET /{id}/comments", Step: stage.StepStatus, Scopes: managing, Serve: a.listComments},
		{Pattern: "POST /{id}/comments", Step: stage.StepCommit, Scopes: managing, Serve: a.commentOn},
		{Pattern: "GET /{id}/replies", Step: stage.StepStatus, Scopes: managing, Serve: a.listReplies},
		{Pattern: "POST /{id}/replies", Step: stage.StepReply, Scopes: managing, Serve: a.replyTo},
		{Pattern: "POST /{id}", Step: stage.StepOther, Scopes: managing, Serve: a.hide},
		{Pattern: "DELETE /{id}", Step: stage.StepOther, Scopes: managing, Serve: a.removeComment},
	}
}

// showComment returns a comment in Instagram's JSON, with its replies, newest first.
func (a *api) showComment(r stage.Request, m chats.Message) stage.Object {
	id, name := m.Person.ID, m.Person.NameOf()
	if stage.IsOwn(m) {
		id, name = m.Account, stage.Username(m.Account)
	}
	shown := stage.Object{
		"id": m.ID, "text": m.Text, "timestamp": metaapi.Time(m.At), "username": name, "hidden": m.Hidden, "like_count": 0,
		"from": map[string]string{"id": id, "username": name},
	}
	if stage.IsOwn(m) {
		shown["user"] = map[string]string{"id": m.Account}
	}
	if m.ReplyTo != "" {
		shown["parent_id"] = m.ReplyTo
	}
	if replies := a.comments.Below(m.Account, m.Post, m.ID); len(replies) > 0 {
		shown["replies"] = stage.Object{"data": stage.Each(replies, func(m chats.Message) stage.Object { return a.showComment(r, m) })}
	}
	return shown
}

func (a *api) listComments(r stage.Request) stage.Response {
	post, ok := a.media(r)
	if !ok {
		return a.NotFound()
	}
	return a.comments.Page(r, a.comments.Below(r.Account, post.ID, ""))
}

// media returns the post in the path.
func (a *api) media(r stage.Request) (ledger.Post, bool) {
	post, ok := a.Post(r, r.PathValue("id"))
	return post, ok && post.Parent == ""
}

// commentOn adds a comment of the account below a post.
func (a *api) commentOn(r stage.Request) stage.Response {
	post, ok := a.media(r)
	if !ok {
		return a.NotFound()
	}
	return a.comments.Comment(r, post, longestComment)
}

// comment returns the comment in the path.
func (a *api) comment(r stage.Request) (chats.Message, stage.Check) {
	m, ok := a.comments.Get(r.Account, r.PathValue("id"))
	return m, stage.If(!ok, a.NotFound())
}

func (a *api) listReplies(r stage.Request) stage.Response {
	m, bad := a.comment(r)
	if bad.Broken {
		return bad.Fault
	}
	return a.comments.Page(r, a.comments.Below(r.Account, m.Post, m.ID))
}

// replyTo adds a reply to the comment that began the conversation.
func (a *api) replyTo(r stage.Request) stage.Response {
	m, bad := a.comment(r)
	if bad = bad.Or(m.Hidden, a.Invalid("(#100) You cannot reply to hidden comments")); bad.Broken {
		return bad.Fault
	}
	return a.comments.Write(r, a.comments.Top(m), r.Values.Get("message"), longestReply)
}

func (a *api) hide(r stage.Request) stage.Response {
	m, bad := a.comment(r)
	if bad.Broken {
		return bad.Fault
	}
	return a.comments.Hide(r, m, "hide")
}

func (a *api) removeComment(r stage.Request) stage.Response {
	m, bad := a.comment(r)
	if bad.Broken {
		return bad.Fault
	}
	return a.comments.Delete(m)
}
