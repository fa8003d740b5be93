package secretbox_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/secretbox"
)

func TestRotation(t *testing.T) {
	t.Parallel()

	older, newer := newKey(t, "2025", 1), newKey(t, "2026-spring", 2)
	before, during, after := newRing(t, older), newRing(t, newer, older), newRing(t, newer)
	require.Equal(t, "2026-spring", during.ActiveKeyID())

	sealed := seal(t, before, "an access token")
	require.False(t, before.NeedsRewrap(sealed))
	require.True(t, during.NeedsRewrap(sealed))

	opened, err := during.Open(sealed, place())
	require.NoError(t, err)
	require.Equal(t, "an access token", string(opened))

	rewrapped, err := during.Rewrap(sealed, place())
	require.NoError(t, err)
	require.False(t, during.NeedsRewrap(rewrapped))

	id, err := secretbox.KeyID(rewrapped)
	require.NoError(t, err)
	require.Equal(t, "2026-spring", id)

	opened, err = after.Open(rewrapped, place())
	require.NoError(t, err)
	require.Equal(t, "an access token", string(opened))

	_, err = after.Open(sealed, place())
	require.ErrorIs(t, err, secretbox.ErrUnknownKey)
	_, err = after.Rewrap(sealed, place())
	require.ErrorIs(t, err, secretbox.ErrUnknownKey)

	twice, err := during.Rewrap(rewrapped, place())
	require.NoError(t, err, "a job that resumes may meet a value twice")
	require.False(t, during.NeedsRewrap(twice))
}

func TestNewSealUsesFirstKey(t *testing.T) {
	t.Parallel()

	during := newRing(t, newKey(t, "new", 2), newKey(t, "old", 1))

	id, err := secretbox.KeyID(seal(t, during, "value"))
	require.NoError(t, err)
	require.Equal(t, "new", id)
}

func TestNeedsRewrapOfUnsealedValue(t *testing.T) {
	t.Parallel()

	ring := newRing(t, newKey(t, "k1", 1))
	require.True(t, ring.NeedsRewrap(nil))
	require.True(t, ring.NeedsRewrap([]byte(strings.Repeat("x", 200))))

	_, err := secretbox.KeyID([]byte("x"))
	require.ErrorIs(t, err, secretbox.ErrTampered)
}
