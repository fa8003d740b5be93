package credential_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
)

func TestRandom(t *testing.T) {
	t.Parallel()

	require.Empty(t, credential.RandomText(0))
	require.Empty(t, credential.RandomText(-1))

	seen := map[string]bool{}
	for range 1000 {
		text := credential.RandomText(32)
		require.Len(t, text, 32)
		require.True(t, credential.IsText(text))
		require.False(t, seen[text])
		seen[text] = true
	}
}

func TestRandomIsUniform(t *testing.T) {
	t.Parallel()

	const perCharacter = 5000

	counts := map[rune]int{}
	for _, r := range credential.RandomText(62 * perCharacter) {
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
	require.Equal(t, "3jZRME", credential.Checksum("123456789"))
	require.Equal(t, "000000", credential.Checksum(""))

	for _, text := range []string{"a", "svc_live_x", credential.RandomText(32)} {
		require.Len(t, credential.Checksum(text), credential.ChecksumLength)
		require.True(t, credential.IsText(credential.Checksum(text)))
		require.NotEqual(t, credential.Checksum(text), credential.Checksum(text+"0"))
	}
}

func TestValid(t *testing.T) {
	t.Parallel()

	require.True(t, credential.IsText(""))
	require.True(t, credential.IsText("0129AZaz"))

	for _, text := range []string{"_", "a-b", "a b", "/", ":", "@", "[", "`", "{", "é", "\x00"} {
		require.False(t, credential.IsText(text), text)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	largest := [32]byte(bytes.Repeat([]byte{0xff}, 32))
	texts := map[string]bool{}
	for _, sum := range [][32]byte{{}, {31: 1}, {0: 1}, largest} {
		text := credential.DigestText(sum)
		require.Len(t, text, credential.DigestLength)
		require.True(t, credential.IsText(text))
		texts[text] = true
	}
	require.Len(t, texts, 4)
}
