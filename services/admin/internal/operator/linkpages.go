package operator

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
)

// LivePage is a published link page.
type LivePage = postgres.LivePage

// NewLinkPage holds the input for a link page.
type NewLinkPage struct {
	linkpage.New

	Workspace string
	Blocks    []linkpage.NewBlock
}

// PublishNewLinkPage creates a link page with its blocks and publishes it.
func (o *Operator) PublishNewLinkPage(ctx context.Context, in NewLinkPage) (linkpage.Page, error) {
	var f faults
	in.WorkspaceID = f.workspace(in.Workspace)
	now := o.now()
	page, err := linkpage.Create(in.New, now)
	if err := f.with(err); err != nil {
		return linkpage.Page{}, err
	}
	err = o.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := o.linkPages.Insert(ctx, page); err != nil {
			return err
		}
		page, err = o.linkPages.Change(ctx, page.WorkspaceID, page.ID,
			func(_ context.Context, next linkpage.Page) (linkpage.Page, error) {
				for _, block := range in.Blocks {
					if next, _, err = next.AddBlock(block, now); err != nil {
						return linkpage.Page{}, err
					}
				}
				return next.Publish(now), nil
			})
		return err
	})
	return page, err
}

// HandleTaken reports whether a link page uses the handle.
func (o *Operator) HandleTaken(ctx context.Context, handle string) (bool, error) {
	return o.linkPages.HandleTaken(ctx, handle)
}

// CountVisits adds visits to the counts of link pages.
func (o *Operator) CountVisits(ctx context.Context, batch postgres.VisitBatch) error {
	return o.visits.Add(ctx, batch)
}

// RecordPost stores a post that was published outside the service. It produces no event.
func (o *Operator) RecordPost(ctx context.Context, in post.NewPost, publishedAt time.Time) (post.Post, error) {
	in.ScheduleAt, in.Now = publishedAt, true // calendars show it then
	created, err := post.Create(in, publishedAt, actor)
	if err != nil {
		return post.Post{}, err
	}
	done, err := created.Post.Complete("", true, publishedAt)
	if err != nil {
		return post.Post{}, err
	}
	done.Timeline, done.Events, done.Wake = append(created.Timeline, done.Timeline...), nil, false
	return done.Post, o.posts.Insert(ctx, []post.Change{done})
}

// LivePage returns the published link page with the handle.
func (o *Operator) LivePage(ctx context.Context, handle string) (LivePage, error) {
	found, err := o.livePages.ByHandle(ctx, linkpage.FoldHandle(handle))
	if apperr.Is(err, apperr.NotFound) {
		return found,
			apperr.New(apperr.NotFound, "No link page is published at %.40q. The handle is the last part of the page's address.",
				handle)
	}
	return found, err
}

// UnpublishLinkPage unpublishes the link page with the handle. Visitors stop seeing it within seconds. Its workspace
// keeps the draft and can publish it again.
func (o *Operator) UnpublishLinkPage(ctx context.Context, handle string) (LivePage, error) {
	found, err := o.LivePage(ctx, handle)
	if err != nil {
		return LivePage{}, err
	}
	_, err = o.linkPages.Change(ctx, found.WorkspaceID, found.ID,
		func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
			return page.Unpublish(o.now())
		})
	return found, err
}
