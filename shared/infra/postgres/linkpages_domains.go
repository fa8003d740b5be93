package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// LinkDomains stores the domains of link pages.
type LinkDomains struct{ db *DB }

// NewLinkDomains returns the store.
func NewLinkDomains(db *DB) *LinkDomains { return &LinkDomains{db: db} }

type linkDomainRow struct {
	PageID      ident.LinkPage
	WorkspaceID ident.Workspace
	Host        string
	CreatedAt   time.Time
	VerifiedAt  *time.Time
	CheckedAt   *time.Time
	Fault       string
}

func fromLinkDomainRow(r linkDomainRow) linkpage.Domain {
	return linkpage.Domain{
		PageID: r.PageID, WorkspaceID: r.WorkspaceID, Host: r.Host, CreatedAt: r.CreatedAt, VerifiedAt: value(r.VerifiedAt),
		CheckedAt: value(r.CheckedAt), Fault: r.Fault,
	}
}

func (s *LinkDomains) domains(ctx context.Context) *gorm.DB {
	return s.db.conn(ctx).Table("link_domain d").Joins("JOIN link_page p ON p.id = d.page_id").
		Select("d.page_id, p.workspace_id, d.host, d.created_at, d.verified_at, d.checked_at, d.fault")
}

// Get returns the domain of a page of the workspace; NOT_FOUND if it has none.
func (s *LinkDomains) Get(ctx context.Context, workspace ident.Workspace, page ident.LinkPage) (linkpage.Domain, error) {
	var row linkDomainRow
	err := s.domains(ctx).Where("d.page_id = ? AND p.workspace_id = ?", page, workspace).Take(&row).Error
	return fromLinkDomainRow(row), rowError(err, "domain")
}

// Claim replaces the domain of a page by one that was not checked yet. The same domain again changes nothing.
func (s *LinkDomains) Claim(ctx context.Context, d linkpage.Domain) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		known, err := s.Get(ctx, d.WorkspaceID, d.PageID)
		switch {
		case err == nil && known.Host == d.Host:
			return nil
		case err != nil && !apperr.Is(err, apperr.NotFound):
			return err
		}
		err = s.db.conn(ctx).Table("link_domain").Where("page_id = ?", d.PageID).Delete(nil).Error
		if err != nil {
			return classify(err)
		}
		return classify(s.db.conn(ctx).Table("link_domain").Create(map[string]any{
			"page_id": d.PageID, "host": d.Host, "created_at": d.CreatedAt, "next_at": optional(d.NextCheck(d.CreatedAt)),
		}).Error)
	})
}

// Checked stores the outcome of a check of the domain. It returns ErrNameInUse for a domain that is verified and shows another
// page. It changes nothing if the page has another domain by now.
func (s *LinkDomains) Checked(ctx context.Context, d linkpage.Domain) error {
	return named(s.db.conn(ctx).Table("link_domain").Where("page_id = ? AND host = ?", d.PageID, d.Host).Updates(map[string]any{
		"verified_at": optional(d.VerifiedAt), "checked_at": d.CheckedAt, "fault": d.Fault, "next_at": optional(d.NextCheck(d.CheckedAt)),
	}).Error)
}

// Remove deletes the domain of a page. Removing it again changes nothing.
func (s *LinkDomains) Remove(ctx context.Context, page ident.LinkPage) error {
	return classify(s.db.conn(ctx).Table("link_domain").Where("page_id = ?", page).Delete(nil).Error)
}

// Due takes domains that are to be checked until the given time, in any workspace.
func (s *LinkDomains) Due(ctx context.Context, now, until time.Time, limit int) ([]linkpage.Domain, error) {
	var rows []linkDomainRow
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.domains(ctx).Where("d.next_at <= ?", now).Order("d.next_at, d.page_id").Limit(limit).
			Clauses(locking("FOR UPDATE OF d SKIP LOCKED")).Find(&rows).Error
		if err != nil || len(rows) == 0 {
			return err
		}
		ids := make([]ident.LinkPage, len(rows))
		for i, r := range rows {
			ids[i] = r.PageID
		}
		return s.db.conn(ctx).Table("link_domain").Where("page_id = ANY(CAST(? AS uuid[]))", idArray(ids)).
			Update("next_at", until).Error
	})
	return each(rows, fromLinkDomainRow), classify(err)
}
