package operator

import (
	"cmp"
	"context"
	"strings"
	"time"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/ident"
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
	plan = cmp.Or(plan, workspace.Free)
	if !plan.Known() {
		f.add(MemberPlan, "%q is not a plan; choose %s", n.Plan, oneOf(workspace.Plans()))
	}
	w := workspace.Workspace{
		Name: f.text(MemberName, n.Name), Plan: plan, Timezone: "UTC",
		ReconnectHold: workspace.DefaultReconnectHold,
	}
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
	return w, o.recorded(ctx, w.ID, audit.WorkspaceCreated, w.Name, "",
		func(ctx context.Context) error { return o.workspaces.Insert(ctx, w) })
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

// SetReconnectHold sets the longest time for which the due posts of a workspace wait for their channel to be connected
// again, and returns the workspace. Zero lets them fail at once.
func (o *Operator) SetReconnectHold(ctx context.Context, id string, hold time.Duration) (workspace.Workspace, error) {
	var f faults
	parsed := parseID[ident.Workspace](&f, MemberWorkspaceID, id, "admin workspace list")
	if hold < 0 || hold > workspace.LongestReconnectHold || hold%time.Second != 0 {
		f.add(MemberHold, "%s is not a duration of whole seconds from 0s to %s", hold, workspace.LongestReconnectHold)
	}
	if err := f.err(); err != nil {
		return workspace.Workspace{}, err
	}
	w, err := o.workspace(ctx, parsed)
	if err != nil {
		return workspace.Workspace{}, err
	}
	w.ReconnectHold = hold
	return w, o.recorded(ctx, parsed, audit.WorkspaceChanged, w.Name, "posts wait for a lost connection for at most "+hold.String(),
		func(ctx context.Context) error { return o.workspaces.SetReconnectHold(ctx, parsed, hold) })
}

// Publishing stops or resumes all publishing of a workspace, or changes nothing if stopped is nil. It returns the
// workspace and the number of its posts that became due during a pause.
func (o *Operator) Publishing(
	ctx context.Context, id string, stopped *bool,
) (w workspace.Workspace, late int, err error) {
	var f faults
	parsed := parseID[ident.Workspace](&f, MemberWorkspaceID, id, "admin workspace list")
	if err := f.err(); err != nil {
		return workspace.Workspace{}, 0, err
	}
	if stopped != nil {
		if err := o.stopPublishing(ctx, parsed, *stopped); err != nil {
			return workspace.Workspace{}, 0, err
		}
	}
	if w, err = o.workspace(ctx, parsed); err != nil {
		return w, 0, err
	}
	counts, err := o.posts.LateCounts(ctx, parsed)
	for _, n := range counts {
		late += n
	}
	return w, late, err
}

func (o *Operator) stopPublishing(ctx context.Context, id ident.Workspace, stopped bool) error {
	if _, err := o.workspace(ctx, id); err != nil {
		return err
	}
	var at time.Time
	if stopped {
		at = o.now()
	}
	return o.channels.StopPublishing(ctx, id, at, "an operator")
}
