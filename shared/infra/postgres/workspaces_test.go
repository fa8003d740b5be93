package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestKeysAreVisibleOnlyToTheirWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys, other := postgres.NewKeys(b.db), b.tenant(t)
	key := func(of ident.Workspace, hash byte) credential.Key {
		k := credential.Key{
			ID: ident.New[ident.Credential](), WorkspaceID: of, Name: "CI", Display: "sk_abc", Hash: [32]byte{hash},
			Scopes: credential.DefaultScopes(), CreatedAt: b.now,
		}
		require.NoError(t, keys.Insert(t.Context(), k))
		return k
	}
	ours, theirs := key(b.ws.ID, 1), key(other.ID, 2)
	listed := func() []credential.Key {
		all, err := keys.List(t.Context(), b.ws.ID)
		require.NoError(t, err)
		return all
	}
	require.Equal(t, []credential.Key{ours}, listed())
	require.True(t, apperr.Is(keys.Revoke(t.Context(), other.ID, ours.ID, b.now), apperr.NotFound))
	require.True(t, apperr.Is(keys.Revoke(t.Context(), b.ws.ID, theirs.ID, b.now), apperr.NotFound))
	require.Equal(t, []credential.Key{ours}, listed())
	require.NoError(t, keys.Revoke(t.Context(), b.ws.ID, ours.ID, b.now))
	ours.RevokedAt = b.now
	require.Equal(t, []credential.Key{ours}, listed())
}
