package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// importBatch is the number of rows of an import that one transaction stores.
const importBatch = 100

// StartImport stores a file of leads as an import of the person. It creates no leads.
func (a *LeadDesk) StartImport(ctx context.Context, p Principal, in lead.Import) (ident.LeadImport, error) {
	if err := p.Require(credential.LeadsManage); err != nil {
		return ident.LeadImport{}, err
	}
	in.ID, in.WorkspaceID, in.UserID, in.CreatedAt = ident.New[ident.LeadImport](), p.WorkspaceID, p.Person.ID, a.now()
	return in.ID, a.imports.Insert(ctx, in)
}

// Import returns an import of the person; NOT_FOUND if the person has no such import in the workspace.
func (a *LeadDesk) Import(ctx context.Context, p Principal, id ident.LeadImport) (lead.Import, error) {
	if err := p.Require(credential.LeadsManage); err != nil {
		return lead.Import{}, err
	}
	return a.imports.Get(ctx, p.WorkspaceID, p.Person.ID, id)
}

// ImportNext creates the leads of the next rows of an import, all or none, and stores how far it is: what ends it loses and repeats
// nothing. Rows with faults are left out, and those of persons with an open lead, unless anyway. Times without a zone are in the
// given one. The error is NOT_FOUND as of Import.
func (a *LeadDesk) ImportNext(ctx context.Context, p Principal, id ident.LeadImport, anyway bool, zone *time.Location) (of lead.Import, err error) {
	if err := p.Require(credential.LeadsManage); err != nil {
		return of, err
	}
	err = a.db.WithinTx(ctx, func(ctx context.Context) error {
		if of, err = a.imports.Get(ctx, p.WorkspaceID, p.Person.ID, id); err != nil || of.Done == len(of.Rows) {
			return err
		}
		if of.Done == 0 {
			of.Anyway = anyway
		}
		for _, row := range of.Rows[of.Done:min(of.Done+importBatch, len(of.Rows))] {
			count, err := a.importRow(ctx, p, &of, row, zone)
			if err != nil {
				return err
			}
			*count++
			of.Done++
		}
		return a.imports.Advance(ctx, of)
	})
	if err == nil {
		a.wake(relay.Events)
		a.wake(relay.Messages)
	}
	return of, err
}

// importRow creates the lead of a row. It returns the counter of what became of it.
func (a *LeadDesk) importRow(
	ctx context.Context, p Principal, of *lead.Import, row lead.ImportRow, zone *time.Location,
) (count *int, err error) {
	in, err := lead.FromRow(of.WorkspaceID, of.Columns, row.Cells, zone)
	if apperr.Is(err, apperr.ValidationFailed) {
		return &of.Faulty, nil
	}
	in.CaptureKey, in.FollowUpBy = fmt.Sprintf("import/%s/%d", of.ID, row.Line), p.Person.ID
	change, err := lead.Create(in, a.now())
	if err != nil {
		return nil, err
	}
	change.By = p.Person.ID
	if !of.Anyway {
		known, err := a.leads.Same(ctx, change.Lead)
		if err != nil || len(known) > 0 {
			return &of.Known, err
		}
	}
	if err = a.leads.Insert(ctx, change); errors.Is(err, postgres.ErrCaptured) {
		return &of.Known, nil
	}
	return &of.Created, err
}

// SameAs returns the open leads of the same person as an input that is not stored, such as the row of a file.
func (a *LeadDesk) SameAs(ctx context.Context, p Principal, in lead.New) ([]lead.Lead, error) {
	if err := p.Require(credential.LeadsRead); err != nil {
		return nil, err
	}
	return a.leads.Same(ctx, lead.Lead{
		WorkspaceID: p.WorkspaceID, PersonID: in.PersonID, ContactEmail: in.ContactEmail, ContactPhone: in.ContactPhone, ProfileURL: in.ProfileURL,
	})
}

// PruneImports deletes imports after some time.
func (a *LeadDesk) PruneImports(ctx context.Context) error {
	return a.imports.Prune(ctx, a.now().Add(-lead.ImportLife))
}
