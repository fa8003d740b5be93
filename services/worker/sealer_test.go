package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// TestSecretIsBoundToAttachment checks that a secret can be read for its own attachment alone.
func TestSecretIsBoundToAttachment(t *testing.T) {
	t.Parallel()
	key, err := secretbox.NewKey("k1", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	s := sealer{box}
	asset := media.Asset{ID: ident.New[ident.Media](), WorkspaceID: ident.New[ident.Workspace]()}
	sealed, err := s.Seal("upload_id=secret", asset)
	require.NoError(t, err)
	require.NotContains(t, sealed, "secret")
	opened, err := s.Open(sealed, asset)
	require.NoError(t, err)
	require.Equal(t, "upload_id=secret", opened)
	for _, other := range []media.Asset{
		{ID: ident.New[ident.Media](), WorkspaceID: asset.WorkspaceID}, {ID: asset.ID, WorkspaceID: ident.New[ident.Workspace]()},
	} {
		_, err = s.Open(sealed, other)
		require.Error(t, err)
	}
	_, err = s.Open("not sealed", asset)
	require.Error(t, err)
}
