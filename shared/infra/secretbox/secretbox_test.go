package secretbox_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/secretbox"
)

func place() secretbox.AAD {
	return secretbox.AAD{Kind: "channel", Workspace: "w1", Record: "c1", Field: "access_token"}
}

func newKey(tb testing.TB, id string, fill byte) secretbox.Key {
	tb.Helper()

	key, err := secretbox.NewKey(id, bytes.Repeat([]byte{fill}, 32))
	require.NoError(tb, err)

	return key
}

func newRing(tb testing.TB, keys ...secretbox.Key) *secretbox.Keyring {
	tb.Helper()

	ring, err := secretbox.NewKeyring(keys)
	require.NoError(tb, err)

	return ring
}

func seal(tb testing.TB, ring *secretbox.Keyring, plaintext string) []byte {
	tb.Helper()

	sealed, err := ring.Seal([]byte(plaintext), place())
	require.NoError(tb, err)

	return sealed
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()

	ring := newRing(t, newKey(t, "k1", 1))
	for name, plaintext := range map[string][]byte{
		"token": []byte("an access token"),
		"empty": {},
		"large": bytes.Repeat([]byte("x"), 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			sealed, err := ring.Seal(plaintext, place())
			require.NoError(t, err)
			require.Len(t, sealed, len(plaintext)+90+len("k1"))

			opened, err := ring.Open(sealed, place())
			require.NoError(t, err)
			require.True(t, bytes.Equal(plaintext, opened))

			if len(plaintext) > 0 {
				require.NotContains(t, string(sealed), string(plaintext))
			}

			again, err := ring.Seal(plaintext, place())
			require.NoError(t, err)
			require.NotEqual(t, sealed, again)
		})
	}
}

func TestValueIsBoundToAAD(t *testing.T) {
	t.Parallel()

	ring := newRing(t, newKey(t, "k1", 1))
	sealed := seal(t, ring, "an access token")

	for name, change := range map[string]func(*secretbox.AAD){
		"another kind":               func(a *secretbox.AAD) { a.Kind = "webhook" },
		"another workspace":          func(a *secretbox.AAD) { a.Workspace = "w2" },
		"another record":             func(a *secretbox.AAD) { a.Record = "c2" },
		"another field":              func(a *secretbox.AAD) { a.Field = "refresh_token" },
		"parts shifted left":         func(a *secretbox.AAD) { a.Workspace, a.Record = "w1c", "1" },
		"parts shifted right":        func(a *secretbox.AAD) { a.Kind, a.Workspace = "channe", "lw1" },
		"workspace and record swaps": func(a *secretbox.AAD) { a.Workspace, a.Record = a.Record, a.Workspace },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			moved := place()
			change(&moved)

			_, err := ring.Open(sealed, moved)
			require.ErrorIs(t, err, secretbox.ErrTampered)

			_, err = ring.Rewrap(sealed, moved)
			require.ErrorIs(t, err, secretbox.ErrTampered)
		})
	}
}

func TestIncompleteAAD(t *testing.T) {
	t.Parallel()

	ring := newRing(t, newKey(t, "k1", 1))
	sealed := seal(t, ring, "value")

	for name, empty := range map[string]func(*secretbox.AAD){
		"kind":      func(a *secretbox.AAD) { a.Kind = "" },
		"workspace": func(a *secretbox.AAD) { a.Workspace = "" },
		"record":    func(a *secretbox.AAD) { a.Record = "" },
		"field":     func(a *secretbox.AAD) { a.Field = "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			aad := place()
			empty(&aad)

			_, err := ring.Seal([]byte("value"), aad)
			require.ErrorIs(t, err, secretbox.ErrIncompleteAAD)
			require.ErrorContains(t, err, name)

			_, err = ring.Open(sealed, aad)
			require.ErrorIs(t, err, secretbox.ErrIncompleteAAD)

			_, err = ring.Rewrap(sealed, aad)
			require.ErrorIs(t, err, secretbox.ErrIncompleteAAD)
		})
	}
}

func TestEveryFlippedBitFails(t *testing.T) {
	t.Parallel()

	ring := newRing(t, newKey(t, "k1", 1), newKey(t, "k0", 2))
	sealed := seal(t, ring, "an access token")

	for position := range sealed {
		for bit := range 8 {
			broken := bytes.Clone(sealed)
			broken[position] ^= 1 << bit

			_, err := ring.Open(broken, place())
			require.Error(t, err, "byte %d bit %d", position, bit)

			_, err = ring.Rewrap(broken, place())
			require.Error(t, err, "byte %d bit %d", position, bit)
		}
	}
}

func TestEveryTruncationAndExtensionFails(t *testing.T) {
	t.Parallel()

	ring := newRing(t, newKey(t, "k1", 1))
	sealed := seal(t, ring, "an access token")

	for length := range sealed {
		_, err := ring.Open(sealed[:length], place())
		require.ErrorIs(t, err, secretbox.ErrTampered, "first %d bytes", length)
	}

	_, err := ring.Open(append(bytes.Clone(sealed), 0), place())
	require.ErrorIs(t, err, secretbox.ErrTampered)
}

func TestLayersOfTwoValuesCannotBeMixed(t *testing.T) {
	t.Parallel()

	ring := newRing(t, newKey(t, "k1", 1))
	first, second := seal(t, ring, "first value"), seal(t, ring, "other value")
	head := 2 + len("k1") + 60

	_, err := ring.Open(append(bytes.Clone(first[:head]), second[head:]...), place())
	require.ErrorIs(t, err, secretbox.ErrTampered)
}

func TestUnknownKeyIsNamed(t *testing.T) {
	t.Parallel()

	sealed := seal(t, newRing(t, newKey(t, "2025-a", 1)), "value")

	_, err := newRing(t, newKey(t, "2026-a", 2)).Open(sealed, place())
	require.ErrorIs(t, err, secretbox.ErrUnknownKey)
	require.ErrorContains(t, err, `"2025-a"`)
}

func TestSameIDWithOtherMaterialFails(t *testing.T) {
	t.Parallel()

	sealed := seal(t, newRing(t, newKey(t, "k1", 1)), "value")

	_, err := newRing(t, newKey(t, "k1", 2)).Open(sealed, place())
	require.ErrorIs(t, err, secretbox.ErrTampered)
}
