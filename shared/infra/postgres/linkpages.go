package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// LinkPages stores link pages: their drafts and their live versions.
type LinkPages struct {
	db         *DB
	references *References
}

// NewLinkPages returns the store.
func NewLinkPages(db *DB) *LinkPages { return &LinkPages{db: db, references: NewReferences(db)} }

type linkPageRow struct {
	ID              ident.LinkPage
	WorkspaceID     ident.Workspace
	Handle          string
	Draft           []byte
	Revision        int
	Versions        int
	ChangedBy       string
	CreatedAt       time.Time
	UpdatedAt       time.Time
	LiveHandle      *string
	LiveContent     []byte
	LiveVersion     *int
	LiveRevision    *int
	LivePublishedAt *time.Time
}

const linkPageColumns = `p.id, p.workspace_id, p.handle, p.draft, p.revision, p.versions, p.changed_by, p.created_at, p.updated_at,
	l.handle AS live_handle, l.content AS live_content, l.version AS live_version, l.revision AS live_revision,
	l.published_at AS live_published_at`

func fromLinkPageRow(r linkPageRow) (linkpage.Page, error) {
	p := linkpage.Page{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Handle: r.Handle, Revision: r.Revision, Versions: r.Versions,
		ChangedBy: r.ChangedBy, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	var err error
	if p.Draft, err = decodeContent(r.Draft); err != nil || r.LiveHandle == nil {
		return p, err
	}
	p.Live = &linkpage.Live{
		Handle: *r.LiveHandle, Version: value(r.LiveVersion), Revision: value(r.LiveRevision),
		PublishedAt: value(r.LivePublishedAt),
	}
	p.Live.Content, err = decodeContent(r.LiveContent)
	return p, err
}

func decodeContent(raw []byte) (linkpage.Content, error) {
	var c linkpage.Content
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("decode link page: %w", err)
	}
	return c, nil
}

// Insert stores a new page. It returns VALIDATION_FAILED if the handle is taken, QUOTA_EXCEEDED if the workspace has
// reached the limit of its plan (also under concurrent requests), and NOT_FOUND for an asset that the workspace does
// not have.
func (s *LinkPages) Insert(ctx context.Context, p linkpage.Page) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		plan, err := lockPlan(ctx, s.db, p.WorkspaceID)
		if err != nil {
			return err
		}
		if plan == "" {
			return notFound("workspace")
		}
		var count int64
		err = s.db.conn(ctx).Table("link_page").Where("workspace_id = ?", p.WorkspaceID).Count(&count).Error
		if err != nil {
			return err
		}
		if err := plan.Limits().CheckLinkPages(int(count)); err != nil {
			return err
		}
		draft, err := jsonParam(p.Draft)
		if err != nil {
			return err
		}
		err = s.db.conn(ctx).Table("link_page").Create(map[string]any{
			"id": p.ID, "workspace_id": p.WorkspaceID, "handle": p.Handle, "draft": draft, "revision": p.Revision,
			"versions": p.Versions, "changed_by": p.ChangedBy, "created_at": p.CreatedAt, "updated_at": p.UpdatedAt,
		}).Error
		if err != nil {
			return err
		}
		return s.link(ctx, p)
	})
}

// link writes the rows that belong to a page: its handles and its asset references.
func (s *LinkPages) link(ctx context.Context, p linkpage.Page) error {
	var other int
	handles := toArray(p.Handles())
	err := s.db.conn(ctx).Raw(takeHandles, map[string]any{"page": p.ID, "handles": handles}).Scan(&other).Error
	if err != nil {
		return err
	}
	if other > 0 {
		return apperr.Invalid([]apperr.Field{{Pointer: "/handle", Message: "is taken; choose another name"}})
	}
	return s.references.Set(ctx, Owner{
		WorkspaceID: p.WorkspaceID, Type: media.OwnerLinkPage, ID: p.ID.String(), Label: "/" + p.Handle,
	}, p.Assets())
}

// List returns the pages of the workspace, oldest first, without their content.
func (s *LinkPages) List(ctx context.Context, workspace ident.Workspace) ([]linkpage.Summary, error) {
	pages := []linkpage.Summary{}
	err := s.pages(ctx).Select(`p.id, p.handle, p.draft->>'title' AS title,
		jsonb_array_length(p.draft->'blocks') AS blocks, p.revision,
		l.page_id IS NOT NULL AS live, coalesce(l.handle, '') AS live_handle,
		l.page_id IS NULL OR l.revision <> p.revision AS unpublished,
		coalesce(l.published_at, CAST('0001-01-01' AS timestamptz)) AS published_at, p.created_at, p.updated_at`).
		Where("p.workspace_id = ?", workspace).Order("p.created_at, p.id").Scan(&pages).Error
	return pages, classify(err)
}

// HandleTaken reports whether a page of any workspace holds the handle.
func (s *LinkPages) HandleTaken(ctx context.Context, handle string) (taken bool, err error) {
	var pages int64
	err = s.db.conn(ctx).Table("link_page_handle").Where("handle = ?", linkpage.FoldHandle(handle)).Count(&pages).Error
	return pages > 0, classify(err)
}

// Get returns one page of the workspace; NOT_FOUND if it does not exist.
func (s *LinkPages) Get(ctx context.Context, workspace ident.Workspace, id ident.LinkPage) (linkpage.Page, error) {
	return s.get(ctx, workspace, id, "")
}

// pages selects pages with their live versions.
func (s *LinkPages) pages(ctx context.Context) *gorm.DB {
	return s.db.conn(ctx).Table("link_page p").Joins("LEFT JOIN link_page_live l ON l.page_id = p.id")
}

func (s *LinkPages) get(
	ctx context.Context, workspace ident.Workspace, id ident.LinkPage, lock locking,
) (linkpage.Page, error) {
	var row linkPageRow
	err := s.pages(ctx).Select(linkPageColumns).Where("p.id = ? AND p.workspace_id = ?", id, workspace).
		Clauses(lock).Take(&row).Error
	if err != nil {
		return linkpage.Page{}, rowError(err, "link page")
	}
	return fromLinkPageRow(row)
}

// Change calls decide to change a page of the workspace and writes the result, in one transaction. The page is locked
// while it is read, so that concurrent changes run one after the other. Change returns NOT_FOUND if the workspace does
// not have the page or an asset of it, and VALIDATION_FAILED if the handle is taken.
func (s *LinkPages) Change(
	ctx context.Context, workspace ident.Workspace, id ident.LinkPage, decide func(context.Context, linkpage.Page) (linkpage.Page, error),
) (page linkpage.Page, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		before, err := s.get(ctx, workspace, id, locking("FOR UPDATE OF p"))
		if err != nil {
			return err
		}
		if page, err = decide(ctx, before); err != nil {
			return err
		}
		if page.Revision == before.Revision && page.Live == before.Live {
			return nil
		}
		return s.write(ctx, page, before)
	})
	return page, err
}

func (s *LinkPages) write(ctx context.Context, p, before linkpage.Page) error {
	draft, err := jsonParam(p.Draft)
	if err != nil {
		return err
	}
	err = s.db.conn(ctx).Table("link_page").Where("id = ?", p.ID).Updates(map[string]any{
		"handle": p.Handle, "draft": draft, "revision": p.Revision, "versions": p.Versions,
		"changed_by": p.ChangedBy, "updated_at": p.UpdatedAt,
	}).Error
	if err != nil {
		return err
	}
	if err := s.link(ctx, p); err != nil {
		return err
	}
	if err := s.writeLive(ctx, p, before); err != nil {
		return err
	}
	return s.db.conn(ctx).Table("link_page_handle").
		Where("page_id = ? AND handle <> ALL(CAST(? AS text[]))", p.ID, toArray(p.Handles())).Delete(nil).Error
}

func (s *LinkPages) writeLive(ctx context.Context, p, before linkpage.Page) error {
	if p.Live == before.Live {
		return nil
	}
	err := s.db.conn(ctx).Table("link_page_live").Where("page_id = ?", p.ID).Delete(nil).Error
	if err != nil || p.Live == nil {
		return err
	}
	content, err := jsonParam(p.Live.Content)
	if err != nil {
		return err
	}
	ids := make([]ident.LinkBlock, len(p.Live.Content.Blocks))
	for i, b := range p.Live.Content.Blocks {
		ids[i] = b.ID
	}
	return s.db.conn(ctx).Table("link_page_live").Create(map[string]any{
		"page_id": p.ID, "handle": p.Live.Handle, "version": p.Live.Version, "revision": p.Live.Revision,
		"content": content, "block_ids": idArray(ids), "published_at": p.Live.PublishedAt,
	}).Error
}

// Delete deletes a page with its handles and counts. It returns NOT_FOUND if the workspace has no such page, and
// PRECONDITION_FAILED unless the page is at the expected revision; 0 matches any revision.
func (s *LinkPages) Delete(ctx context.Context, workspace ident.Workspace, id ident.LinkPage, expected int) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		page, err := s.get(ctx, workspace, id, locking("FOR UPDATE OF p"))
		if err != nil {
			return err
		}
		if err := page.CheckRevision(expected); err != nil {
			return err
		}
		if err := s.db.conn(ctx).Table("link_page").Where("id = ?", id).Delete(nil).Error; err != nil {
			return err
		}
		return s.references.Set(ctx, Owner{WorkspaceID: workspace, Type: media.OwnerLinkPage, ID: id.String()}, nil)
	})
}
