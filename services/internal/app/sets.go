package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// setUseCases are those of sets: of posts that were created together. A set has no state of its own. Its posts are
// independent, so an action on a set is one on each of its posts, and some may be refused (docs/contract.md, Sets).
type setUseCases struct{ one *postUseCases }

// SetResult has the outcome of an action on a set for one of its posts.
type SetResult struct {
	Before  post.Post
	After   post.Post     // as Before, unless Changed; a deleted post as it was
	Changed bool          // or deleted
	Kept    []post.Member // members of the edit that the post did not follow, because it has its own
	Err     error         // why the post could not be changed
}

// SetPosts returns the posts of a set in the order of their creation; NOT_FOUND if the workspace has no such set.
func (a *setUseCases) SetPosts(ctx context.Context, p Principal, id ident.Group) ([]post.Post, error) {
	found, err := a.one.posts.For(p.Channels).OfGroups(ctx, p.WorkspaceID, id)
	if err == nil && len(found) == 0 {
		err = apperr.New(apperr.NotFound, "There is no set %s.", id)
	}
	return found, err
}

// EditSet changes the base of a set. Posts follow, except in members that they have of their own. Labels and metadata have
// no base: all posts get them. The time is changed by MoveSet. Options need channels of one network.
func (a *setUseCases) EditSet(ctx context.Context, p Principal, id ident.Group, edit post.Edit) ([]SetResult, error) {
	posts, err := a.SetPosts(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if names := networksIn(posts); edit.Options != nil && len(names) > 1 {
		return nil, apperr.Invalid([]apperr.Field{{
			Pointer: "/options", Message: "are for channels of one network, and these are of " + strings.Join(names, ", ") +
				"; change the options of each post",
		}})
	}
	if edit.ScheduledAt != nil {
		return nil, apperr.Invalid([]apperr.Field{{Pointer: "/scheduledAt", Message: "is no member of the base; move the set"}})
	}
	return a.each(ctx, posts, func(ctx context.Context, before post.Post) (result SetResult, err error) {
		result.After, err = a.one.EditPost(ctx, p, before.ID, func(current post.Post) (post.Edit, error) {
			result.Kept = current.Keeps(edit)
			return current.OfBase(edit), nil
		})
		return result, err
	})
}

// networksIn returns the names of the networks of posts, each once.
func networksIn(posts []post.Post) []string {
	var names []string
	for _, p := range posts {
		if name := channel.Type(p.ChannelType).Network().Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// MoveSet changes the times of the posts: to says the new time of each. SCHEDULED posts are moved, drafts get another
// intended time, and all others are refused.
func (a *setUseCases) MoveSet(
	ctx context.Context, p Principal, id ident.Group, to func(of post.Post) time.Time,
) ([]SetResult, error) {
	return a.eachOf(ctx, p, id, func(ctx context.Context, before post.Post) (post.Post, error) {
		return a.one.EditPost(ctx, p, before.ID, func(current post.Post) (post.Edit, error) {
			at := to(current)
			return post.Edit{ScheduledAt: &at}, nil
		})
	})
}

// DeleteSet deletes the posts of a set that can be deleted.
func (a *setUseCases) DeleteSet(ctx context.Context, p Principal, id ident.Group) ([]SetResult, error) {
	posts, err := a.SetPosts(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return a.each(ctx, posts, func(ctx context.Context, before post.Post) (SetResult, error) {
		err := a.one.DeletePost(ctx, p, before.ID)
		return SetResult{After: before, Changed: err == nil}, err
	})
}

// RequestApprovalOfSet submits the drafts of a set for approval.
func (a *setUseCases) RequestApprovalOfSet(ctx context.Context, p Principal, id ident.Group) ([]SetResult, error) {
	return a.eachOf(ctx, p, id, func(ctx context.Context, before post.Post) (post.Post, error) {
		return a.one.RequestApproval(ctx, p, before.ID)
	})
}

// DuplicateSet creates a set of drafts with the content of another one, all or none. What differs from the base still
// does. External ids are not repeated, because no other post of a channel may have them.
func (a *setUseCases) DuplicateSet(ctx context.Context, p Principal, id ident.Group) ([]SetResult, error) {
	posts, err := a.SetPosts(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return a.duplicate(ctx, p, posts)
}

// duplicate creates drafts with the content of posts. Several of one set are a set of their own.
func (a *setUseCases) duplicate(ctx context.Context, p Principal, posts []post.Post) ([]SetResult, error) {
	now := a.one.now()
	together, groups := make(map[ident.Group]int), make(map[ident.Group]ident.Group)
	for _, of := range posts {
		if together[of.GroupID]++; together[of.GroupID] > 1 && groups[of.GroupID].IsZero() {
			groups[of.GroupID] = ident.New[ident.Group]()
		}
	}
	changes, results := make([]post.Change, len(posts)), make([]SetResult, len(posts))
	for i, of := range posts {
		change, err := post.Create(post.NewPost{
			WorkspaceID: of.WorkspaceID, ChannelID: of.ChannelID, ChannelType: of.ChannelType, GroupID: groups[of.GroupID], Own: of.Own,
			AuthorID: p.Author(), Content: of.Content, Title: of.Title, ContentType: of.ContentType, MediaIDs: of.MediaIDs,
			MediaAltTexts: of.MediaAltTexts, Options: of.Options, HasOptions: of.HasOptions, Labels: of.Labels,
			CampaignID: of.CampaignID, Metadata: of.Metadata, Thread: of.Thread, Comment: of.Comment,
		}, now, p.Actor())
		if err == nil {
			change, err = a.one.sanctioned(ctx, p, change)
		}
		if err != nil {
			return nil, err
		}
		changes[i], results[i] = change, SetResult{Before: of, After: change.Post, Changed: true}
	}
	if err := a.one.posts.Insert(ctx, changes); err != nil {
		return nil, err
	}
	a.one.db.AfterCommit(ctx, func() { a.one.wake(remaining(changes[0])) })
	return results, nil
}

// eachOf performs an action on each post of a set that returns the changed post.
func (a *setUseCases) eachOf(
	ctx context.Context, p Principal, id ident.Group, act func(ctx context.Context, before post.Post) (post.Post, error),
) ([]SetResult, error) {
	posts, err := a.SetPosts(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return a.each(ctx, posts, func(ctx context.Context, before post.Post) (SetResult, error) {
		after, err := act(ctx, before)
		return SetResult{After: after}, err
	})
}

// each performs an action on each of the posts, as apart does.
func (a *setUseCases) each(
	ctx context.Context, posts []post.Post, act func(ctx context.Context, before post.Post) (SetResult, error),
) ([]SetResult, error) {
	results, failed := make([]SetResult, len(posts)), make([]error, len(posts))
	err := a.one.apart(ctx, failed, func(ctx context.Context, i int) (err error) {
		results[i], err = act(ctx, posts[i])
		return err
	})
	for i, before := range posts {
		if failed[i] != nil {
			results[i] = SetResult{After: before, Err: failed[i]}
		}
		after := results[i].After
		results[i].Before = before
		results[i].Changed = results[i].Changed || !after.UpdatedAt.Equal(before.UpdatedAt) || after.Revision != before.Revision
	}
	return results, err
}
