package facebookapi

import (
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
)

const (
	scopeContent   = "pages_read_user_content"
	scopeEngage    = "pages_manage_engagement"
	longestComment = 8_000
	firstComment   = 200_000_000_000_000 // lowest number of an id
	commentNode    = "Comment{message,created_time,from:Profile{name},parent:Comment{message,from:Profile{name}},permalink_url,is_hidden,can_hide," +
		"can_remove,comment_count,like_count,attachment:StoryAttachment{type,url}}"
)

func (a *api) openComments() {
	a.comments = &metaapi.Comments{
		API: &a.API, Manage: scopeEngage, Node: metaapi.NewNode(commentNode), Show: a.showComment,
		Board: stage.Board{Floor: firstComment, Prefix: "122000000000001_"},
	}
	a.comments.Open()
}

// showComment returns a comment in Facebook's JSON. A person whose name begins with "hidden" is not shown to the Page.
func (a *api) showComment(r stage.Request, m chats.Message) stage.Object {
	shown := stage.Object{
		"id": m.ID, "message": m.Text, "created_time": metaapi.Time(m.At), "is_hidden": m.Hidden, "can_hide": !stage.IsOwn(m),
		"can_remove": true, "like_count": 0, "comment_count": len(a.comments.Below(m.Account, m.Post, m.ID)),
		"permalink_url": a.Stage.Base(r.Request) + "/facebook/" + m.Post + "?comment_id=" + m.ID,
	}
	switch {
	case stage.IsOwn(m):
		shown["from"] = map[string]string{"id": m.Account, "name": m.Account}
	case !strings.HasPrefix(m.Person.Name, "hidden"):
		shown["from"] = map[string]string{"id": m.Person.ID, "name": m.Person.NameOf()}
	}
	if m.ReplyTo != "" {
		above, _ := a.comments.Get(m.Account, m.ReplyTo)
		parent := a.showComment(r, chats.Message{Account: m.Account, ID: m.ReplyTo, Person: above.Person, Origin: above.Origin, Text: above.Text})
		shown["parent"] = stage.Pick([]string{"id", "from", "message"}, parent)
	}
	return shown
}

// listComments lists the comments below a post or a comment: with the filter stream all of them, in other cases those that
// are directly below it.
func (a *api) listComments(r stage.Request) stage.Response {
	id, order := r.PathValue("id"), r.Values.Get("order")
	bad := a.comments.Permitted(r, scopeContent).
		Or(order != "" && order != "chronological" && order != "reverse_chronological",
			a.Invalid("(#100) Param order must be one of {chronological, reverse_chronological}"))
	post, posted := a.shown(r, id)
	m, ok := a.comments.Get(r.Account, id)
	if bad = bad.Or(!posted && !ok, a.NotFound()); bad.Broken {
		return bad.Fault
	}
	list := a.comments.Below(r.Account, post.ID, m.ID)
	if posted && r.Values.Get("filter") == "stream" {
		list = a.comments.Board.List(r.Account, post.ID)
	}
	if ok {
		list = a.comments.Below(r.Account, m.Post, m.ID)
	}
	if order != "reverse_chronological" {
		slices.Reverse(list)
	}
	return a.comments.Page(r, list)
}

// comment adds a comment below a post, or below another comment.
func (a *api) comment(r stage.Request) stage.Response {
	m, replies := a.comments.Get(r.Account, r.PathValue("id"))
	post, posted := a.shown(r, r.PathValue("id"))
	bad := a.comments.Permitted(r, scopeEngage).Or(!replies && (!posted || a.isStory(post)), a.NotFound())
	if bad.Broken {
		return bad.Fault
	}
	if !replies {
		return a.comments.Comment(r, post, longestComment)
	}
	return a.comments.Write(r, a.comments.Top(m), r.Values.Get("message"), longestComment)
}

// hide hides a comment.
func (a *api) hide(r stage.Request) stage.Response {
	m, ok := a.comments.Get(r.Account, r.PathValue("id"))
	bad := a.comments.Permitted(r, scopeEngage).Or(!ok, a.NotFound())
	if bad.Broken {
		return bad.Fault
	}
	return a.comments.Hide(r, m, "is_hidden")
}

// commentCalls are the calls about comments, beside that which hides one.
func (a *api) commentCalls() []metaapi.Route {
	return []metaapi.Route{
		{Pattern: "GET /{id}/comments", Step: stage.StepStatus, Scopes: scopeRead, Serve: a.listComments},
		{Pattern: "POST /{id}/comments", Step: stage.StepCommit, Scopes: scopeRead, Serve: a.comment},
	}
}

// postObject returns the handler of calls that change an object, which share a path with those that transfer a file to an
// upload session.
func (a *api) postObject(transfer http.HandlerFunc) http.HandlerFunc {
	objects := http.NewServeMux()
	a.HandleAt(objects, stage.Route{Pattern: "POST /facebook/{version}/{id}", Step: stage.StepOther, Serve: a.hide})
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.PathValue("id"), sessionPrefix) {
			transfer(w, r)
			return
		}
		objects.ServeHTTP(w, r)
	}
}
