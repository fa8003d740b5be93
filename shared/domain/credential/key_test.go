package credential_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
)

func TestKeyForm(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 200 {
		secret := credential.APIKey.New()
		require.Regexp(t, `^svc_live_[0-9A-Za-z]{38}$`, secret)
		require.False(t, seen[secret])
		seen[secret] = true
		hash, err := credential.APIKey.Hash(secret)
		require.NoError(t, err)
		require.NotContains(t, string(hash[:]), secret)
	}
}

func TestTyposAreDetected(t *testing.T) {
	t.Parallel()
	secret := credential.APIKey.New()
	for i := range secret {
		flipped := []byte(secret)
		if flipped[i]++; flipped[i] == ':' || flipped[i] == '[' || flipped[i] == '{' {
			flipped[i] = 'A'
		}
		_, err := credential.APIKey.Hash(string(flipped))
		require.ErrorIs(t, err, credential.ErrMalformed, "position %d", i)
	}
	for _, wrong := range []string{
		"", "svc_live_", secret[1:], secret + "0", "svc_oat_" + secret[9:], strings.ToUpper(secret),
	} {
		_, err := credential.APIKey.Hash(wrong)
		require.ErrorIs(t, err, credential.ErrMalformed)
	}
}

func TestDisplayShowsOnlyPrefix(t *testing.T) {
	t.Parallel()
	secret := credential.APIKey.New()
	require.Equal(t, secret[:13], credential.Display(secret))
	require.Equal(t, "ab", credential.Display("ab"))
}

func TestValidity(t *testing.T) {
	t.Parallel()
	now := time.Now()
	require.True(t, credential.Key{}.Valid(now))
	require.True(t, credential.Key{ExpiresAt: now.Add(time.Second)}.Valid(now))
	require.False(t, credential.Key{ExpiresAt: now}.Valid(now))
	require.False(t, credential.Key{RevokedAt: now}.Valid(now))
}

func TestScopes(t *testing.T) {
	t.Parallel()
	require.Len(t, credential.Scopes(), 10)
	for _, optIn := range []credential.Scope{
		credential.LinksRead, credential.LinksWrite, credential.IdeasRead, credential.IdeasWrite,
	} {
		require.NotContains(t, credential.DefaultScopes(), optIn)
		require.True(t, optIn.Known())
	}
	require.False(t, credential.Scope("posts:admin").Known())
	require.True(t, credential.Key{Scopes: credential.DefaultScopes()}.Allows(credential.PostsWrite))
	require.False(t, credential.Key{Scopes: credential.DefaultScopes()}.Allows(credential.LinksRead))
}

func FuzzHash(f *testing.F) {
	f.Add(credential.APIKey.New())
	f.Add("svc_live_")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := credential.APIKey.Hash(text); err == nil {
			require.Len(t, text, credential.APIKey.Length())
		}
	})
}
