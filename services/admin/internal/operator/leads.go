package operator

import (
	"context"
	"errors"
	"strings"

	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// MostLeads is the maximum number of leads that Leads returns.
const MostLeads = 1000

// NewLead holds the input for a lead. The fields of lead.New that are not text are given here as text.
type NewLead struct {
	lead.New

	Workspace  string
	PersonID   string
	FollowUpAt string // RFC 3339, with an offset
}

// AddLead stores a new lead and writes its event.
func (o *Operator) AddLead(ctx context.Context, in NewLead) (lead.Lead, error) {
	var f faults
	now := o.now()
	created := in.New
	created.WorkspaceID, created.FollowUpAt = f.workspace(in.Workspace), f.instant(MemberFollowUpAt, in.FollowUpAt, now)
	created.Platform, created.Source = upper(in.Platform), upper(in.Source)
	created.Temperature, created.Stage, created.Currency = upper(in.Temperature), upper(in.Stage), upper(in.Currency)
	if in.PersonID != "" {
		created.PersonID = parseID[ident.Person](&f, MemberPersonID, in.PersonID, "the application")
	}
	if err := f.with(created.Check()); err != nil {
		return lead.Lead{}, err
	}
	if _, err := o.workspace(ctx, created.WorkspaceID); err != nil {
		return lead.Lead{}, err
	}
	return o.records.CreateLead(ctx, client(created.WorkspaceID), created)
}

// MoveLead moves a lead to a stage. moved is false if the lead is in that stage already. The reason of a lost lead can
// be changed; that produces no event.
func (o *Operator) MoveLead(
	ctx context.Context, workspace, id, stage, lostReason string,
) (l lead.Lead, moved bool, err error) {
	var f faults
	workspaceID, leadID := f.workspace(workspace), parseID[ident.Lead](&f, MemberLeadID, id, "admin lead list")
	to := f.stage(MemberNewStage, stage)
	if err := f.err(); err != nil {
		return lead.Lead{}, false, err
	}
	if _, err := o.workspace(ctx, workspaceID); err != nil {
		return lead.Lead{}, false, err
	}
	l, moved, err = o.records.MoveLead(ctx, client(workspaceID), leadID, to, lostReason)
	if err = f.with(err); apperr.Is(err, apperr.NotFound) {
		err = apperr.New(apperr.NotFound, "Workspace %s has no lead %s. See: admin lead list --workspace %s", workspaceID,
			leadID, workspaceID)
	}
	return l, moved, err
}

// Leads lists leads of a workspace, newest first, up to limit. A stage restricts the list to that stage.
func (o *Operator) Leads(ctx context.Context, workspace, stage string, limit int) ([]lead.Lead, error) {
	var f faults
	filter := postgres.LeadFilter{Limit: limit}
	workspaceID := f.workspace(workspace)
	if stage != "" {
		filter.Stage = f.stage(MemberStage, stage)
	}
	if limit < 1 || limit > MostLeads {
		f.add(MemberLimit, "must be from 1 to %d", MostLeads)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	if _, err := o.workspace(ctx, workspaceID); err != nil {
		return nil, err
	}
	return o.records.Leads(ctx, client(workspaceID), filter)
}

func (f *faults) stage(member, given string) lead.Stage {
	stage := upper(lead.Stage(given))
	if !stage.Known() {
		f.add(member, "%q is not a stage; choose %s", given, oneOf(lead.Stages()))
	}
	return stage
}

func upper[S ~string](word S) S { return S(strings.ToUpper(strings.TrimSpace(string(word)))) }

// with adds the faults found by a lead's own rules, and converts the field names of the Lead object to the program's
// flags.
func (f *faults) with(err error) error {
	found, ok := errors.AsType[*apperr.Error](err)
	if err != nil && (!ok || found.Code != apperr.ValidationFailed) {
		return err
	}
	if ok {
		for _, field := range found.Fields {
			flag := strings.ReplaceAll(strings.TrimPrefix(field.Pointer, "/"), "_", "-")
			f.add(flag, "%s", field.Message)
		}
	}
	return f.err()
}
