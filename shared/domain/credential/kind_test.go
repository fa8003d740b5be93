package credential_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
)

func TestKindsAreDistinguished(t *testing.T) {
	t.Parallel()
	kinds := []credential.Kind{
		credential.APIKey, credential.AccessToken, credential.RefreshToken, credential.AuthorizationCode,
		credential.ClientSecret, credential.Session,
	}
	for _, kind := range kinds {
		secret := kind.New()
		require.Len(t, secret, kind.Length())
		require.True(t, strings.HasPrefix(secret, string(kind)))
		for _, other := range kinds {
			_, err := other.Hash(secret)
			require.Equal(t, other == kind, err == nil, "%s as %s", kind, other)
		}
	}
}

func TestFollowing(t *testing.T) {
	t.Parallel()
	key, secret := bytes.Repeat([]byte{1}, 32), credential.RefreshToken.New()
	next := credential.RefreshToken.Following(key, secret)
	require.Equal(t, next, credential.RefreshToken.Following(key, secret), "the same each time")
	_, err := credential.RefreshToken.Hash(next)
	require.NoError(t, err)
	for _, other := range []string{
		credential.RefreshToken.Following(bytes.Repeat([]byte{2}, 32), secret),
		credential.RefreshToken.Following(key, credential.RefreshToken.New()),
		credential.RefreshToken.Following(key, next),
		strings.Replace(credential.AccessToken.Following(key, secret), string(credential.AccessToken),
			string(credential.RefreshToken), 1),
	} {
		require.NotEqual(t, next, other)
		require.NotContains(t, other, next[len(credential.RefreshToken):len(next)-6])
	}
}
