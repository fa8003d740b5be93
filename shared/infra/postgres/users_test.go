package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

var (
	codeHash    = [32]byte{1}
	accessHash  = [32]byte{2}
	refreshHash = [32]byte{3}
)

// member keeps a user who belongs to the workspaces.
func (b *bundle) member(t *testing.T, email string, of ...workspace.Workspace) user.User {
	t.Helper()
	users := postgres.NewUsers(b.db)
	u, err := user.New(email, "Mara", "hash", b.now)
	require.NoError(t, err)
	inserted, err := users.Insert(t.Context(), u)
	require.NoError(t, err)
	require.True(t, inserted)
	for _, w := range of {
		require.NoError(t, users.Join(t.Context(), u.ID, w.ID, member.Owner, b.now))
	}
	return u
}

// grants keeps a grant of the user in each of the workspaces. The first one has a code and tokens.
func (b *bundle) grants(t *testing.T, u user.User, in ...workspace.Workspace) *postgres.Grants {
	t.Helper()
	client := oauth.Client{
		ID: "client", Kind: oauth.FirstParty, Name: "Planner", RedirectURIs: []string{"https://a.test/"},
		AuthMethod: oauth.AuthNone, CreatedAt: b.now,
	}
	require.NoError(t, postgres.NewClients(b.db).Insert(t.Context(), client))
	store := postgres.NewGrants(b.db, keyring(t))
	later := b.now.Add(time.Hour)
	for i, w := range in {
		g := oauth.Grant{
			ID: ident.New[ident.Grant](), ClientID: client.ID, UserID: u.ID, WorkspaceID: w.ID,
			Scopes: credential.DefaultScopes(), Resource: "https://api.test", CreatedAt: b.now,
		}
		code, access, refresh := codeHash, accessHash, refreshHash
		code[31], access[31], refresh[31] = byte(i), byte(i), byte(i)
		require.NoError(t, store.Insert(t.Context(), code,
			oauth.Code{Grant: g, RedirectURI: client.RedirectURIs[0], Challenge: "x", ExpiresAt: later}))
		require.NoError(t, store.InsertPair(t.Context(), postgres.Pair{
			Grant: g, Access: access, Scopes: g.Scopes, AccessExpires: later, Refresh: refresh, RefreshExpires: later,
		}))
	}
	return store
}

func TestMembersOfWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	users, other := postgres.NewUsers(b.db), b.tenant(t)
	both, one := b.member(t, "both@example.com", b.ws, other), b.member(t, "one@example.com", b.ws)
	for _, c := range []struct {
		of   workspace.Workspace
		want []user.User
	}{{b.ws, []user.User{both, one}}, {other, []user.User{both}}} {
		members, err := users.Members(t.Context(), c.of.ID)
		require.NoError(t, err)
		want := make([]member.Member, len(c.want))
		for i, u := range c.want {
			want[i] = member.Member{UserID: u.ID, Email: u.Email, Name: u.Name, Role: member.Owner, JoinedAt: b.now}
		}
		require.Equal(t, want, members)
		role, err := users.Role(t.Context(), one.ID, c.of.ID)
		require.NoError(t, err)
		require.Equal(t, len(c.want) == 2, role == member.Owner)
	}
}

// TestRolesLimitTokensOfGrants checks that the grants of a member shrink with the member's role, and grow again.
func TestRolesLimitTokensOfGrants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	users := postgres.NewUsers(b.db)
	u := b.member(t, "mara@example.com", b.ws)
	grants := b.grants(t, u, b.ws)
	for _, c := range []struct {
		role member.Role
		want []credential.Scope
	}{
		{member.Viewer, []credential.Scope{credential.ChannelsRead, credential.AnalyticsRead}},
		{member.Admin, credential.DefaultScopes()},
	} {
		require.NoError(t, users.SetRole(t.Context(), u.ID, b.ws.ID, c.role, b.now))
		access, _, err := grants.AccessToken(t.Context(), accessHash)
		require.NoError(t, err)
		require.Equal(t, c.want, access.Scopes)
		role, err := users.Role(t.Context(), u.ID, b.ws.ID)
		require.NoError(t, err)
		require.Equal(t, c.role, role)
	}
	err := users.SetRole(t.Context(), u.ID, b.tenant(t).ID, member.Viewer, b.now)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}

// TestLeavingRevokesGrantsOfWorkspace checks that the memberships and the grants in other workspaces remain.
func TestLeavingRevokesGrantsOfWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	users, other := postgres.NewUsers(b.db), b.tenant(t)
	u := b.member(t, "both@example.com", b.ws, other)
	grants := b.grants(t, u, b.ws, other)
	rest, err := users.Leave(t.Context(), u.ID, b.ws.ID, b.now)
	require.NoError(t, err)
	require.True(t, rest)
	remaining, err := users.Workspaces(t.Context(), u.ID)
	require.NoError(t, err)
	require.Len(t, remaining, 1)
	require.Equal(t, other.ID, remaining[0].ID)
	allowed, err := grants.Allowed(t.Context(), u.ID, b.now)
	require.NoError(t, err)
	require.Len(t, allowed, 1)
	require.Equal(t, other.ID, allowed[0].Grant.WorkspaceID)
	rest, err = users.Leave(t.Context(), u.ID, b.ws.ID, b.now)
	require.NoError(t, err)
	require.False(t, rest)
}

// TestTokensRequireMembership deletes one of two memberships behind the store, which leaves the grant as it is.
func TestTokensRequireMembership(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.tenant(t)
	u := b.member(t, "both@example.com", b.ws, other)
	grants := b.grants(t, u, b.ws)
	access, _, err := grants.AccessToken(t.Context(), accessHash)
	require.NoError(t, err)
	require.Equal(t, b.ws.ID, access.Grant.WorkspaceID)
	_, err = grants.Refresh(t.Context(), refreshHash)
	require.NoError(t, err)
	postgrestest.Exec(t, b.address, `DELETE FROM workspace_member WHERE workspace_id = $1`, b.ws.ID.String())
	_, _, err = grants.AccessToken(t.Context(), accessHash)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	_, err = grants.Refresh(t.Context(), refreshHash)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}

func TestCodeIsRedeemedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	grants := b.grants(t, b.member(t, "a@example.com", b.ws), b.ws)
	redeem := func(ctx context.Context) (used time.Time, err error) {
		code, err := grants.LockCode(ctx, codeHash, b.now)
		return code.UsedAt, err
	}
	commit := hold(t, b.db, func(ctx context.Context) error {
		used, err := redeem(ctx)
		require.Zero(t, used)
		return err
	})
	var used time.Time
	second := b.blocked(t, func() (err error) {
		used, err = redeem(t.Context())
		return err
	})
	commit()
	require.NoError(t, <-second)
	require.WithinDuration(t, b.now, used, 0)
}

func TestRefreshTokenIsLockedDuringExchange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	grants := b.grants(t, b.member(t, "a@example.com", b.ws), b.ws)
	commit := hold(t, b.db, func(ctx context.Context) error {
		r, err := grants.LockRefresh(ctx, refreshHash)
		require.Zero(t, r.UsedAt)
		if err != nil {
			return err
		}
		return grants.UseRefresh(ctx, refreshHash, r.Grant, []byte("seed"), b.now)
	})
	var read oauth.Refresh
	second := b.blocked(t, func() (err error) {
		read, err = grants.LockRefresh(t.Context(), refreshHash)
		return err
	})
	commit()
	require.NoError(t, <-second)
	require.WithinDuration(t, b.now, read.UsedAt, 0)
	require.Equal(t, []byte("seed"), read.Seed)
}
