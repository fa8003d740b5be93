package seed

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// visitedDays is the number of days with visits, including today.
const visitedDays = 21

// addPage publishes the link page of the workspace and adds visits.
func (p plan) addPage(ctx context.Context, op *operator.Operator, created Workspace, now time.Time) error {
	handle, err := p.page.freeHandle(ctx, op)
	if err != nil {
		return err
	}
	shown, err := p.showPost(ctx, op, created, now)
	if err != nil {
		return err
	}
	in := operator.NewLinkPage{Workspace: created.ID, New: linkpage.New{
		Handle: handle, Title: p.page.title, Bio: p.page.bio, SEO: p.page.seo, Theme: p.page.theme,
	}}
	for _, b := range p.page.blocks {
		block, err := b.input(now, shown)
		if err != nil {
			return err
		}
		in.Blocks = append(in.Blocks, block)
	}
	if p.page.every {
		ahead := now.AddDate(0, 1, 0).Format(time.RFC3339)
		in.Blocks = linkpage.Sampling{Post: shown, Time: ahead}.Complete(in.Blocks)
	}
	published, err := op.PublishNewLinkPage(ctx, in)
	if err != nil {
		return err
	}
	return op.CountVisits(ctx, p.page.visits(published, now))
}

// freeHandle returns the page's own handle, or one with a random suffix if another seed uses it.
func (p page) freeHandle(ctx context.Context, op *operator.Operator) (string, error) {
	taken, err := op.HandleTaken(ctx, p.handle)
	if err != nil || !taken {
		return p.handle, err
	}
	return newAccount(p.handle + "-"), nil
}

// showPost stores the post that the page shows. It returns the zero id for a page without a post.
func (p plan) showPost(ctx context.Context, op *operator.Operator, created Workspace, now time.Time) (ident.Post, error) {
	if p.page.shown == "" {
		return ident.Post{}, nil
	}
	for _, c := range created.Channels {
		if !channel.Type(c.Type).Capabilities().Publish {
			continue
		}
		workspaceID, err := ident.Parse[ident.Workspace](created.ID)
		if err != nil {
			return ident.Post{}, err
		}
		channelID, err := ident.Parse[ident.Channel](c.ID)
		if err != nil {
			return ident.Post{}, err
		}
		kept, err := op.RecordPost(ctx, post.NewPost{
			WorkspaceID: workspaceID, ChannelID: channelID, Content: p.page.shown, ContentType: post.ContentPost,
		}, now.Add(-26*time.Hour))
		return kept.ID, err
	}
	return ident.Post{}, nil
}

// visits generates visits of the last days, with more on weekends and on recent days.
func (p page) visits(published linkpage.Page, now time.Time) postgres.VisitBatch {
	batch := postgres.VisitBatch{ID: uuid.New()}
	for ago := range visitedDays {
		day := now.AddDate(0, 0, -ago)
		date := linkpage.DayOf(day).Format(time.DateOnly)
		visitors := max(1, p.busy*(100+wave(ago)-2*ago)/100)
		if weekday := day.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
			visitors += visitors / 3
		}
		batch.Views = append(batch.Views, postgres.ViewCount{
			PageID: published.ID, Day: date, Views: int64(visitors * (125 + ago%4*5) / 100), Bots: int64(visitors / 9),
		})
		for range visitors {
			visitor := strings.ReplaceAll(uuid.NewString(), "-", "") // each with its own address
			batch.Visitors = append(batch.Visitors, postgres.VisitorSeen{
				PageID: published.ID, Day: date, Visitor: visitor, Source: visitor,
			})
		}
		for i, b := range p.blocks {
			if clicks := visitors * b.clicks / 100; clicks > 0 {
				batch.Clicks = append(batch.Clicks, postgres.ClickCount{
					PageID: published.ID, BlockID: published.Draft.Blocks[i].ID, Day: date, Clicks: int64(clicks),
				})
			}
		}
	}
	return batch
}

// wave varies the days, with the same values for every seed.
func wave(day int) int {
	steps := []int{4, 11, -7, 2, 16, -3, -12, 8, 0}
	return steps[day%len(steps)]
}
