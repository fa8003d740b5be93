package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// MaxSelected is the maximum number of posts of one action on selected posts.
const MaxSelected = 100

// PostsAction is an action on each of several posts. Exactly one of its members is set.
type PostsAction struct {
	// ShiftBy moves a post in the wall-clock time of its channel, as in UpdatePost.
	ShiftBy wallclock.Shift
	// To returns the new time of a post; zero removes that of a draft.
	To       func(of post.Post) time.Time
	AddLabel string // in the spelling of the workspace, if it has the label
	// RemoveLabel is compared without case.
	RemoveLabel string
	// Campaign is the campaign that the posts get; zero takes them out of theirs.
	Campaign *ident.Campaign
	// Do is archive, unarchive, delete, request-approval, or publish: that of failed posts again.
	Do post.Action
}

// ActOnPosts performs an action on each of the posts, in order and each in its own transaction: some may be refused, each
// for a reason of its own, also with NOT_FOUND. The error concerns the whole action: VALIDATION_FAILED for a label that
// does not fit or more than MaxSelected posts, and NOT_FOUND if the workspace has none of the posts.
func (a *setUseCases) ActOnPosts(
	ctx context.Context, p Principal, ids []ident.Post, action PostsAction,
) ([]SetResult, error) {
	if action.AddLabel != "" {
		name, fault := post.ReadLabel(action.AddLabel)
		if fault != "" {
			return nil, apperr.Invalid([]apperr.Field{{Pointer: "/label", Message: fault}})
		}
		action.AddLabel = name
	}
	if action.Campaign != nil {
		if err := a.one.haveCampaign(ctx, p, *action.Campaign); err != nil {
			return nil, err
		}
	}
	posts, missing, err := a.selected(ctx, p, ids)
	if err != nil {
		return nil, err
	}
	results, err := a.each(ctx, posts, func(ctx context.Context, before post.Post) (SetResult, error) {
		after, err := a.perform(ctx, p, before, action)
		return SetResult{After: after, Changed: err == nil && action.Do == post.ActionDelete}, err
	})
	return append(results, missing...), err
}

// selected returns the posts that the workspace has, each once, and a result for each of the others.
func (a *setUseCases) selected(
	ctx context.Context, p Principal, ids []ident.Post,
) (posts []post.Post, missing []SetResult, err error) {
	if len(ids) > MaxSelected {
		return nil, nil, apperr.Invalid([]apperr.Field{{
			Pointer: "/posts", Message: fmt.Sprintf("are more than %d; select fewer posts", MaxSelected),
		}})
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		found, err := a.one.Post(ctx, p, id)
		switch {
		case apperr.Is(err, apperr.NotFound):
			missing = append(missing, SetResult{Before: post.Post{ID: id}, After: post.Post{ID: id}, Err: err})
		case err != nil:
			return nil, nil, err
		default:
			posts = append(posts, found)
		}
	}
	if len(posts) == 0 {
		return nil, nil, apperr.New(apperr.NotFound, "There is no such post.")
	}
	return posts, missing, nil
}

func (a *setUseCases) perform(ctx context.Context, p Principal, of post.Post, action PostsAction) (post.Post, error) {
	edited := func(edit func(current post.Post) post.Edit) (post.Post, error) {
		return a.one.EditPost(ctx, p, of.ID, func(current post.Post) (post.Edit, error) { return edit(current), nil })
	}
	switch {
	case !action.ShiftBy.IsZero():
		return a.one.updatePost(ctx, p, UpdatePost{
			ID: of.ID, ShiftBy: action.ShiftBy, Edit: func(post.Post) (post.Edit, error) { return post.Edit{}, nil },
		})
	case action.To != nil:
		return edited(func(current post.Post) post.Edit {
			at := action.To(current)
			return post.Edit{ScheduledAt: &at}
		})
	case action.AddLabel != "":
		return a.one.EditPost(ctx, p, of.ID, func(current post.Post) (post.Edit, error) {
			labels, err := withLabel(current.Labels, action.AddLabel)
			return post.Edit{Labels: &labels}, err
		})
	case action.Campaign != nil:
		return edited(func(post.Post) post.Edit { return post.Edit{CampaignID: action.Campaign} })
	case action.RemoveLabel != "":
		return edited(func(current post.Post) post.Edit {
			labels := withoutLabel(current.Labels, action.RemoveLabel)
			return post.Edit{Labels: &labels}
		})
	}
	switch action.Do { //nolint:exhaustive // the others are no action on several posts
	case post.ActionArchive:
		return a.one.ArchivePost(ctx, p, of.ID)
	case post.ActionUnarchive:
		return a.one.UnarchivePost(ctx, p, of.ID)
	case post.ActionRequestApproval:
		return a.one.RequestApproval(ctx, p, of.ID)
	case post.ActionPublish:
		return a.retry(ctx, p, of)
	case post.ActionDelete:
		return of, a.one.DeletePost(ctx, p, of.ID)
	}
	return of, apperr.New(apperr.Internal, "There is no action %q on several posts.", action.Do)
}

// retry publishes a failed post again; INVALID_STATE for another one, and for one that may be public already, at which a person
// looks first.
func (a *setUseCases) retry(ctx context.Context, p Principal, of post.Post) (post.Post, error) {
	if err := p.Require(credential.PostsPublish); err != nil {
		return of, err
	}
	if of.Status != post.Failed {
		return of, &apperr.Error{Code: apperr.InvalidState, CurrentStatus: string(of.Status), Message: "Only a failed post is tried again."}
	}
	if of.Error != nil && of.Error.Code == post.ErrorOutcomeUnknown {
		return of, &apperr.Error{
			Code: apperr.PreconditionFailed, Message: "It may be public already. Look at it first, then publish it from its own page.",
		}
	}
	return a.one.PublishPost(ctx, p, of.ID)
}

// withLabel returns labels with another one; VALIDATION_FAILED if there cannot be more.
func withLabel(labels []string, name string) ([]string, error) {
	if slices.Contains(post.LabelKeys(labels), post.LabelKey(name)) {
		return labels, nil
	}
	if len(labels) >= post.MaxLabels {
		return nil, apperr.Invalid([]apperr.Field{{
			Pointer: "/labels", Message: fmt.Sprintf("has %d labels already, which is the maximum", post.MaxLabels),
		}})
	}
	return append(slices.Clone(labels), name), nil
}

func withoutLabel(labels []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(labels), func(one string) bool { return post.LabelKey(one) == post.LabelKey(name) })
}

// DuplicatePosts creates drafts with the content of the posts, all or none. Posts of one set become a set again.
func (a *setUseCases) DuplicatePosts(ctx context.Context, p Principal, ids []ident.Post) ([]SetResult, error) {
	posts, missing, err := a.selected(ctx, p, ids)
	if err != nil {
		return nil, err
	}
	results, err := a.duplicate(ctx, p, posts)
	return append(results, missing...), err
}
