package posts

import (
	"context"
	"net/http"

	"socialpub.internal/services/console/internal/frame"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/ident"
)

const maxComment = 2000

// entry is a line of the timeline.
type entry struct {
	post.Entry

	Tone  string
	Title string
	By    string
}

// showPage is the data of a post's page.
type showPage struct {
	item

	Advice   string
	Media    []app.DeliveredAsset
	Entries  []entry
	Busy     bool
	Approval *post.Approval
	Live     liveState
	Deletes  bool // the visitor may delete the post
}

// Allows reports whether the state of the post allows an action.
func (s showPage) Allows(action string) bool {
	return !s.Busy && s.Post.Status.Allows(post.Action(action))
}

func (p *posts) show(v *frame.Visit) error { return p.page(v, http.StatusOK, "", "") }

// page shows a post, with the text and the fault of a change that was refused.
func (p *posts) page(v *frame.Visit, status int, text, fault string) error {
	ctx := v.Request.Context()
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	found, err := p.app.Post(ctx, v.Principal, id)
	if err != nil {
		return err
	}
	of, err := p.app.Channel(ctx, v.Principal, found.ChannelID)
	if err != nil {
		return err
	}
	timeline, err := p.app.Timeline(ctx, v.Principal, id)
	if err != nil {
		return err
	}
	page := showPage{
		item: items([]post.Post{found}, []channel.Channel{of})[0], Entries: entries(timeline),
		Busy: !found.PublishingSince.IsZero(), Approval: found.Approval,
	}
	page.Deletes = page.Allows("delete") && v.Principal.Allows(credential.PostsWrite) && v.Principal.MayDelete(found.Status) == nil
	if page.Media, err = p.app.PostMedia(ctx, v.Principal, found); err != nil {
		return err
	}
	if page.Live, err = p.liveOf(v, found, of); err != nil {
		return err
	}
	if fault != "" {
		page.Live.Text, page.Live.Fault = text, fault
	}
	if found.Error != nil && found.Status == post.Failed {
		page.Advice = advice(found.Error)
	}
	return v.Page(frame.Page{Name: "posts/show", Title: "Post on " + of.Name, Status: status, Data: page})
}

// entries returns the timeline, newest first.
func entries(timeline []post.Entry) []entry {
	list := make([]entry, len(timeline))
	for i, e := range timeline {
		list[len(timeline)-1-i] = entry{
			Entry: e, Tone: toneOf(e.Kind), Title: frame.Words(e.Kind), By: frame.Actor(e.Actor),
		}
	}
	return list
}

// action is an action on a post, and its confirmation.
type action struct {
	do   func(*app.App, context.Context, app.Principal, ident.Post, string) (post.Post, error)
	done string
}

func plain(do func(*app.App, context.Context, app.Principal, ident.Post) (post.Post, error), done string) action {
	return action{done: done, do: func(
		a *app.App, ctx context.Context, p app.Principal, id ident.Post, _ string,
	) (post.Post, error) {
		return do(a, ctx, p, id)
	}}
}

var (
	archive         = plain((*app.App).ArchivePost, "The post is archived.")
	unarchive       = plain((*app.App).UnarchivePost, "The post is no longer archived.")
	publish         = plain((*app.App).PublishPost, "The post is queued and will be published in a moment.")
	unschedule      = plain((*app.App).UnschedulePost, "The post is a draft again. It will not be published.")
	requestApproval = plain((*app.App).RequestApproval, "The post waits for approval.")
	approve         = action{do: (*app.App).ApprovePost, done: "The post is approved."}
	reject          = action{do: (*app.App).RejectPost, done: "The post went back to its author."}
)

// act returns the handler of an action on a post.
func (p *posts) act(a action) func(*frame.Visit) error {
	return func(v *frame.Visit) error {
		id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
		if err != nil {
			return err
		}
		comment := []rune(v.Form("comment"))
		if _, err := a.do(p.app, v.Request.Context(), v.Principal, id, string(comment[:min(len(comment), maxComment)])); err != nil {
			return err
		}
		return v.Done(v.Path("/posts/"+id.String()), a.done)
	}
}

func (p *posts) remove(v *frame.Visit) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	if err := p.app.DeletePost(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	return v.Done(v.Path("/posts"), "The post is deleted.")
}
