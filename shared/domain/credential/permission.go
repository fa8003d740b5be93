package credential

// Permission allows one kind of action. A scope is a permission that a credential can have. The other permissions are
// reserved for people, who have them by their role in a workspace.
type Permission string

// Permissions reserved for people.
const (
	ChannelsConnect Permission = "channels:connect" // connects, disconnects, pauses and configures channels
	MembersManage   Permission = "members:manage"
	OwnersManage    Permission = "owners:manage" // makes and removes owners
	KeysManage      Permission = "keys:manage"
	WorkspaceManage Permission = "workspace:manage"
	AuditRead       Permission = "audit:read"
	PostsApprove    Permission = "posts:approve"
	PostsArchive    Permission = "posts:archive"
	LeadsRead       Permission = "leads:read"
	LeadsManage     Permission = "leads:manage"
	InboxRead       Permission = "inbox:read" // reads conversations and writes notes
	InboxReply      Permission = "inbox:reply"
	InboxManage     Permission = "inbox:manage" // erases people
)

// Reserved lists the permissions that no credential can have.
func Reserved() []Permission {
	return []Permission{
		ChannelsConnect, MembersManage, OwnersManage, KeysManage, WorkspaceManage, AuditRead, PostsApprove, PostsArchive,
		LeadsRead, LeadsManage, InboxRead, InboxReply, InboxManage,
	}
}
