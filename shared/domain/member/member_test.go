package member_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
)

// TestRoles checks the table of roles: each permission with the roles that have it.
func TestRoles(t *testing.T) {
	t.Parallel()
	const owner, admin, editor, contributor, viewer = member.Owner, member.Admin, member.Editor, member.Contributor, member.Viewer
	everybody := []member.Role{owner, admin, editor, contributor, viewer}
	want := map[credential.Permission][]member.Role{
		credential.ChannelsRead: everybody, credential.AnalyticsRead: everybody, credential.LinksRead: everybody,
		credential.IdeasRead:  everybody,
		credential.PostsWrite: everybody[:4], credential.MediaWrite: everybody[:4], credential.IdeasWrite: everybody[:4],
		credential.PostsPublish: everybody[:3], credential.PostsApprove: everybody[:3], credential.PostsArchive: everybody[:3],
		credential.LinksWrite: everybody[:3], credential.LeadsManage: everybody[:3], credential.LeadsRead: everybody[:4],
		credential.WebhooksManage: everybody[:2], credential.ChannelsConnect: everybody[:2],
		credential.MembersManage: everybody[:2], credential.KeysManage: everybody[:2],
		credential.WorkspaceManage: everybody[:2], credential.AuditRead: everybody[:2],
		credential.InboxRead: everybody[:4], credential.InboxReply: everybody[:3], credential.InboxManage: everybody[:2],
		credential.OwnersManage: everybody[:1],
	}
	all := append(credential.Scopes(), credential.Reserved()...)
	require.Len(t, want, len(all))
	for _, permission := range all {
		for _, role := range member.Roles() {
			require.Equal(t, slices.Contains(want[permission], role), role.Allows(permission), "%s %s", role, permission)
		}
	}
	require.False(t, member.Role("ROOT").Known())
	require.Empty(t, member.Role("ROOT").Permissions())
	for _, permission := range credential.Reserved() {
		require.False(t, permission.Known(), "no credential can have %s", permission)
	}
	require.Equal(t, credential.OwnersManage, owner.Assigns())
	require.Equal(t, credential.MembersManage, admin.Assigns())
}
