package secrets_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/secrets"
)

func TestSecretsAreMadeOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.json")
	first, err := secrets.Ensure(path)
	require.NoError(t, err)
	second, err := secrets.Ensure(path)
	require.NoError(t, err)
	require.Equal(t, first, second)

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	other, err := secrets.Ensure(filepath.Join(t.TempDir(), "secrets.json"))
	require.NoError(t, err)
	require.NotEqual(t, first, other)
}

func TestEncryptionKeysAreOneKeyOf32Bytes(t *testing.T) {
	t.Parallel()
	made, err := secrets.Ensure(filepath.Join(t.TempDir(), "secrets.json"))
	require.NoError(t, err)
	id, encoded, ok := strings.Cut(made.EncryptionKeys, ":")
	require.True(t, ok)
	require.NotEmpty(t, id)
	key, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	require.Len(t, key, 32)
}

func TestABrokenFileIsNotReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.json")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err := secrets.Ensure(path)
	require.ErrorContains(t, err, path)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "{", string(raw))
}
