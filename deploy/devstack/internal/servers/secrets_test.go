package servers_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/servers"
)

func TestSecretsAreCreatedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.json")
	first, err := servers.EnsureSecrets(path)
	require.NoError(t, err)
	second, err := servers.EnsureSecrets(path)
	require.NoError(t, err)
	require.Equal(t, first, second)

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	other, err := servers.EnsureSecrets(filepath.Join(t.TempDir(), "secrets.json"))
	require.NoError(t, err)
	require.NotEqual(t, first, other)
}

func TestEncryptionKeys(t *testing.T) {
	t.Parallel()
	created, err := servers.EnsureSecrets(filepath.Join(t.TempDir(), "secrets.json"))
	require.NoError(t, err)
	id, encoded, ok := strings.Cut(created.EncryptionKeys, ":")
	require.True(t, ok)
	require.NotEmpty(t, id)
	key, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	require.Len(t, key, 32)
}

func TestInvalidSecretsAreKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.json")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err := servers.EnsureSecrets(path)
	require.ErrorContains(t, err, path)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "{", string(raw))
}
