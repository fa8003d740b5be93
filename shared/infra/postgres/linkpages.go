package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"socialpub.internal/shared/domain/linkpage"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/workspace"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
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
	CreatedAt       time.Time
	UpdatedAt       time.Time
	LiveHandle      *string
	LiveContent     []byte
	LiveVersion     *int
	LiveRevision    *int
	LivePublishedAt *time.Time
}

const selectLinkPage = `SELECT p.id, p.workspace_id, p.handle, p.draft, p.revision, p.versions, p.created_at, p.updated_at, l.handle AS live_handle,
	l.content AS live_content, l.version AS live_version, l.revision AS live_revision, l.published_at AS live_published_at
	FROM link_page p LEFT JOIN link_page_live l ON l.page_id = p.id `

func fromLinkPageRow(r linkPageRow) (linkpage.Page, error) {
	p := linkpage.Page{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Handle: r.Handle, Revision: r.Revision, Versions: r.Versions,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	var err error
	if p.Draft, err = decodeContent(r.Draft); err != nil || r.LiveHandle == nil {
		return p, err
	}
	p.Live = &linkpage.Live{
		Handle: *r.LiveHandle, Version: value(r.LiveVersion), Revision: value(r.LiveRevision), PublishedAt: value(r.LivePublishedAt),
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
		var plan string
		var count int
		if err := s.db.conn(ctx).Raw(`SELECT plan FROM workspace WHERE id = ? FOR NO KEY UPDATE`, p.WorkspaceID).Scan(&plan).Error; err != nil {
			return err
		}
		if plan == "" {
			return notFound("workspace")
		}
		if err := s.db.conn(ctx).Raw(`SELECT count(*) FROM link_page WHERE workspace_id = ?`, p.WorkspaceID).Scan(&count).Error; err != nil {
			return err
		}
		if err := workspace.Plan(plan).Limits().CheckLinkPages(count); err != nil {
			return err
		}
		draft, err := jsonParam(p.Draft)
		if err != nil {
			return err
		}
		err = s.db.conn(ctx).Exec(`INSERT INTO link_page (id, workspace_id, handle, draft, revision, versions, created_at, updated_at)
			VALUES (?, ?, ?, CAST(? AS jsonb), ?, ?, ?, ?)`, p.ID, p.WorkspaceID, p.Handle, draft, p.Revision, p.Versions, p.CreatedAt, p.UpdatedAt).Error
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
	// Handles are taken in order, so that two pages that want each other's handles do not deadlock.
	err := s.db.conn(ctx).Raw(`WITH taken AS (
			INSERT INTO link_page_handle (handle, page_id)
			SELECT h, CAST(@page AS uuid) FROM unnest(CAST(@handles AS text[])) AS h ORDER BY h
			ON CONFLICT (handle) DO UPDATE SET handle = excluded.handle RETURNING page_id
		) SELECT count(*) FROM taken WHERE page_id <> CAST(@page AS uuid)`, map[string]any{"page": p.ID, "handles": handles}).Scan(&other).Error
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
	err := s.db.conn(ctx).Raw(`SELECT p.id, p.handle, p.draft->>'title' AS title, jsonb_array_length(p.draft->'blocks') AS blocks, p.revision,
		l.page_id IS NOT NULL AS live, coalesce(l.handle, '') AS live_handle, l.page_id IS NULL OR l.revision <> p.revision AS unpublished,
		coalesce(l.published_at, CAST('0001-01-01' AS timestamptz)) AS published_at, p.created_at, p.updated_at
		FROM link_page p LEFT JOIN link_page_live l ON l.page_id = p.id WHERE p.workspace_id = ? ORDER BY p.id`, workspace).Scan(&pages).Error
	return pages, classify(err)
}

// HandleTaken reports whether a page of any workspace holds the handle.
func (s *LinkPages) HandleTaken(ctx context.Context, handle string) (taken bool, err error) {
	err = s.db.conn(ctx).Raw(`SELECT EXISTS (SELECT 1 FROM link_page_handle WHERE handle = ?)`, linkpage.FoldHandle(handle)).Scan(&taken).Error
	return taken, classify(err)
}

// Get returns one page of the workspace; NOT_FOUND if it does not exist.
func (s *LinkPages) Get(ctx context.Context, workspace ident.Workspace, id ident.LinkPage) (linkpage.Page, error) {
	return s.get(ctx, workspace, id, "")
}

func (s *LinkPages) get(ctx context.Context, workspace ident.Workspace, id ident.LinkPage, lock string) (linkpage.Page, error) {
	var row linkPageRow
	err := s.db.conn(ctx).Raw(selectLinkPage+`WHERE p.id = ? AND p.workspace_id = ?`+lock, id, workspace).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return linkpage.Page{}, notFound("link page")
	}
	if err != nil {
		return linkpage.Page{}, classify(err)
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
		before, err := s.get(ctx, workspace, id, " FOR UPDATE OF p")
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
	err = s.db.conn(ctx).Exec(`UPDATE link_page SET handle = ?, draft = CAST(? AS jsonb), revision = ?, versions = ?, updated_at = ? WHERE id = ?`,
		p.Handle, draft, p.Revision, p.Versions, p.UpdatedAt, p.ID).Error
	if err != nil {
		return err
	}
	if err := s.link(ctx, p); err != nil {
		return err
	}
	if err := s.writeLive(ctx, p, before); err != nil {
		return err
	}
	return s.db.conn(ctx).Exec(`DELETE FROM link_page_handle WHERE page_id = ? AND handle <> ALL(CAST(? AS text[]))`, p.ID, toArray(p.Handles())).Error
}

func (s *LinkPages) writeLive(ctx context.Context, p, before linkpage.Page) error {
	if p.Live == before.Live {
		return nil
	}
	if err := s.db.conn(ctx).Exec(`DELETE FROM link_page_live WHERE page_id = ?`, p.ID).Error; err != nil || p.Live == nil {
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
	return s.db.conn(ctx).Exec(`INSERT INTO link_page_live (page_id, handle, version, revision, content, block_ids, published_at)
		VALUES (?, ?, ?, ?, CAST(? AS jsonb), CAST(? AS uuid[]), ?)`,
		p.ID, p.Live.Handle, p.Live.Version, p.Live.Revision, content, idArray(ids), p.Live.PublishedAt).Error
}

// Delete deletes a page with its handles and counts. It returns NOT_FOUND if the workspace has no such page, and
// PRECONDITION_FAILED unless the page is at the expected revision; 0 matches any revision.
func (s *LinkPages) Delete(ctx context.Context, workspace ident.Workspace, id ident.LinkPage, expected int) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		page, err := s.get(ctx, workspace, id, " FOR UPDATE OF p")
		if err != nil {
			return err
		}
		if err := page.CheckRevision(expected); err != nil {
			return err
		}
		if err := s.db.conn(ctx).Exec(`DELETE FROM link_page WHERE id = ?`, id).Error; err != nil {
			return err
		}
		return s.references.Set(ctx, Owner{WorkspaceID: workspace, Type: media.OwnerLinkPage, ID: id.String()}, nil)
	})
}
