package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// UpdatePost is one item of a bulk update: the input of EditPost, a shift of the post's time, or a deletion.
type UpdatePost struct {
	ID   ident.Post
	Edit func(before post.Post) (post.Edit, error)
	// ShiftBy moves the post in the wall-clock time of its channel; zero leaves its time to Edit.
	ShiftBy wallclock.Shift
	Delete  bool
	Fault   error // of an item that could not be parsed
}

// UpdateResult holds the changed post of an item, zero for a deleted one, or its error.
type UpdateResult struct {
	Post post.Post
	Err  error
}

// errRolledBack rolls back a dry run, and changes that are made together or not at all.
var errRolledBack = errors.New("nothing is changed")

// UpdatePosts changes or deletes posts, in order, by EditPost and DeletePost. Each item runs in its own transaction, or in
// a savepoint of the caller's, so that a failed item does not affect the others. A dry run does the same in one
// transaction, which it rolls back. The returned error concerns the whole request: VALIDATION_FAILED if a post is in it
// twice, or for example a canceled context, before which some items may have been changed.
func (a *postUseCases) UpdatePosts(
	ctx context.Context, p Principal, items []UpdatePost, dryRun bool,
) (results []UpdateResult, err error) {
	if err := apperr.Invalid(repeated(items)); err != nil {
		return nil, err
	}
	if !dryRun {
		return a.updatePosts(ctx, p, items)
	}
	return a.updateUnless(ctx, p, items, func([]UpdateResult) bool { return true })
}

// UpdateTogether is UpdatePosts, but changes all posts or none: if an item fails, the others are rolled back.
func (a *postUseCases) UpdateTogether(ctx context.Context, p Principal, items []UpdatePost) ([]UpdateResult, error) {
	if err := apperr.Invalid(repeated(items)); err != nil {
		return nil, err
	}
	return a.updateUnless(ctx, p, items, anyFailed)
}

func anyFailed(results []UpdateResult) bool {
	return slices.ContainsFunc(results, func(r UpdateResult) bool { return r.Err != nil })
}

// updateUnless updates posts in one transaction, which it rolls back if undo says so of the results.
func (a *postUseCases) updateUnless(
	ctx context.Context, p Principal, items []UpdatePost, undo func([]UpdateResult) bool,
) (results []UpdateResult, err error) {
	err = a.db.WithinSavepoint(ctx, func(ctx context.Context) error {
		if results, err = a.updatePosts(ctx, p, items); err == nil && undo(results) {
			err = errRolledBack
		}
		return err
	})
	if errors.Is(err, errRolledBack) {
		err = nil
	}
	return results, err
}

func (a *postUseCases) updatePosts(ctx context.Context, p Principal, items []UpdatePost) ([]UpdateResult, error) {
	results := make([]UpdateResult, len(items))
	failed := make([]error, len(items))
	for i, item := range items {
		failed[i] = item.Fault
	}
	err := a.apart(ctx, failed, func(ctx context.Context, i int) (err error) {
		results[i].Post, err = a.updatePost(ctx, p, items[i])
		return err
	})
	for i, failure := range failed {
		if failure != nil {
			results[i] = UpdateResult{Err: failure}
		}
	}
	return results, err
}

// repeated returns the faults of posts that are in the request twice, whose changes would depend on their order.
func repeated(items []UpdatePost) (faults []apperr.Field) {
	first := make(map[ident.Post]int, len(items))
	for i, item := range items {
		earlier, again := first[item.ID]
		switch {
		case item.ID.IsZero(): // the ID could not be parsed
		case again:
			faults = append(faults, apperr.Field{
				Pointer: fmt.Sprintf("/posts/%d/id", i),
				Message: fmt.Sprintf("repeats /posts/%d/id; send each post once, with all its changes", earlier),
			})
		default:
			first[item.ID] = i
		}
	}
	return faults
}

func (a *postUseCases) updatePost(ctx context.Context, p Principal, item UpdatePost) (post.Post, error) {
	if item.Delete {
		return post.Post{}, a.DeletePost(ctx, p, item.ID)
	}
	return a.EditPost(ctx, p, item.ID, func(before post.Post) (post.Edit, error) {
		edit, err := item.Edit(before)
		if err != nil || item.ShiftBy.IsZero() || !before.Status.Allows(post.ActionEdit) || p.awaitsPeople(before) {
			return edit, err
		}
		at, err := a.shifted(ctx, p, before, item.ShiftBy)
		edit.ScheduledAt, edit.TimeField = &at, "shiftBy"
		return edit, err
	})
}

// shifted returns the time of a post after a shift in its channel's wall-clock time.
func (a *postUseCases) shifted(ctx context.Context, p Principal, of post.Post, by wallclock.Shift) (time.Time, error) {
	if of.ScheduledAt.IsZero() {
		return time.Time{}, apperr.Invalid([]apperr.Field{{
			Pointer: "/shiftBy", Message: "cannot move a post that has no time; send scheduledAt",
		}})
	}
	channels, err := a.scheduling.channelsOf(ctx, p, []ident.Channel{of.ChannelID}, false)
	if err != nil {
		return time.Time{}, err
	}
	zone, err := zoneOf(channels[of.ChannelID])
	if err != nil {
		return time.Time{}, err
	}
	return by.From(of.ScheduledAt, zone), nil
}
