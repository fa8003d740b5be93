package cursor_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/internal/cursor"
)

func codec(t testing.TB, secret string) *cursor.Codec {
	t.Helper()
	key, err := cursor.DeriveKey([]byte(secret))
	require.NoError(t, err)
	c, err := cursor.New(key)
	require.NoError(t, err)
	return c
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	use, after := cursor.Use{"posts", "w", "DRAFT", ""}, [16]byte{1, 2, 3, 15: 9}
	text := codec(t, "a").Encode(use, after)
	require.Len(t, text, 44)
	got, err := codec(t, "a").Decode(use, text)
	require.NoError(t, err)
	require.Equal(t, after, got)
}

func TestOtherUses(t *testing.T) {
	t.Parallel()
	c := codec(t, "a")
	text := c.Encode(cursor.Use{"posts", "w", "DRAFT", ""}, [16]byte{1})
	for _, use := range []cursor.Use{
		{"events", "w", "DRAFT", ""},
		{"posts", "v", "DRAFT", ""},
		{"posts", "w", "", ""},
		{"posts", "w", "", "DRAFT"},
		{"posts", "wDRAFT", "", ""},
		{"posts", "w", "DRAFT"},
		{},
	} {
		_, err := c.Decode(use, text)
		require.ErrorIs(t, err, cursor.ErrInvalid, use)
	}
	_, err := codec(t, "b").Decode(cursor.Use{"posts", "w", "DRAFT", ""}, text)
	require.ErrorIs(t, err, cursor.ErrInvalid, "another deployment's key")
}

func TestTampering(t *testing.T) {
	t.Parallel()
	c, use := codec(t, "a"), cursor.Use{"posts", "w"}
	text := c.Encode(use, [16]byte{1, 2, 3})
	raw, err := base64.RawURLEncoding.DecodeString(text)
	require.NoError(t, err)
	for i := range raw {
		for bit := range 8 {
			changed := bytes.Clone(raw)
			changed[i] ^= 1 << bit
			_, err := c.Decode(use, base64.RawURLEncoding.EncodeToString(changed))
			require.ErrorIs(t, err, cursor.ErrInvalid)
		}
	}
	for _, broken := range []string{"", "x", text[1:], text[:43], text + "A", text + "=", " " + text, text + "\n", text[:20] + "\n" + text[20:], "%%%"} {
		_, err := c.Decode(use, broken)
		require.ErrorIs(t, err, cursor.ErrInvalid, broken)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	_, err := cursor.New(make([]byte, 31))
	require.Error(t, err)
	a, err := cursor.DeriveKey([]byte("a"))
	require.NoError(t, err)
	b, err := cursor.DeriveKey([]byte("b"))
	require.NoError(t, err)
	require.NotEqual(t, a, b)
	require.Len(t, a, cursor.KeyLength)
}
