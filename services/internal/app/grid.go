package app

import (
	"context"
	"slices"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/presentation"
)

// Profile has the posts of a channel as the grid of its account shows them once everything planned is published: the latest
// first. Drafts, posts that wait for approval, and posts outside the grid are missing.
type Profile struct {
	presentation.Profile

	Planned   []ProfilePost
	Published []ProfilePost
	Later     bool // more posts are planned than these, for later times
	Older     bool // more posts were published than these
}

// ProfilePost is a post in the grid of a profile.
type ProfilePost struct {
	Post    post.Post
	View    presentation.View
	Picture string // address; empty: it has none, or none yet
}

// MaxProfile is the maximum number of planned and of published posts that Profile returns.
const MaxProfile = postgres.MaxPage - 1

// Profile returns the profile of a channel with up to a number of published posts. It returns false for a channel whose
// network has no grid.
func (a *postUseCases) Profile(ctx context.Context, p Principal, c channel.Channel, published int) (Profile, bool, error) {
	grid, is := presentation.ProfileOf(c.Type.Network())
	if !is {
		return Profile{}, false, nil
	}
	list := func(status post.Status, sort post.Sort, most int) ([]post.Post, bool, error) {
		found, err := a.posts.For(p.Channels).List(ctx, p.WorkspaceID, postgres.PostFilter{
			ChannelIDs: []ident.Channel{c.ID}, Statuses: []post.Status{status}, Sort: sort, Limit: most + 1,
		})
		return found[:min(len(found), most)], len(found) > most, err
	}
	planned, later, err := list(post.Scheduled, post.EarliestFirst, MaxProfile)
	if err != nil {
		return Profile{}, true, err
	}
	gone, older, err := list(post.Published, post.LatestFirst, min(published, MaxProfile))
	if err != nil {
		return Profile{}, true, err
	}
	slices.Reverse(planned)
	slices.SortStableFunc(gone, func(a, b post.Post) int { return b.PublishedAt.Compare(a.PublishedAt) })
	all, err := a.gridded(ctx, p, c, slices.Concat(planned, gone))
	if err != nil {
		return Profile{}, true, err
	}
	first := slices.IndexFunc(all, func(one ProfilePost) bool { return one.Post.Status == post.Published })
	if first < 0 {
		first = len(all)
	}
	return Profile{Profile: grid, Planned: all[:first], Published: all[first:], Later: later, Older: older}, true, nil
}

// gridded returns the posts that the grid of their channel shows.
func (a *postUseCases) gridded(ctx context.Context, p Principal, c channel.Channel, posts []post.Post) ([]ProfilePost, error) {
	var ids []ident.Media
	for _, one := range posts {
		ids = append(ids, one.MediaIDs...)
	}
	found, err := a.library.media.GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	var all []ProfilePost
	for _, one := range posts {
		assets := make([]media.Asset, len(one.MediaIDs))
		for i, id := range one.MediaIDs {
			assets[i] = media.Asset{Type: media.Image} // a published post may have lost its file
			if asset, present := found[id]; present {
				assets[i] = asset
			}
		}
		view, _ := a.Shown(c, platform.ContentOf(one, assets))
		if !view.Grid {
			continue
		}
		shown := ProfilePost{Post: one, View: view}
		if shown.Picture, err = a.library.ThumbnailURL(assets[view.Tiles[0].Picture].Files.Thumbnail); err != nil {
			return nil, err
		}
		all = append(all, shown)
	}
	return all, nil
}
