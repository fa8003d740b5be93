package secretbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/secretbox"
)

func FuzzOpen(f *testing.F) {
	ring := newRing(f, newKey(f, "k1", 1), newKey(f, "k0", 2))
	good := seal(f, ring, "an access token")

	f.Add(good)
	f.Add([]byte{})
	f.Add([]byte{1})
	f.Add([]byte{1, 255})
	f.Add(good[:len(good)-1])

	f.Fuzz(func(t *testing.T, sealed []byte) {
		// The seeds were sealed by this keyring, possibly in another process: only they may open.
		opened, err := ring.Open(sealed, place())
		if err == nil {
			require.Equal(t, "an access token", string(opened))
		}

		_, rewrapErr := ring.Rewrap(sealed, place())
		require.Equal(t, err == nil, rewrapErr == nil)

		_ = ring.NeedsRewrap(sealed)
		_, _ = secretbox.KeyID(sealed)
	})
}
