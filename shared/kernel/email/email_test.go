package email_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/email"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]email.Address{
		"nick@example.com": "nick@example.com", " Nick@Example.com ": "Nick@Example.com", "": "", "nick": "",
		"Nick <nick@example.com>": "", "nick@example.com\x00": "",
		strings.Repeat("a", 243) + "@example.com": "", // 255 bytes
	} {
		got, ok := email.Parse(text)
		require.Equal(t, want, got, text)
		require.Equal(t, want != "", ok, text)
	}
}

func TestSameIgnoresOnlyASCIICase(t *testing.T) {
	t.Parallel()
	require.True(t, email.Address("Nick@Example.COM").Same("nick@example.com"))
	for _, other := range []email.Address{"nic\u212a@example.com", "n\u0130ck@example.com", "n\u0131ck@example.com", "nick@example.org"} {
		require.False(t, email.Address("nick@example.com").Same(other), other)
	}
	require.False(t, email.Address("É@example.com").Same("é@example.com"), "the rule of the stores")
}
