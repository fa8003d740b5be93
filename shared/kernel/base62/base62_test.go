package base62_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/base62"
)

func TestRandom(t *testing.T) {
	t.Parallel()

	require.Empty(t, base62.Random(0))
	require.Empty(t, base62.Random(-1))

	seen := map[string]bool{}
	for range 1000 {
		text := base62.Random(32)
		require.Len(t, text, 32)
		require.True(t, base62.Valid(text))
		require.False(t, seen[text])
		seen[text] = true
	}
}

func TestRandomIsUniform(t *testing.T) {
	t.Parallel()

	const perCharacter = 5000

	counts := map[rune]int{}
	for _, r := range base62.Random(62 * perCharacter) {
		counts[r]++
	}

	require.Len(t, counts, 62)
	for r, count := range counts {
		// Seven standard deviations: a modulo of the bytes by 62 would deviate by fifteen.
		require.InDelta(t, perCharacter, count, 490, "%c", r)
	}
}

func TestChecksum(t *testing.T) {
	t.Parallel()

	// CRC-32 of "123456789" is 0xCBF43926, the check value of the algorithm; 3421780262 in base 62.
	require.Equal(t, "3jZRME", base62.Checksum("123456789"))
	require.Equal(t, "000000", base62.Checksum(""))

	for _, text := range []string{"a", "svc_live_x", base62.Random(32)} {
		require.Len(t, base62.Checksum(text), base62.ChecksumLength)
		require.True(t, base62.Valid(base62.Checksum(text)))
		require.NotEqual(t, base62.Checksum(text), base62.Checksum(text+"0"))
	}
}

func TestValid(t *testing.T) {
	t.Parallel()

	require.True(t, base62.Valid(""))
	require.True(t, base62.Valid("0129AZaz"))

	for _, text := range []string{"_", "a-b", "a b", "/", ":", "@", "[", "`", "{", "é", "\x00"} {
		require.False(t, base62.Valid(text), text)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	largest := [32]byte(bytes.Repeat([]byte{0xff}, 32))
	texts := map[string]bool{}
	for _, sum := range [][32]byte{{}, {31: 1}, {0: 1}, largest} {
		text := base62.Digest(sum)
		require.Len(t, text, base62.DigestLength)
		require.True(t, base62.Valid(text))
		texts[text] = true
	}
	require.Len(t, texts, 4)
}
