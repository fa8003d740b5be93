package app

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// planUseCases are those of the plan as a whole: imports of posts from files of spreadsheets, which only the person who
// chose the file sees, and calendar feeds.
type planUseCases struct {
	*Records

	ofPosts *postUseCases
	library *mediaUseCases
	imports *postgres.PlanImports
	feeds   *postgres.Feeds
}

// StartPlanImport stores a file as an import of the person. It creates no posts.
func (a *planUseCases) StartPlanImport(
	ctx context.Context, p Principal, in plan.Import, rows []plan.Row,
) (ident.PlanImport, error) {
	if err := p.Require(credential.PostsWrite); err != nil {
		return ident.PlanImport{}, err
	}
	in.ID, in.WorkspaceID, in.UserID = ident.New[ident.PlanImport](), p.WorkspaceID, p.Person.ID
	in.CreatedAt = a.now()
	in.UpdatedAt = in.CreatedAt
	return in.ID, a.imports.Insert(ctx, in, rows)
}

// PlanImports returns the imports of the person, newest first.
func (a *planUseCases) PlanImports(ctx context.Context, p Principal) ([]plan.Import, error) {
	return a.imports.List(ctx, p.WorkspaceID, p.Person.ID)
}

// PlanImport returns an import of the person with its rows; NOT_FOUND if the person has no such import in the workspace.
func (a *planUseCases) PlanImport(ctx context.Context, p Principal, id ident.PlanImport) (plan.Import, []plan.Row, error) {
	found, err := a.imports.Get(ctx, p.WorkspaceID, p.Person.ID, id)
	if err != nil {
		return found, nil, err
	}
	rows, err := a.imports.Rows(ctx, id)
	return found, rows, err
}

// ConfigurePlanImport changes how the rows of an import are read; NOT_FOUND as PlanImport.
func (a *planUseCases) ConfigurePlanImport(
	ctx context.Context, p Principal, id ident.PlanImport, change func(*plan.Settings),
) error {
	return a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		found, err := a.imports.Get(ctx, p.WorkspaceID, p.Person.ID, id)
		if err != nil {
			return err
		}
		change(&found.Settings)
		return a.imports.Configure(ctx, id, found.Settings, a.now())
	})
}

// EditPlanRow replaces the cells of a row of an import; NOT_FOUND as PlanImport, and for a row that it does not have.
func (a *planUseCases) EditPlanRow(ctx context.Context, p Principal, id ident.PlanImport, line int, cells []string) error {
	if _, err := a.imports.Get(ctx, p.WorkspaceID, p.Person.ID, id); err != nil {
		return err
	}
	return a.imports.SetCells(ctx, id, line, cells, a.now())
}

// DiscardPlanImport deletes an import; NOT_FOUND as PlanImport. Posts that were created stay.
func (a *planUseCases) DiscardPlanImport(ctx context.Context, p Principal, id ident.PlanImport) error {
	return a.imports.Delete(ctx, p.WorkspaceID, p.Person.ID, id)
}

// PrunePlanImports deletes imports that have not changed for some time.
func (a *planUseCases) PrunePlanImports(ctx context.Context) error {
	return a.imports.Prune(ctx, a.now().Add(-plan.Life))
}

// CheckPosts is ValidatePosts for many requests: it reads the channels and the assets once. The error of a request that has
// no findings by channel is in the second list.
func (a *planUseCases) CheckPosts(ctx context.Context, p Principal, items []CreatePosts) ([][]ChannelFindings, []error, error) {
	found, faults := make([][]ChannelFindings, len(items)), make([]error, len(items))
	var wanted []ident.Channel
	var attached []ident.Media
	for _, in := range items {
		wanted, attached = append(wanted, in.ChannelIDs...), append(attached, in.attached()...)
	}
	if len(wanted) == 0 {
		return found, faults, nil
	}
	channels, err := a.ofPosts.scheduling.channelsOf(ctx, p, unique(wanted), false)
	if err != nil {
		return nil, nil, err
	}
	ends, err := a.ofPosts.scheduling.AccessEnds(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	assets, err := a.media.GetMany(ctx, p.WorkspaceID, unique(attached))
	if err != nil {
		return nil, nil, err
	}
	for i, in := range items {
		entries := a.ofPosts.entriesWith(in, channels, assets)
		if faults[i] = apperr.Invalid(append(in.faults(entries), p.scriptFaults(in.Metadata)...)); faults[i] != nil {
			continue
		}
		drafted, err := a.ofPosts.draftsOf(ctx, in, entries, ends)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range drafted {
			found[i] = append(found[i], ChannelFindings{Channel: d.channel, Findings: d.findings})
		}
	}
	return found, faults, nil
}

func unique[T comparable](list []T) []T {
	seen := make(map[T]bool, len(list))
	var out []T
	for _, one := range list {
		if !seen[one] {
			seen[one] = true
			out = append(out, one)
		}
	}
	return out
}

// PlannedPosts is a row of an import.
type PlannedPosts struct {
	Create CreatePosts
	// Intended is the time that drafts are planned for; zero for none.
	Intended time.Time
}

// ImportPosts creates posts as CreateBulk does, drafts with their intended times. When the context ends it returns the
// results so far, with the error.
func (a *planUseCases) ImportPosts(ctx context.Context, p Principal, items []PlannedPosts) ([]BulkResult, error) {
	results, failed := make([]BulkResult, len(items)), make([]error, len(items))
	err := a.ofPosts.apart(ctx, failed, func(ctx context.Context, i int) error {
		created, err := a.ofPosts.CreatePosts(ctx, p, items[i].Create)
		if err != nil {
			return err
		}
		for n, one := range created {
			if items[i].Intended.IsZero() || one.Status != post.Draft {
				continue
			}
			at := items[i].Intended
			created[n], err = a.ofPosts.EditPost(ctx, p, one.ID, func(post.Post) (post.Edit, error) {
				return post.Edit{ScheduledAt: &at}, nil
			})
			if err != nil {
				return err
			}
		}
		results[i].Posts = created
		return nil
	})
	for i, failure := range failed {
		if failure != nil {
			results[i] = BulkResult{Err: failure}
		}
	}
	return results, err
}

// KnownPosts returns the posts of the workspace that have one of the external ids, or one of the ids.
func (a *planUseCases) KnownPosts(
	ctx context.Context, p Principal, externalIDs []string, ids []ident.Post,
) ([]postgres.KnownPost, error) {
	return a.ofPosts.posts.Known(ctx, p.WorkspaceID, externalIDs, ids)
}

// NamedMedia returns the assets of the workspace that have one of the names, or one of the ids.
func (a *planUseCases) NamedMedia(
	ctx context.Context, p Principal, names []string, ids []ident.Media,
) ([]postgres.NamedMedia, error) {
	return a.media.Named(ctx, p.WorkspaceID, names, ids)
}
