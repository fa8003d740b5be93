package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// scratchUseCases are those of what people write in the composer before it is a post.
type scratchUseCases struct {
	*Records

	scratches *postgres.Scratches
}

// Scratches returns the scratches of the person in the workspace, last changed first.
func (a *scratchUseCases) Scratches(ctx context.Context, p Principal) ([]postgres.Scratch, error) {
	return a.scratches.List(ctx, p.WorkspaceID, p.Person.ID)
}

// Scratch returns a scratch of the person; NOT_FOUND for one that the person does not have in the workspace.
func (a *scratchUseCases) Scratch(ctx context.Context, p Principal, id ident.Scratch) (postgres.Scratch, error) {
	return a.scratches.Get(ctx, p.WorkspaceID, p.Person.ID, id)
}

// SaveScratch stores what the person wrote over the given version, zero for a new scratch. If the scratch was saved or
// deleted elsewhere since, it stores a copy with another ID, so that both remain, and reports it.
func (a *scratchUseCases) SaveScratch(
	ctx context.Context, p Principal, id ident.Scratch, version int, content json.RawMessage,
) (saved postgres.Scratch, copied bool, err error) {
	of := postgres.Scratch{
		ID: id, WorkspaceID: p.WorkspaceID, UserID: p.Person.ID, Content: content, Version: version, UpdatedAt: a.now(),
	}
	saved, ok, err := a.scratches.Save(ctx, of)
	if err != nil || ok {
		return saved, false, err
	}
	of.ID, of.Version = ident.New[ident.Scratch](), 0
	saved, _, err = a.scratches.Save(ctx, of)
	return saved, true, err
}

// DeleteScratch deletes a scratch of the person, if there is one.
func (a *scratchUseCases) DeleteScratch(ctx context.Context, p Principal, id ident.Scratch) error {
	return a.scratches.Delete(ctx, p.WorkspaceID, p.Person.ID, id)
}

// PruneScratches deletes scratches that have not changed for long.
func (a *scratchUseCases) PruneScratches(ctx context.Context) error {
	const most = 1000
	_, err := a.scratches.Prune(ctx, most)
	return err
}

// Composition holds the posts that a scratch becomes.
type Composition struct {
	Scratch ident.Scratch
	Posts   CreatePosts
	// Idea is the card that becomes the posts; zero: none. One that was deleted meanwhile is ignored.
	Idea ident.IdeaCard
	// At is the intended time of drafts; zero: none.
	At time.Time
	// Ask submits the posts for approval; the schedule is that of drafts.
	Ask bool
	// Rest is the content of a new scratch, for what remains to be written; nil: nothing remains.
	Rest json.RawMessage
}

// Compose creates the posts of a scratch, all or none, and deletes the scratch. The same composition again creates nothing,
// and returns the same posts. The errors are those of CreatePosts, and INVALID_STATE if something else was made of the
// scratch before.
func (a *App) Compose(ctx context.Context, p Principal, c Composition) ([]ident.Post, error) {
	if err := c.Posts.Authorize(p); err != nil {
		return nil, err
	}
	content, err := json.Marshal(struct {
		Posts CreatePosts
		At    time.Time
		Ask   bool
	}{c.Posts, c.At, c.Ask})
	if err != nil {
		return nil, fmt.Errorf("encode a composition: %w", err)
	}
	response, _, err := a.Once(ctx, p, Once{
		Operation: "compose", Key: p.Person.ID.String() + "/" + c.Scratch.String(), Fingerprint: sha256.Sum256(content),
	}, func(ctx context.Context, create Creator) (Response, error) {
		ids, err := a.compose(ctx, p, c, create)
		if err != nil {
			return Response{}, err
		}
		body, err := json.Marshal(ids)
		return Response{Status: http.StatusCreated, Body: body}, err
	})
	if apperr.Is(err, apperr.IdempotencyKeyReused) {
		return nil, apperr.New(apperr.InvalidState, "The posts were created in another tab, before your last changes.")
	}
	if err != nil {
		return nil, err
	}
	var ids []ident.Post
	return ids, json.Unmarshal(response.Body, &ids)
}

func (a *App) compose(ctx context.Context, p Principal, c Composition, create Creator) ([]ident.Post, error) {
	posts, err := create(ctx, p, c.Posts)
	if err != nil {
		return nil, err
	}
	ids := make([]ident.Post, len(posts))
	for i, one := range posts {
		ids[i] = one.ID
		if !c.At.IsZero() {
			_, err = a.EditPost(ctx, p, one.ID, func(post.Post) (post.Edit, error) { return post.Edit{ScheduledAt: &c.At}, nil })
		}
		if err == nil && c.Ask {
			_, err = a.RequestApproval(ctx, p, one.ID)
		}
		if err != nil {
			return nil, err
		}
	}
	err = a.DeleteScratch(ctx, p, c.Scratch)
	if err == nil && !c.Idea.IsZero() {
		err = a.ideas.LinkPosts(ctx, p.WorkspaceID, c.Idea, ids)
	}
	if err == nil && c.Rest != nil {
		_, _, err = a.SaveScratch(ctx, p, ident.New[ident.Scratch](), 0, c.Rest)
	}
	return ids, err
}
