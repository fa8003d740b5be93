// Package member defines the members of workspaces: their roles, which are named sets of permissions, and the
// invitations by which they join.
package member

import (
	"slices"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// Role is the name of a set of permissions. Code asks for permissions, never for a role.
type Role string

// Roles, from the most to the fewest permissions.
const (
	Owner       Role = "OWNER"
	Admin       Role = "ADMIN"
	Editor      Role = "EDITOR"
	Contributor Role = "CONTRIBUTOR"
	Viewer      Role = "VIEWER"
)

// Roles lists every role, the one with the most permissions first.
func Roles() []Role { return []Role{Owner, Admin, Editor, Contributor, Viewer} }

// Known reports whether the role exists.
func (r Role) Known() bool { return slices.Contains(Roles(), r) }

// Permissions returns the permissions of the role. Reading the workspace's content needs none: every member may do so.
func (r Role) Permissions() []credential.Permission {
	switch r {
	case Owner:
		return append(credential.Scopes(), credential.Reserved()...)
	case Admin:
		return without(Owner.Permissions(), credential.OwnersManage)
	case Editor:
		return without(Admin.Permissions(), credential.ChannelsConnect, credential.MembersManage, credential.KeysManage,
			credential.WorkspaceManage, credential.AuditRead, credential.WebhooksManage, credential.InboxManage)
	case Contributor:
		return append(Viewer.Permissions(), credential.PostsWrite, credential.MediaWrite, credential.IdeasWrite,
			credential.InboxRead, credential.LeadsRead)
	case Viewer:
		return []credential.Permission{
			credential.ChannelsRead, credential.AnalyticsRead, credential.LinksRead, credential.IdeasRead,
		}
	default:
		return nil
	}
}

func without(permissions []credential.Permission, removed ...credential.Permission) []credential.Permission {
	return slices.DeleteFunc(permissions, func(p credential.Permission) bool { return slices.Contains(removed, p) })
}

// Allows reports whether the role has the permission.
func (r Role) Allows(permission credential.Permission) bool {
	return slices.Contains(r.Permissions(), permission)
}

// Limitable reports whether members with the role can be limited to channels. The others manage members.
func (r Role) Limitable() bool { return r.Known() && !r.Allows(credential.MembersManage) }

// Assigns returns the permission that a person needs to give the role to a member, or to take it away.
func (r Role) Assigns() credential.Permission {
	if r == Owner {
		return credential.OwnersManage
	}
	return credential.MembersManage
}

// Member is a person's membership of a workspace.
type Member struct {
	UserID     ident.User
	Email      email.Address
	Name       string
	Role       Role
	JoinedAt   time.Time
	DisabledAt time.Time       // zero: may sign in
	Channels   []ident.Channel // nil: every channel; otherwise the posts of others do not exist for the member
}

// String returns the name and the address, as the audit log shows a person.
func (m Member) String() string { return m.Name + " <" + string(m.Email) + ">" }

// Active reports whether the member may sign in.
func (m Member) Active() bool { return m.DisabledAt.IsZero() }
