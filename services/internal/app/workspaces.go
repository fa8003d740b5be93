package app

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/internal/places"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/plaintext"
)

// identityUseCases are those of people: members, invitations, profiles, sign-in by mail, API keys, the workspace itself.
type identityUseCases struct {
	*Records

	workspaces  *postgres.Workspaces
	users       *postgres.Users
	operators   *postgres.Operators
	keyStore    *postgres.Keys
	grants      *postgres.Grants
	requests    *postgres.Requests
	invitations *postgres.Invitations
	accounts    *postgres.Accounts
	mails       *postgres.Mails // nil: no mails are sent
	notices     *postgres.Mails
	egress      *egress.Policy
	usage       *postgres.Usage
	stopper     *postgres.Channels
	bot         Bot // nil: Telegram is not offered
	log         *slog.Logger
}

// WorkspaceState is a workspace with its usage.
type WorkspaceState struct {
	workspace.Workspace
	Usage workspace.Usage
}

// Workspace returns the client's workspace.
func (a *identityUseCases) Workspace(ctx context.Context, p Principal) (WorkspaceState, error) {
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil {
		return WorkspaceState{}, err
	}
	usage, err := a.usage.Get(ctx, p.WorkspaceID)
	return WorkspaceState{Workspace: w, Usage: usage}, err
}

// Timezone returns the name of the workspace's time zone.
func (a *identityUseCases) Timezone(ctx context.Context, p Principal) (string, error) {
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	return w.Timezone, err
}

// TestPrincipal returns the person as a member of the test workspace. It creates the test workspace if it is missing and
// create is set, and returns NOT_FOUND otherwise. Only people who manage keys may do so.
func (a *identityUseCases) TestPrincipal(ctx context.Context, p Principal, create bool) (Principal, error) {
	if err := p.Require(credential.KeysManage); err != nil {
		return Principal{}, err
	}
	if p.InTest() {
		return p, nil
	}
	var test workspace.Workspace
	var err error
	if create {
		test, err = a.workspaces.EnsureTest(ctx, p.WorkspaceID, a.now())
	} else {
		test, err = a.workspaces.Test(ctx, p.WorkspaceID)
	}
	p.WorkspaceID, p.Mode = test.ID, workspace.Test
	return p, err
}

const maxWorkspaceName = 200

// WorkspaceSettings holds the settings of a workspace that people change.
type WorkspaceSettings struct {
	Name, Timezone string
	// ReconnectHold is the longest time for which due posts wait for their channel to be connected again.
	ReconnectHold time.Duration
	AltTexts      workspace.AltTextRule
	Color         string // on the pages that clients see, #rrggbb; empty: none
}

// ChangeWorkspace changes the settings of the workspace. Only people may do so. Posts that wait already keep the end of
// their wait, unless it has grown. The error is VALIDATION_FAILED with every fault.
func (a *identityUseCases) ChangeWorkspace(ctx context.Context, p Principal, in WorkspaceSettings) error {
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
	if !slices.Contains(workspace.AltTextRules(), in.AltTexts) {
		faults = append(faults, apperr.Field{Pointer: "/altTexts", Message: "Choose one of the rules."})
	}
	color, known := linkpage.ParseColor(in.Color)
	switch {
	case in.Color == "":
		color = ""
	case !known:
		faults = append(faults, apperr.Field{Pointer: "/color", Message: "Enter a color such as #4338ca."})
	case !color.ContrastsWhite():
		faults = append(faults, apperr.Field{Pointer: "/color", Message: "Buttons in this color are hard to see on white. Enter a darker one."})
	}
	if err := apperr.Invalid(faults); err != nil {
		return err
	}
	detail := in.Timezone + ", posts wait for a lost connection for at most " + in.ReconnectHold.String()
	if in.AltTexts != p.Person.AltTexts {
		detail += ", alternative texts " + strings.ToLower(string(in.AltTexts))
	}
	if color != "" {
		detail += ", color " + string(color)
	}
	return a.recorded(ctx, p, audit.WorkspaceChanged, name, detail, func(ctx context.Context) error {
		if err := a.workspaces.Change(ctx, p.WorkspaceID, name, in.Timezone, in.ReconnectHold); err != nil {
			return err
		}
		if err := a.workspaces.SetColor(ctx, p.WorkspaceID, string(color)); err != nil {
			return err
		}
		return a.workspaces.SetAltTextRule(ctx, p.WorkspaceID, in.AltTexts)
	})
}

// timezoneFaults checks the name of a time zone.
func timezoneFaults(name string) []apperr.Field {
	if _, ok := places.LoadZone(name); ok {
		return nil
	}
	return []apperr.Field{{Pointer: "/timezone", Message: "Choose a time zone from the list, such as Europe/Stockholm."}}
}
