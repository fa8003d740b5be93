package app

import (
	"context"
	"time"

	"socialpub.internal/shared/domain/audit"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/plaintext"
)

const maxWorkspaceName = 200

// ChangeWorkspace changes the name and the time zone of the workspace. Only people may do so. The error is
// VALIDATION_FAILED with every fault.
func (a *App) ChangeWorkspace(ctx context.Context, p Principal, name, timezone string) error {
	if err := p.Require(credential.WorkspaceManage); err != nil {
		return err
	}
	var faults []apperr.Field
	name, fault := plaintext.Line(name, maxWorkspaceName)
	switch {
	case fault != "":
		faults = append(faults, apperr.Field{Pointer: "/name", Message: fault})
	case name == "":
		faults = append(faults, apperr.Field{Pointer: "/name", Message: "is required"})
	}
	if err := apperr.Invalid(append(faults, timezoneFaults(timezone)...)); err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.WorkspaceChanged, name, timezone, func(ctx context.Context) error {
		return a.workspaces.Change(ctx, p.WorkspaceID, name, timezone)
	})
}

// timezoneFaults checks the name of a time zone. "Local" means a different zone on every machine.
func timezoneFaults(name string) []apperr.Field {
	if _, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
		return nil
	}
	return []apperr.Field{{Pointer: "/timezone", Message: "is not an IANA time zone such as Europe/Stockholm"}}
}
