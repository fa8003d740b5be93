package app

import (
	"context"
	"slices"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// MediaCounts counts the assets of the workspace.
func (a *mediaUseCases) MediaCounts(ctx context.Context, p Principal) (postgres.MediaCounts, error) {
	return a.media.Count(ctx, p.WorkspaceID)
}

// LabelMedia gives an asset a label, or removes it, and reports whether that changed the asset. Errors: NOT_FOUND, and
// VALIDATION_FAILED for a text that is no label or an asset that has the most labels.
func (a *mediaUseCases) LabelMedia(
	ctx context.Context, p Principal, id ident.Media, label string, remove bool,
) (changed bool, err error) {
	name, fault := post.ReadLabel(label)
	if fault != "" {
		return false, apperr.Invalid([]apperr.Field{{Pointer: "/label", Message: fault}})
	}
	spelled, err := a.spelled(ctx, p, []string{name})
	if err != nil {
		return false, err
	}
	err = a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		of, err := a.media.Lock(ctx, p.WorkspaceID, id)
		if err != nil {
			return err
		}
		labels := withoutLabel(of.Labels, name)
		if !remove {
			labels, err = withLabel(of.Labels, spelled[0])
		}
		if changed = len(labels) != len(of.Labels); err != nil || !changed {
			return err
		}
		_, err = a.media.Edit(ctx, p.WorkspaceID, id, media.Edit{Labels: &labels})
		return err
	})
	return changed && err == nil, err
}

// MediaUseCounts returns how many owners of each type use assets. An asset that nothing uses is missing.
func (a *mediaUseCases) MediaUseCounts(
	ctx context.Context, p Principal, ids []ident.Media,
) (map[ident.Media]map[media.OwnerType]int, error) {
	return a.references.Counts(ctx, p.WorkspaceID, ids)
}

// MediaUse is a use of an asset.
type MediaUse struct {
	apperr.Reference
	Post *post.Post // of a use by a post
}

// MediaUses returns the uses of an asset, posts first, at most 50, and their number. An asset of another workspace has none.
func (a *postUseCases) MediaUses(ctx context.Context, p Principal, id ident.Media) (uses []MediaUse, all int, err error) {
	references, err := a.library.references.Of(ctx, p.WorkspaceID, id)
	if err != nil {
		return nil, 0, err
	}
	counts, err := a.library.references.Counts(ctx, p.WorkspaceID, []ident.Media{id})
	if err != nil {
		return nil, 0, err
	}
	for _, number := range counts[id] {
		all += number
	}
	var ids []ident.Post
	for _, r := range references {
		if of, err := ident.Parse[ident.Post](r.ID); err == nil && r.Type == string(media.OwnerPost) {
			ids = append(ids, of)
		}
	}
	posts, err := a.posts.For(p.Channels).GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range references {
		use := MediaUse{Reference: r}
		if of, err := ident.Parse[ident.Post](r.ID); err == nil && r.Type == string(media.OwnerPost) {
			if found, ok := posts[of]; ok {
				use.Post = &found
			} else if p.Channels != nil { // of a channel that the member does not see
				continue
			}
		}
		uses = append(uses, use)
	}
	return uses, all, nil
}

// MaxReplaced is the largest number of posts that ReplaceMedia changes at once.
const MaxReplaced = 200

// Replaced is the result of ReplaceMedia for a post. Err is the reason why the post kept its file.
type Replaced struct {
	Post post.Post
	Err  error
}

// ReplaceMedia gives posts that are not published another file in place of an asset: drafts, posts in review and scheduled
// ones. Each post changes, or keeps its file with the reason; MaxReplaced of them, newest first, and more reports whether
// there are others. Errors: NOT_FOUND for an asset that the workspace does not have.
func (a *postUseCases) ReplaceMedia(
	ctx context.Context, p Principal, from, to ident.Media,
) (results []Replaced, more bool, err error) {
	for _, id := range []ident.Media{from, to} {
		if _, err := a.library.media.Get(ctx, p.WorkspaceID, id); err != nil {
			return nil, false, err
		}
	}
	ids, err := a.library.references.Posts(ctx, p.WorkspaceID, from,
		[]post.Status{post.Draft, post.PendingApproval, post.Scheduled}, MaxReplaced+1)
	if err != nil {
		return nil, false, err
	}
	if more = len(ids) > MaxReplaced; more {
		ids = ids[:MaxReplaced]
	}
	before, err := a.posts.For(p.Channels).GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return nil, false, err
	}
	items := make([]UpdatePost, len(ids))
	for i, id := range ids {
		items[i] = UpdatePost{ID: id, Edit: func(of post.Post) (post.Edit, error) {
			if slices.Contains(of.MediaIDs, to) {
				return post.Edit{}, apperr.New(apperr.ValidationFailed, "The post has the other file already.")
			}
			files := slices.Clone(of.MediaIDs)
			for at, file := range files {
				if file == from {
					files[at] = to
				}
			}
			return post.Edit{MediaIDs: &files}, nil
		}}
	}
	changed, err := a.UpdatePosts(ctx, p, items, false)
	if err != nil {
		return nil, false, err
	}
	for i, one := range changed {
		result := Replaced(one)
		if one.Err != nil {
			result.Post = before[ids[i]]
		}
		results = append(results, result)
	}
	return results, more, nil
}
