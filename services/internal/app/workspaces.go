package app

import (
	"context"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/plaintext"
)

const maxWorkspaceName = 200

// WorkspaceSettings holds the settings of a workspace that people change.
type WorkspaceSettings struct {
	Name, Timezone string
	// ReconnectHold is the longest time for which due posts wait for their channel to be connected again.
	ReconnectHold time.Duration
}

// ChangeWorkspace changes the settings of the workspace. Only people may do so. Posts that wait already keep the end of
// their wait, unless it has grown. The error is VALIDATION_FAILED with every fault.
func (a *App) ChangeWorkspace(ctx context.Context, p Principal, in WorkspaceSettings) error {
	if err := p.Require(credential.WorkspaceManage); err != nil {
		return err
	}
	var faults []apperr.Field
	name, fault := plaintext.Line(in.Name, maxWorkspaceName)
	switch {
	case fault != "":
		faults = append(faults, apperr.Field{Pointer: "/name", Message: nameFault})
	case name == "":
		faults = append(faults, apperr.Field{Pointer: "/name", Message: nameFault})
	}
	faults = append(faults, timezoneFaults(in.Timezone)...)
	if hold := in.ReconnectHold; hold < 0 || hold > workspace.LongestReconnectHold || hold%time.Second != 0 {
		faults = append(faults, apperr.Field{Pointer: "/hold", Message: fmt.Sprintf("Enter a number of hours from 0 to %d.",
			int(workspace.LongestReconnectHold.Hours()))})
	}
	if err := apperr.Invalid(faults); err != nil {
		return err
	}
	detail := in.Timezone + ", posts wait for a lost connection for at most " + in.ReconnectHold.String()
	return a.recorded(ctx, p, audit.WorkspaceChanged, name, detail, func(ctx context.Context) error {
		return a.workspaces.Change(ctx, p.WorkspaceID, name, in.Timezone, in.ReconnectHold)
	})
}

// timezoneFaults checks the name of a time zone. "Local" means a different zone on every machine.
func timezoneFaults(name string) []apperr.Field {
	if _, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
		return nil
	}
	return []apperr.Field{{Pointer: "/timezone", Message: "Choose a time zone from the list, such as Europe/Stockholm."}}
}
