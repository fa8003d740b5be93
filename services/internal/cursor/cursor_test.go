package cursor_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/cursor"
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
	use := cursor.Use{"posts", "w", "DRAFT", ""}
	for length, characters := range map[int]int{8: 34, 16: 44, 24: 55, 25: 56} {
		position := bytes.Repeat([]byte{3}, length)
		text := codec(t, "a").Encode(use, position)
		require.Len(t, text, characters)
		got := make([]byte, length)
		require.NoError(t, codec(t, "a").Decode(use, text, got))
		require.Equal(t, position, got)
		for _, other := range []int{length - 1, length + 1} {
			require.ErrorIs(t, codec(t, "a").Decode(use, text, make([]byte, other)), cursor.ErrInvalid)
		}
	}
}

func TestOtherUses(t *testing.T) {
	t.Parallel()
	c := codec(t, "a")
	position := make([]byte, 16)
	text := c.Encode(cursor.Use{"posts", "w", "DRAFT", ""}, position)
	for _, use := range []cursor.Use{
		{"events", "w", "DRAFT", ""},
		{"posts", "v", "DRAFT", ""},
		{"posts", "w", "", ""},
		{"posts", "w", "", "DRAFT"},
		{"posts", "wDRAFT", "", ""},
		{"posts", "w", "DRAFT"},
		{},
	} {
		require.ErrorIs(t, c.Decode(use, text, position), cursor.ErrInvalid, use)
	}
	err := codec(t, "b").Decode(cursor.Use{"posts", "w", "DRAFT", ""}, text, position)
	require.ErrorIs(t, err, cursor.ErrInvalid, "another deployment's key")
}

func TestTampering(t *testing.T) {
	t.Parallel()
	c, use := codec(t, "a"), cursor.Use{"posts", "w"}
	position := make([]byte, 24) // the last character has unused bits
	text := c.Encode(use, position)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	require.NoError(t, err)
	for i := range raw {
		for bit := range 8 {
			changed := bytes.Clone(raw)
			changed[i] ^= 1 << bit
			require.ErrorIs(t, c.Decode(use, base64.RawURLEncoding.EncodeToString(changed), position), cursor.ErrInvalid)
		}
	}
	for _, broken := range []string{
		"", "x", text[1:], text[:54], text[:54] + string(text[54]+1), text + "A", text + "=", " " + text, text + "\n",
		text[:20] + "\n" + text[20:], "%%%",
	} {
		require.ErrorIs(t, c.Decode(use, broken, position), cursor.ErrInvalid, broken)
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
