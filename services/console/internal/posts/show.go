package posts

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const maxComment = 2000

// showPage is the data of a post's page.
type showPage struct {
	item

	Remedy   remedy // of a FAILED post
	Media    []app.DeliveredAsset
	Entries  []entry
	Busy     bool
	Approval *post.Approval
	Live     liveState
	Deletes  bool // the visitor may delete the post
	More     bool // the visitor has actions in the menu
}

// gone responds to a post that does not exist. A page that shows the post, and is fetched again, knows that it did.
func gone(v *frame.Visit, err error) error {
	switch {
	case !apperr.Is(err, apperr.NotFound):
		return err
	case v.Request.Header.Get("Hx-Request") != "":
		return v.Page(frame.Page{Name: "posts/gone", Title: "Post deleted"})
	default:
		v.Say(http.StatusNotFound, "Post not found", "It was deleted, or it belongs to another workspace.")
		return nil
	}
}

// Title returns the first words of the post.
func (s showPage) Title() string {
	const most = 60
	text := strings.Join(strings.Fields(cmp.Or(s.Post.Title, s.Post.Content)), " ")
	if text == "" {
		return "Post on " + s.Channel.Name
	}
	return clipped(text, most)
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
		return gone(v, err)
	}
	of, err := p.app.Channel(ctx, v.Principal, found.ChannelID)
	if err != nil {
		return err
	}
	timeline, err := p.app.Timeline(ctx, v.Principal, id)
	if err != nil {
		return err
	}
	shown, err := p.items(v, []post.Post{found}, []channel.Channel{of})
	if err != nil {
		return err
	}
	page := showPage{
		item: shown[0], Entries: entries(timeline, of), Busy: !found.PublishingSince.IsZero(), Approval: found.Approval,
	}
	page.Deletes = page.Allows("delete") && v.Principal.Allows(credential.PostsWrite) && v.Principal.MayDelete(found.Status) == nil
	if page.Media, err = p.app.PostMedia(ctx, v.Principal, found); err != nil {
		return err
	}
	if page.Live, err = p.liveOf(v, found, of); err != nil {
		return err
	}
	page.More = page.hasMore(v.Principal)
	if fault != "" {
		page.Live.Text, page.Live.Fault = text, fault
	}
	if found.Error != nil && found.Status == post.Failed {
		page.Remedy = remedyOf(found.Error, of)
	}
	return v.Page(frame.Page{Name: "posts/show", Title: page.Title(), Status: status, Data: page})
}

// hasMore reports whether the visitor has actions that are kept in a menu.
func (s showPage) hasMore(by app.Principal) bool {
	return s.Deletes || s.Live.Deletes && by.Allows(credential.PostsPublish) ||
		s.Allows("unschedule") && by.Allows(credential.PostsPublish) ||
		(s.Allows("archive") || s.Allows("unarchive")) && by.Allows(credential.PostsArchive)
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
	archive         = plain((*app.App).ArchivePost, "Post archived.")
	unarchive       = plain((*app.App).UnarchivePost, "Post restored.")
	publishNow      = plain((*app.App).PublishPost, "Publishing now.")
	publishPaused   = plain((*app.App).PublishPausedPost, "Publishing now.")
	unschedule      = plain((*app.App).UnschedulePost, "Moved back to drafts.")
	requestApproval = plain((*app.App).RequestApproval, "Sent for approval.")
	approve         = action{do: (*app.App).ApprovePost, done: "Post approved."}
	reject          = action{do: (*app.App).RejectPost, done: "Changes requested."}
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
			return gone(v, err)
		}
		return v.Done(v.Path("/posts/"+id.String()), a.done)
	}
}

// publish queues a post. A person may publish it although its channel is paused.
func (p *posts) publish(v *frame.Visit) error {
	if v.Form("despite") == "pause" {
		return p.act(publishPaused)(v)
	}
	return p.act(publishNow)(v)
}

func (p *posts) remove(v *frame.Visit) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	if err := p.app.DeletePost(v.Request.Context(), v.Principal, id); err != nil {
		return gone(v, err)
	}
	return v.Done(v.Path("/posts"), "Post deleted.")
}
