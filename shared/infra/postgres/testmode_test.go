package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestTestWorkspaceIsCreatedOnceWithEveryChannelType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, ctx := postgres.NewWorkspaces(b.db), t.Context()
	_, err := store.Test(ctx, b.ws.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	created := make([]workspace.Workspace, 3)
	var callers sync.WaitGroup
	for i := range created {
		callers.Go(func() {
			var err error
			created[i], err = store.EnsureTest(ctx, b.ws.ID, b.now)
			if err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	require.Equal(t, created[0].ID, created[1].ID)
	require.Equal(t, created[0].ID, created[2].ID)
	test, err := store.Test(ctx, b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, workspace.Test, test.Mode())
	require.Equal(t, []any{b.ws.ID, b.ws.Name, b.ws.Plan}, []any{test.LiveID, test.Name, test.Plan})
	channels, err := b.channels.List(ctx, test.ID)
	require.NoError(t, err)
	var types []channel.Type
	for _, c := range channels {
		types = append(types, c.Type)
		require.True(t, c.IsTest)
		require.True(t, c.Ready())
		require.Equal(t, channel.NetworkTest, c.Network())
	}
	require.Equal(t, channel.Types(), types)
	live, err := b.channels.Get(ctx, b.ws.ID, b.ch.ID)
	require.NoError(t, err)
	require.False(t, live.IsTest)
	require.Equal(t, channel.NetworkX, live.Network())
	all, err := store.List(ctx)
	require.NoError(t, err)
	require.Len(t, all, 1, "lists of workspaces have live ones only")
	_, err = store.EnsureTest(ctx, test.ID, b.now)
	require.True(t, apperr.Is(err, apperr.NotFound), "a test workspace has none")
	_, err = store.EnsureTest(ctx, ident.New[ident.Workspace](), b.now)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

// TestNewChannelTypesReachExistingTestWorkspaces deletes a channel, as if a version had added its type.
func TestNewChannelTypesReachExistingTestWorkspaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, ctx := postgres.NewWorkspaces(b.db), t.Context()
	test, err := store.EnsureTest(ctx, b.ws.ID, b.now)
	require.NoError(t, err)
	postgrestest.Exec(t, b.address, `DELETE FROM channel WHERE is_test AND type = 'MASTODON'`)
	before, err := b.channels.List(ctx, test.ID)
	require.NoError(t, err)
	again, err := store.EnsureTest(ctx, b.ws.ID, b.now)
	require.NoError(t, err)
	require.Equal(t, test.ID, again.ID)
	after, err := b.channels.List(ctx, test.ID)
	require.NoError(t, err)
	require.Len(t, after, len(before)+1)
	require.Equal(t, before, after[:len(before)], "the others are unchanged")
}

// TestModesCannotBeMixed checks that the schema refuses live channels and keys in a test workspace, and the reverse.
func TestModesCannotBeMixed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	test, err := postgres.NewWorkspaces(b.db).EnsureTest(ctx, b.ws.ID, b.now)
	require.NoError(t, err)
	other := b.ch
	other.ID, other.ExternalID, other.WorkspaceID = ident.New[ident.Channel](), "2", test.ID
	require.Error(t, b.channels.Insert(ctx, other, b.credentials()), "a live channel in a test workspace")
	for name, c := range map[string]struct {
		kind credential.Kind
		of   ident.Workspace
		ok   bool
	}{
		"live key, live workspace": {credential.APIKey, b.ws.ID, true},
		"live key, test workspace": {credential.APIKey, test.ID, false},
		"test key, live workspace": {credential.TestKey, b.ws.ID, false},
		"test key, test workspace": {credential.TestKey, test.ID, true},
	} {
		secret := c.kind.New()
		hash, err := credential.HashKey(secret)
		require.NoError(t, err)
		keys := postgres.NewKeys(b.db)
		err = keys.Insert(ctx, credential.Key{
			ID: ident.New[ident.Credential](), WorkspaceID: c.of, Name: "K", Display: credential.Display(secret), Hash: hash,
			Scopes: credential.DefaultScopes(), CreatedAt: b.now,
		})
		require.Equal(t, c.ok, err == nil, "%s: %v", name, err)
		if c.ok {
			key, plan, found, err := keys.ByHash(ctx, hash)
			require.NoError(t, err)
			require.Equal(t, []any{b.ws.Plan, workspace.ModeOf(key.IsTest()), c.of}, []any{plan, found, key.WorkspaceID})
		}
	}
}

func TestMembersOfLiveWorkspaceAreThoseOfTestWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	store, users := postgres.NewWorkspaces(b.db), postgres.NewUsers(b.db)
	test, err := store.EnsureTest(ctx, b.ws.ID, b.now)
	require.NoError(t, err)
	person := b.member(t, "a@example.com", b.ws).ID
	require.NoError(t, store.Change(ctx, b.ws.ID, "Renamed", "Europe/Paris", time.Hour))
	found, err := users.Memberships(ctx, person)
	require.NoError(t, err)
	require.Len(t, found, 2)
	for _, m := range found {
		require.Equal(t, member.Owner, m.Role)
		require.Equal(t, []any{"Renamed", "Europe/Paris", time.Hour},
			[]any{m.Workspace.Name, m.Workspace.Timezone, m.Workspace.ReconnectHold}, "settings are those of the live workspace")
	}
	hash, err := credential.HashKey(credential.TestKey.New())
	require.NoError(t, err)
	key := credential.Key{
		ID: ident.New[ident.Credential](), WorkspaceID: test.ID, Name: "K", Display: "svc_test_0000", Hash: hash,
		Scopes: credential.DefaultScopes(), CreatedAt: b.now, CreatedBy: person,
	}
	require.NoError(t, postgres.NewKeys(b.db).Insert(ctx, key))
	_, err = users.Leave(ctx, person, b.ws.ID, b.now)
	require.NoError(t, err)
	key, _, _, err = postgres.NewKeys(b.db).ByHash(ctx, hash)
	require.NoError(t, err)
	require.Equal(t, b.now, key.RevokedAt.UTC(), "the keys of a person who leaves end in both workspaces")
	found, err = users.Memberships(ctx, person)
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestMemoryOfTestNetwork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	memory, ctx := postgres.NewTestPosts(b.db), t.Context()
	of := b.scheduled(t)
	first, err := memory.Prepare(ctx, of.ID, "refuse")
	require.NoError(t, err)
	require.Equal(t, []any{of.ID, b.ws.ID, "refuse", 0}, []any{first.PostID, first.WorkspaceID, first.Script, first.Calls})
	require.WithinDuration(t, time.Now(), first.CreatedAt, time.Minute)
	first, err = memory.Call(ctx, first.ID)
	require.NoError(t, err)
	require.Equal(t, 1, first.Calls)
	second, err := memory.Prepare(ctx, of.ID, "refuse")
	require.NoError(t, err)
	require.NotEqual(t, first.ID, second.ID)
	require.Equal(t, 1, second.Calls, "calls of every attempt with the script count")
	other, err := memory.Prepare(ctx, of.ID, "accept")
	require.NoError(t, err)
	require.Zero(t, other.Calls)
	_, err = memory.Accepted(ctx, of.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	accepted, err := memory.Accept(ctx, second.ID, 0)
	require.NoError(t, err)
	again, err := memory.Accept(ctx, second.ID, 0)
	require.NoError(t, err)
	require.Equal(t, accepted, again, "the time stays")
	found, err := memory.Accepted(ctx, of.ID)
	require.NoError(t, err)
	require.Equal(t, accepted, found)
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT kind FROM outbox WHERE kind = 'insights'`))
	_, err = memory.Accept(ctx, other.ID, time.Minute)
	require.NoError(t, err)
	require.Equal(t, []string{b.ch.ID.String()}, postgrestest.Column(t, b.address,
		`SELECT subject FROM outbox WHERE kind = 'insights' AND not_before > now() + interval '50 seconds'`))
	for _, unknown := range []string{"", "x", ident.New[ident.Post]().String()} {
		for _, call := range []func() (post.TestPost, error){
			func() (post.TestPost, error) { return memory.Post(ctx, unknown) },
			func() (post.TestPost, error) { return memory.Call(ctx, unknown) },
			func() (post.TestPost, error) { return memory.Accept(ctx, unknown, 0) },
		} {
			_, err := call()
			require.True(t, apperr.Is(err, apperr.NotFound), "%q: %v", unknown, err)
		}
	}
}
