package token_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/sandbox/internal/token"
)

func open(t *testing.T, path string) *token.Tokens {
	t.Helper()
	tokens, err := token.Open(token.Config{Path: path, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return tokens
}

func TestAccess(t *testing.T) {
	t.Parallel()

	tokens := open(t, filepath.Join(t.TempDir(), "tokens.jsonl"))
	for text, want := range map[string]token.Grant{
		"sandbox-x-acme":        {Account: "acme"},
		"sandbox-x-acme.7":      {Account: "acme", Generation: 7},
		"sandbox-x-1001":        {Account: "1001"},
		"sandbox-x-a.b.c":       {Account: "a.b.c"},
		"sandbox-x-a.b.2":       {Account: "a.b", Generation: 2},
		"sandbox-x-acme-corp.0": {Account: "acme-corp"},
	} {
		grant, ok := tokens.Access("x", text, true)
		require.True(t, ok, text)
		require.Equal(t, want, grant)
	}
	for _, text := range []string{
		"", "x", "sandbox-", "sandbox-x-", "sandbox-threads-acme", "sandbox-x-a b", "sandbox-x-a/b", "Sandbox-x-a",
	} {
		_, ok := tokens.Access("x", text, true)
		require.False(t, ok, text)
	}
	require.NoError(t, tokens.Close())
}

func TestRotationRevokesAndIsRemembered(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "tokens.jsonl")
	tokens := open(t, path)
	grant, ok := token.RefreshToken("sandbox-refresh-acme.0")
	require.True(t, ok)
	next, err := tokens.Rotate("x", grant, true)
	require.NoError(t, err)
	require.Equal(t, 1, next)

	check := func() {
		_, err := tokens.Rotate("x", grant, true)
		require.ErrorIs(t, err, token.ErrInvalid)
		_, ok := tokens.Access("x", "sandbox-x-acme", true)
		require.False(t, ok)
		_, ok = tokens.Access("x", "sandbox-x-acme", false)
		require.True(t, ok)
		_, ok = tokens.Access("x", token.Mint("x", "acme", 1), true)
		require.True(t, ok)
		_, ok = tokens.Access("x", "sandbox-x-other", true)
		require.True(t, ok)
	}
	check()
	require.NoError(t, tokens.Close())
	tokens = open(t, path)
	check()
	require.NoError(t, tokens.Close())
	_, err = tokens.Rotate("x", token.Grant{Account: "acme", Generation: 1}, true)
	require.Error(t, err)
}

func TestOfManyRefreshesWithOneTokenOneSucceeds(t *testing.T) {
	t.Parallel()

	tokens := open(t, filepath.Join(t.TempDir(), "tokens.jsonl"))
	var succeeded atomic.Int32
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := tokens.Rotate("x", token.Grant{Account: "acme"}, true); err == nil {
				succeeded.Add(1)
			} else if !errors.Is(err, token.ErrInvalid) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.Equal(t, int32(1), succeeded.Load())
	require.NoError(t, tokens.Close())
}

func TestExpireUntilRefreshed(t *testing.T) {
	t.Parallel()

	tokens := open(t, filepath.Join(t.TempDir(), "tokens.jsonl"))
	grant, _ := tokens.Access("threads", "sandbox-threads-acme", false)
	tokens.Expire("threads", grant)
	_, ok := tokens.Access("threads", "sandbox-threads-acme", false)
	require.False(t, ok)
	again, ok := token.AccessToken("threads", "sandbox-threads-acme")
	require.True(t, ok)
	next, err := tokens.Rotate("threads", again, false)
	require.NoError(t, err)
	_, ok = tokens.Access("threads", token.Mint("threads", "acme", next), false)
	require.True(t, ok)
	tokens.Revive()
	_, ok = tokens.Access("threads", "sandbox-threads-acme", false)
	require.True(t, ok)
	require.NoError(t, tokens.Close())
}

func TestBot(t *testing.T) {
	t.Parallel()

	name, ok := token.Bot("123456:sandbox-demo")
	require.True(t, ok)
	require.Equal(t, "demo", name)
	for _, text := range []string{"", "1", ":sandbox-demo", "x:sandbox-demo", "1:demo", "1:sandbox-", "1:sandbox-a/b"} {
		_, ok := token.Bot(text)
		require.False(t, ok, text)
	}
	require.Equal(t, "sandbox-refresh-acme.3", token.MintRefresh("acme", 3))
}
