package app

import (
	"context"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// Integrators have no access to leads except through events (docs/contract.md, Leads). The application, the Sales Lead
// agent and the browser extension use these use cases.

// CreateLead stores a new lead in the client's workspace, regardless of in.WorkspaceID, and emits lead.created. The
// error is VALIDATION_FAILED with every fault.
func (r *Records) CreateLead(ctx context.Context, p Principal, in lead.New) (lead.Lead, error) {
	in.WorkspaceID = p.WorkspaceID
	change, err := lead.Create(in, r.now())
	if err != nil {
		return lead.Lead{}, err
	}
	if err := r.leads.Insert(ctx, change); err != nil {
		return lead.Lead{}, err
	}
	r.notifyAfterCommit(ctx, change)
	return change.Lead, nil
}

// MoveLead moves a lead to a stage, and emits lead.stage_changed unless the lead already had that stage. The reason
// applies to the stage LOST. moved is false if the lead was in the stage already. Errors: NOT_FOUND when the workspace
// has no such lead, VALIDATION_FAILED for an unknown stage.
func (r *Records) MoveLead(
	ctx context.Context, p Principal, id ident.Lead, stage lead.Stage, lostReason string,
) (l lead.Lead, moved bool, err error) {
	change, err := r.leads.Change(ctx, p.WorkspaceID, id, func(l lead.Lead) (lead.Change, error) {
		return l.MoveTo(stage, lostReason, r.now())
	})
	if err != nil {
		return lead.Lead{}, false, err
	}
	r.notifyAfterCommit(ctx, change)
	return change.Lead, change.Event != nil, nil
}

func (r *Records) notifyAfterCommit(ctx context.Context, change lead.Change) {
	if change.Event != nil {
		r.db.AfterCommit(ctx, func() { r.wake(relay.Events) })
	}
}

// Lead returns one lead; NOT_FOUND when the workspace has no such lead.
func (r *Records) Lead(ctx context.Context, p Principal, id ident.Lead) (lead.Lead, error) {
	return r.leads.Get(ctx, p.WorkspaceID, id)
}

// Leads returns leads of the workspace, newest first.
func (r *Records) Leads(ctx context.Context, p Principal, filter postgres.LeadFilter) ([]lead.Lead, error) {
	return r.leads.List(ctx, p.WorkspaceID, filter)
}
