package member

import (
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// InvitationLife is the time for which an invitation can be accepted.
const InvitationLife = 7 * 24 * time.Hour

// Each invitation sends a mail to an unconfirmed address, so that their number is limited: MaxInvitations of a workspace
// within InvitationWindow, with those that were revoked or replaced.
const (
	MaxInvitations   = 50
	InvitationWindow = 24 * time.Hour
)

// Invitation is an offer to join a workspace, made to an email address. It is accepted at most once.
type Invitation struct {
	ID          ident.Invitation
	WorkspaceID ident.Workspace
	Email       email.Address
	Role        Role
	InvitedBy   ident.User
	CreatedAt   time.Time
	ExpiresAt   time.Time
	AcceptedAt  time.Time       // zero: not accepted
	RevokedAt   time.Time       // zero: not revoked
	Channels    []ident.Channel // as of a Member
}

// Invite returns an invitation, or VALIDATION_FAILED with every fault.
func Invite(
	workspace ident.Workspace, address string, role Role, by ident.User, now time.Time,
) (Invitation, error) {
	var faults []apperr.Field
	parsed, ok := email.Parse(address)
	if !ok {
		faults = append(faults, apperr.Field{Pointer: "/email", Message: email.Fault})
	}
	if !role.Known() {
		faults = append(faults, apperr.Field{Pointer: "/role", Message: "Choose a role."})
	}
	return Invitation{
		ID: ident.New[ident.Invitation](), WorkspaceID: workspace, Email: parsed, Role: role, InvitedBy: by, CreatedAt: now,
		ExpiresAt: now.Add(InvitationLife),
	}, apperr.Invalid(faults)
}

// Open reports whether the invitation can be accepted.
func (i Invitation) Open(now time.Time) bool {
	return i.AcceptedAt.IsZero() && i.RevokedAt.IsZero() && now.Before(i.ExpiresAt)
}

// For reports whether the invitation was made to the address.
func (i Invitation) For(address email.Address) bool { return i.Email.Same(address) }

// CheckOwners returns INVALID_STATE unless an active owner remains after a change of the members.
func CheckOwners(after []Member) error {
	for _, m := range after {
		if m.Role.Allows(Owner.Assigns()) && m.Active() {
			return nil
		}
	}
	return apperr.New(apperr.InvalidState,
		"A workspace needs an owner. Make another member an owner first.")
}
