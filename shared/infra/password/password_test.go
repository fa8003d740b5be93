package password_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/infra/password"
	"socialpub.internal/shared/kernel/apperr"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	const right = "correct horse battery"
	hash, err := password.Hash(right)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$"))
	require.NotContains(t, hash, right)
	again, err := password.Hash(right)
	require.NoError(t, err)
	require.NotEqual(t, hash, again, "each has a salt of its own")
	for typed, want := range map[string]bool{
		right: true, "": false, "x": false, right + " ": false, strings.ToUpper(right): false,
		strings.Repeat("x", 1<<20): false,
	} {
		got, err := password.Matches(typed, hash)
		require.NoError(t, err)
		require.Equal(t, want, got)
		got, err = password.Matches(typed, "")
		require.NoError(t, err)
		require.False(t, got)
	}
	_, err = password.Matches(right, "x")
	require.Error(t, err)
}

func TestLength(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "elevenchars", strings.Repeat("x", 201)} {
		_, err := password.Hash(bad)
		require.True(t, apperr.Is(err, apperr.ValidationFailed))
	}
	_, err := password.Hash("zwölf Zeiche")
	require.NoError(t, err)
}
