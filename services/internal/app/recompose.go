package app

import (
	"context"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// Recomposed is the change of an existing post that a person made in the composer.
type Recomposed struct {
	Post ident.Post
	Tag  string // the version of the post on which the edit is based
	Edit post.Edit
	// Schedule plans the post after the edit; nil leaves its state and its time to the edit.
	Schedule *Schedule
	Ask      bool // submit the post for approval after the edit
}

// Recompose changes posts, each in its own transaction, and deletes the scratch if all of them were changed. The errors of a
// post are those of EditPost, PRECONDITION_FAILED if someone else changed it since, and those of what is planned.
func (a *App) Recompose(
	ctx context.Context, p Principal, scratch ident.Scratch, changes []Recomposed,
) (results []UpdateResult, err error) {
	results = make([]UpdateResult, len(changes))
	for i, c := range changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		results[i].Err = a.db.WithinRetriedTx(ctx, func(ctx context.Context) (err error) {
			results[i].Post, err = a.recompose(ctx, p, c)
			return err
		})
	}
	if anyFailed(results) {
		return results, nil
	}
	return results, a.DeleteScratch(ctx, p, scratch)
}

func (a *postUseCases) recompose(ctx context.Context, p Principal, c Recomposed) (post.Post, error) {
	changed, err := a.EditPost(Expecting(ctx, []string{c.Tag}), p, c.Post, func(post.Post) (post.Edit, error) { return c.Edit, nil })
	switch {
	case err != nil:
		return changed, err
	case c.Ask && changed.Status == post.PendingApproval:
		return changed, nil
	case c.Ask:
		return a.RequestApproval(ctx, p, c.Post)
	case c.Schedule == nil || c.Schedule.Kind == ScheduleDraft:
		return changed, nil
	}
	if err := (CreatePosts{Schedule: *c.Schedule}).Authorize(p); err != nil {
		return changed, err
	}
	switch c.Schedule.Kind {
	case ScheduleNow:
		return a.PublishPost(ctx, p, c.Post)
	case ScheduleNextSlot:
		return a.SchedulePostNext(ctx, p, c.Post, false)
	case ScheduleAt:
		if changed.Status == post.PendingApproval { // its intended time
			return a.EditPost(ctx, p, c.Post, func(post.Post) (post.Edit, error) { return post.Edit{ScheduledAt: &c.Schedule.At}, nil })
		}
		if changed.Status == post.Scheduled && changed.ScheduledAt.Equal(c.Schedule.At) {
			return changed, nil
		}
		return a.SchedulePost(ctx, p, c.Post, c.Schedule.At)
	case ScheduleDraft:
	}
	return changed, nil
}
