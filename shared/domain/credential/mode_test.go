package credential_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
)

// TestKeysOfBothModesAreHashed checks that the prefix of a key decides its mode.
func TestKeysOfBothModesAreHashed(t *testing.T) {
	t.Parallel()
	for test, prefix := range map[bool]string{false: "svc_live_", true: "svc_test_"} {
		kind := credential.KeyKind(test)
		require.Equal(t, prefix, string(kind))
		secret := kind.New()
		hash, err := kind.Hash(secret)
		require.NoError(t, err)
		got, err := credential.HashKey(secret)
		require.NoError(t, err)
		require.Equal(t, hash, got)
		require.Equal(t, test, credential.Key{Display: credential.Display(secret)}.IsTest())
	}
	_, err := credential.HashKey("svc_other_x")
	require.ErrorIs(t, err, credential.ErrMalformed)
	require.Contains(t, credential.Reserved(), credential.PostsApprove)
}
