package password_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/password"
	"fencepost.internal/shared/kernel/apperr"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	const right = "correct horse battery"
	hash, err := password.Hash(t.Context(), right)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$"))
	require.NotContains(t, hash, right)
	again, err := password.Hash(t.Context(), right)
	require.NoError(t, err)
	require.NotEqual(t, hash, again, "each has a salt of its own")
	for typed, want := range map[string]bool{
		right: true, "": false, "x": false, right + " ": false, strings.ToUpper(right): false,
		strings.Repeat("x", 1<<20): false,
	} {
		got, err := password.Matches(t.Context(), typed, hash)
		require.NoError(t, err)
		require.Equal(t, want, got)
		got, err = password.Matches(t.Context(), typed, "")
		require.NoError(t, err)
		require.False(t, got)
	}
	_, err = password.Matches(t.Context(), right, "x")
	require.Error(t, err)
}

func TestLength(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "elevenchars", strings.Repeat("x", 201)} {
		_, err := password.Hash(t.Context(), bad)
		require.True(t, apperr.Is(err, apperr.ValidationFailed))
	}
	_, err := password.Hash(t.Context(), "zwölf Zeiche")
	require.NoError(t, err)
}

// TestComputationsAreLimited checks that a computation waits for a place, and no longer than its caller. It is not parallel,
// because it occupies every place of the process.
func TestComputationsAreLimited(t *testing.T) { //nolint:paralleltest // as above
	hash, err := password.Hash(t.Context(), "correct horse battery")
	require.NoError(t, err)
	release := password.Occupy()
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error)
	go func() {
		_, err := password.Hash(ctx, "correct horse battery")
		results <- err
	}()
	go func() {
		_, err := password.Matches(ctx, "correct horse battery", hash)
		results <- err
	}()
	select {
	case err := <-results:
		require.Fail(t, "a computation did not wait", "%v", err)
	case <-time.After(100 * time.Millisecond):
	}
	_, err = password.Hash(ctx, "short")
	require.True(t, apperr.Is(err, apperr.ValidationFailed), "a password that is refused needs no place")
	cancel()
	for range 2 {
		require.ErrorIs(t, <-results, context.Canceled)
	}
	release()
	matches, err := password.Matches(t.Context(), "correct horse battery", hash)
	require.NoError(t, err)
	require.True(t, matches)
	_, err = password.Hash(ctx, "correct horse battery")
	require.ErrorIs(t, err, context.Canceled)
}
