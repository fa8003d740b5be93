package app

import (
	"slices"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// Principal is the authenticated client in one workspace: a credential, a person with the permissions of a role, or a guest
// without any.
type Principal struct {
	WorkspaceID ident.Workspace
	Plan        workspace.Plan
	Mode        workspace.Mode
	Key         credential.Key
	Program     string                  // name of the OAuth client; empty for an API key and for a person
	Grantor     []credential.Permission // of the person who granted a program's access; nil for an API key and for a person
	GrantorID   ident.User              // who granted a program's access
	Person      Person                  // zero for a credential and for a guest
	Guest       *Guest                  // nil but for a guest
	Channels    []ident.Channel         // to which the member is limited who acts, also through a program; nil: every channel
}

// Person is a signed-in member of the workspace.
type Person struct {
	ID          ident.User
	Name        string
	Email       email.Address
	Permissions []credential.Permission // those of the member's role
	AltTexts    workspace.AltTextRule   // of the workspace
}

// User returns the person as a user.
func (p Person) User() user.User { return user.User{ID: p.ID, Name: p.Name, Email: p.Email} }

// personOf returns a user as a member without permissions, for entries of the audit log.
func personOf(u user.User) Person { return Person{ID: u.ID, Name: u.Name, Email: u.Email} }

// Allows reports whether the client has the permission.
func (p Principal) Allows(permission credential.Permission) bool {
	switch {
	case p.Guest != nil:
		return false
	case !p.Person.ID.IsZero():
		return slices.Contains(p.Person.Permissions, permission)
	}
	return p.Key.Allows(permission)
}

// Require returns INSUFFICIENT_SCOPE unless the client has the permission.
func (p Principal) Require(permission credential.Permission) error {
	if p.Allows(permission) {
		return nil
	}
	missing := &apperr.Error{
		Code: apperr.InsufficientScope, Scope: string(permission),
		Message: "This needs the scope " + string(permission) + ", which the credential does not have.",
	}
	if !p.Person.ID.IsZero() {
		missing.Message = "Your role doesn’t allow this. Ask an owner or admin."
	}
	return missing
}

// requireEveryChannel returns INSUFFICIENT_SCOPE if the member who acts is limited to channels.
func (p Principal) requireEveryChannel() error {
	if p.Channels == nil {
		return nil
	}
	return apperr.New(apperr.InsufficientScope, "This concerns every channel, and you work on some of them. Ask an owner or admin.")
}

// MayUse reports whether the client may use all of the channels.
func (p Principal) MayUse(channels ...ident.Channel) bool {
	return p.Channels == nil || !slices.ContainsFunc(channels, func(id ident.Channel) bool { return !slices.Contains(p.Channels, id) })
}

// IsProgram reports whether the client is an OAuth client, which can request further scopes.
func (p Principal) IsProgram() bool { return p.Grantor != nil }

// MayRequest reports whether the person who granted a program's access could also grant these permissions.
func (p Principal) MayRequest(permissions []credential.Permission) bool {
	lacks := func(permission credential.Permission) bool { return !slices.Contains(p.Grantor, permission) }
	return p.IsProgram() && !slices.ContainsFunc(permissions, lacks)
}

// requireOfRole returns INSUFFICIENT_SCOPE unless the role of the person who acts, or in whose name a program acts, has
// the permission. The scopes of a program do not matter. An API key acts for the workspace, not for a person, and
// passes. Deed and remedy complete the message: "change a SCHEDULED post", "Ask for a draft".
func (p Principal) requireOfRole(permission credential.Permission, action, remedy string) error {
	switch {
	case !p.Person.ID.IsZero() && !p.Allows(permission):
		return apperr.New(apperr.InsufficientScope,
			"Your role doesn’t allow you to %s. %s", action, remedy)
	case p.Grantor != nil && !slices.Contains(p.Grantor, permission):
		// without a scope, because the person could not grant it
		return apperr.New(apperr.InsufficientScope, "A program can do only what the person may do who allowed it, and that "+
			"person's role does not allow to %s (%s). %s", action, permission, remedy)
	default:
		return nil
	}
}

// Author returns the person who writes by this client, also through a program; zero for an API key.
func (p Principal) Author() ident.User {
	if !p.Person.ID.IsZero() {
		return p.Person.ID
	}
	return p.GrantorID
}

// name returns the name of the person or the guest.
func (p Principal) name() string {
	if p.Guest != nil {
		return p.Guest.party().Name
	}
	return p.Person.Name
}

// Actor returns the client's name in timelines: the person's name, that of the guest, the name of the OAuth client, or the
// readable prefix of the key.
func (p Principal) Actor() post.Actor {
	switch {
	case p.Guest != nil:
		return post.Actor(p.Guest.Link.Actor(p.Guest.Name))
	case !p.Person.ID.IsZero():
		return post.Actor("user " + p.Person.Name)
	case p.Program != "":
		return post.Actor("program " + p.Program)
	default:
		return post.Actor("key " + p.Key.Display + "…")
	}
}

// PrincipalOf returns the principal of a user in one of the user's workspaces. In a test workspace it lacks the permissions
// for what a test workspace shares with its live one.
func PrincipalOf(person Person, m postgres.Membership) Principal {
	person.Permissions = m.Role.Permissions()
	if m.Workspace.IsTest() {
		person.Permissions = slices.DeleteFunc(person.Permissions, func(p credential.Permission) bool {
			return p == credential.MembersManage || p == credential.OwnersManage || p == credential.WorkspaceManage
		})
	}
	if m.Workspace.IsTest() { // it has channels of its own
		m.Channels = nil
	}
	return Principal{WorkspaceID: m.Workspace.ID, Plan: m.Workspace.Plan, Mode: m.Workspace.Mode(), Person: person, Channels: m.Channels}
}

// InTest reports whether the client acts in a test workspace.
func (p Principal) InTest() bool { return p.Mode == workspace.Test }
