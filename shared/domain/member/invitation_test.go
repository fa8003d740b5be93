package member_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestInvitations(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	created, err := member.Invite(ident.New[ident.Workspace](), " Grace@example.com ", member.Editor, ident.New[ident.User](), now)
	require.NoError(t, err)
	require.True(t, created.For("grace@EXAMPLE.com"))
	require.False(t, created.For("mallory@example.com"))
	require.True(t, created.Open(now.Add(7*24*time.Hour-time.Second)))
	require.False(t, created.Open(now.Add(7*24*time.Hour)), "it ends after 7 days")
	accepted, revoked := created, created
	accepted.AcceptedAt, revoked.RevokedAt = now, now
	require.False(t, accepted.Open(now), "it is accepted once")
	require.False(t, revoked.Open(now))
	_, err = member.Invite(created.WorkspaceID, "Grace <grace@example.com>", "ROOT", created.InvitedBy, now)
	require.Len(t, apperr.FieldsOf(err), 2)
}

func TestCheckOwnersRequiresOneOwner(t *testing.T) {
	t.Parallel()
	owner, gone := member.Member{Role: member.Owner}, member.Member{Role: member.Owner, DisabledAt: time.Now()}
	require.NoError(t, member.CheckOwners([]member.Member{{Role: member.Viewer}, owner}))
	for _, without := range [][]member.Member{nil, {gone}, {{Role: member.Admin}, {Role: member.Editor}}} {
		err := member.CheckOwners(without)
		require.True(t, apperr.Is(err, apperr.InvalidState), "%v", err)
	}
}
