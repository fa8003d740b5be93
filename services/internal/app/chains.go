package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// After makes a post of a request wait for another one (docs/contract.md, Chains): for an existing post, or for the post of the
// same request for a channel.
type After struct {
	post.After

	ChannelID ident.Channel // zero: PostID names the post
}

// memberAfter is the member of the body that names the post before.
const memberAfter = "publishAfter"

// chainFaults returns the faults of what the posts of a request wait for.
func (a *postUseCases) chainFaults(ctx context.Context, p Principal, entries []entry) ([]apperr.Field, error) {
	var faults []apperr.Field
	for i, e := range entries {
		if e.after.IsZero() {
			continue
		}
		wrong, member := e.after.Fault(post.Post{Content: e.Content, Thread: e.Thread, Comment: e.Comment}.Texts()), ""
		switch {
		case wrong != "":
		case !e.after.ChannelID.IsZero():
			member, wrong = "/channelId", circle(entries, i)
		default:
			var err error
			member = "/postId"
			if wrong, err = a.chainFault(ctx, p, e.after.PostID, ident.Post{}); err != nil {
				return nil, err
			}
		}
		if wrong != "" {
			faults = append(faults, apperr.Field{Pointer: "/" + e.afterPointer() + member, Message: wrong})
		}
	}
	return faults, nil
}

// circle returns what is wrong with the post of a request that waits for another one of the request, or "".
func circle(entries []entry, start int) string {
	at := start
	for range entries {
		next := entries[at].after.ChannelID
		if next.IsZero() {
			return ""
		}
		of := slices.IndexFunc(entries, func(e entry) bool { return e.ChannelID == next })
		switch {
		case of < 0 && at == start:
			return "is not a channel of this request; send the channel of another post of the request, or the ID of a post as postId"
		case of < 0:
			return ""
		case of == start:
			return "closes a circle, in which every post waits for another one; let one of the posts wait for none"
		}
		at = of
	}
	return "" // a circle that the post is not in: its own posts are refused
}

// chainFault returns why a post cannot be published after another one, or "". The post is zero if it does not exist yet.
func (a *postUseCases) chainFault(ctx context.Context, p Principal, before, of ident.Post) (string, error) {
	for length := 1; !before.IsZero(); length++ {
		found, err := a.posts.For(p.Channels).GetMany(ctx, p.WorkspaceID, []ident.Post{before})
		if err != nil {
			return "", err
		}
		one, exists := found[before]
		switch {
		case before == of:
			return "closes a circle, in which every post waits for another one; name a post that does not wait for this one", nil
		case length >= post.LongestChain:
			return fmt.Sprintf("continues a chain of %d posts, which is the longest one; name an earlier post", post.LongestChain), nil
		case exists:
		case length == 1:
			return "names no post of this workspace; GET /v1/posts lists the posts", nil
		default: // a post further up was deleted
			return "", nil
		}
		state := post.Predecessor{Status: one.Status, PublishedAt: one.PublishedAt}
		if length == 1 && state.Ended() && !state.Published() {
			return "names a post that is " + string(one.Status) + ", so that nothing publishes it; publish that post again first", nil
		}
		before = one.After.PostID
	}
	return "", nil
}

// checkChain checks the edit of what a post waits for.
func (a *postUseCases) checkChain(ctx context.Context, p Principal, before post.Post, edit post.Edit) error {
	next := before
	set(&next.After, edit.After)
	set(&next.Content, edit.Content)
	set(&next.Thread, edit.Thread)
	set(&next.Comment, edit.Comment)
	after, texts := next.After, next.Texts()
	wrong, member := after.Fault(texts), ""
	switch {
	case wrong != "" || edit.After == nil:
	case after.IsZero() && !before.After.IsZero() && strings.Contains(texts, post.URLPlaceholder):
		wrong = "cannot be removed while the text contains " + post.URLPlaceholder + ", which is the address of the post before; change the text too"
	case !after.IsZero():
		member = "/postId"
		var err error
		if wrong, err = a.chainFault(ctx, p, after.PostID, before.ID); err != nil {
			return err
		}
	}
	if wrong == "" {
		return nil
	}
	return apperr.Invalid([]apperr.Field{{Pointer: "/" + memberAfter + member, Message: wrong}})
}

// set sets a field to a value that is given.
func set[T any](field, given *T) {
	if given != nil {
		*field = *given
	}
}

// chained makes the posts of a request wait for those that they name.
func chained(entries []entry, changes []post.Change) {
	of := make(map[ident.Channel]ident.Post, len(entries))
	for i, e := range entries {
		of[e.ChannelID] = changes[i].Post.ID
	}
	for i, e := range entries {
		if e.after.IsZero() {
			continue
		}
		after := e.after.After
		if !e.after.ChannelID.IsZero() {
			after.PostID = of[e.after.ChannelID]
		}
		changes[i] = changes[i].Chained(after)
	}
}
