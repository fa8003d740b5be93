package posts

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// action is an action on a post, and its confirmation.
type action struct {
	do   func(*app.App, context.Context, app.Principal, ident.Post) (post.Post, error)
	done string
	undo string // the operation that takes it back; empty: none does
}

func plain(do func(*app.App, context.Context, app.Principal, ident.Post) (post.Post, error), done string) action {
	return action{do: do, done: done}
}

// undone returns an action that can be taken back.
func undone(a action, by string) action {
	a.undo = by
	return a
}

var (
	archive         = undone(plain((*app.App).ArchivePost, "Post archived."), "unarchive")
	unarchive       = undone(plain((*app.App).UnarchivePost, "Post restored."), "archive")
	publishNow      = plain((*app.App).PublishPost, "Publishing now.")
	publishPaused   = plain((*app.App).PublishPausedPost, "Publishing now.")
	unschedule      = plain((*app.App).UnschedulePost, "Moved back to drafts.")
	requestApproval = plain((*app.App).RequestApproval, "Sent for approval.")
	free            = plain(func(a *app.App, ctx context.Context, p app.Principal, id ident.Post) (post.Post, error) {
		return a.EditPost(ctx, p, id, func(post.Post) (post.Edit, error) { return post.Edit{After: new(post.After)}, nil })
	}, "This post no longer waits for another one.")
)

// act returns the handler of an action on a post.
func (p *posts) act(a action) func(*frame.Visit) error {
	return func(v *frame.Visit) error {
		id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
		if err != nil {
			return err
		}
		if _, err := a.do(p.app, v.Request.Context(), v.Principal, id); err != nil {
			return gone(v, err)
		}
		back := undo{do: a.undo, posts: []ident.Post{id}}
		return v.DoneWith(v.Path("/posts/"+id.String()), frame.Notice{Text: a.done, Undo: back.token()})
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

// schedule schedules a post for the time that the form has.
func (p *posts) schedule(v *frame.Visit) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	form := selectionOf(v)
	form.Do = "schedule"
	at, err := time.Parse(local, form.Day+" "+form.Clock)
	if err != nil {
		form.Fault = "Choose a day and a time."
		return p.pageOf(v, id, shown{status: http.StatusUnprocessableEntity, form: form})
	}
	at = wallclock.In(v.Zone(), at)
	_, err = p.app.SchedulePost(v.Request.Context(), v.Principal, id, at)
	if faults := faultsOf(err); len(faults) > 0 {
		form.Fault = strings.Join(slices.Sorted(maps.Values(faults)), " ")
		return p.pageOf(v, id, shown{status: http.StatusUnprocessableEntity, form: form})
	}
	if err != nil {
		return gone(v, err)
	}
	return v.Done(v.Path("/posts/"+id.String()), "Scheduled for "+at.In(v.Zone()).Format("Mon 2 January, 15:04")+".")
}
