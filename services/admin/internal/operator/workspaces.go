package operator

import (
	"context"
	"strings"

	"socialpub.internal/shared/domain/workspace"
	"socialpub.internal/shared/kernel/ident"
)

// NewWorkspace holds the input for a workspace. Empty fields mean the plan FREE and the time zone UTC.
type NewWorkspace struct {
	Name     string
	Plan     string
	Timezone string
}

func (n NewWorkspace) check() (workspace.Workspace, error) {
	var f faults
	plan := workspace.Plan(strings.ToUpper(strings.TrimSpace(n.Plan)))
	if plan == "" {
		plan = workspace.Free
	}
	if !plan.Known() {
		f.add(MemberPlan, "%q is not a plan; choose %s", n.Plan, oneOf(workspace.Plans()))
	}
	w := workspace.Workspace{Name: f.text(MemberName, n.Name), Plan: plan, Timezone: "UTC"}
	if n.Timezone != "" {
		w.Timezone = f.timezone(n.Timezone)
	}
	return w, f.err()
}

// CreateWorkspace creates a workspace.
func (o *Operator) CreateWorkspace(ctx context.Context, in NewWorkspace) (workspace.Workspace, error) {
	w, err := in.check()
	if err != nil {
		return workspace.Workspace{}, err
	}
	w.ID, w.CreatedAt = ident.New[ident.Workspace](), o.now()
	return w, o.workspaces.Insert(ctx, w)
}

// Workspaces lists every workspace, oldest first.
func (o *Operator) Workspaces(ctx context.Context) ([]workspace.Workspace, error) {
	return o.workspaces.List(ctx)
}

// Workspace returns a workspace, or NOT_FOUND.
func (o *Operator) Workspace(ctx context.Context, id string) (workspace.Workspace, error) {
	var f faults
	parsed := f.workspace(id)
	if err := f.err(); err != nil {
		return workspace.Workspace{}, err
	}
	return o.workspace(ctx, parsed)
}
