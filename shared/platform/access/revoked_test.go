package access_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// TestRevokedTokenIsExchangedOnce checks that callers waiting for the lease do not repeat a refresh that was
// refused for good.
func TestRevokedTokenIsExchangedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, fresh)
	other := b.another(t, 5)
	var requested, waiting atomic.Int32
	together := make(chan struct{})
	b.net.during = func(context.Context) error {
		requested.Add(1)
		<-together // until all other callers wait for the lease
		return failure(platform.ClassReconnect, "TOKEN_REVOKED")
	}
	_, revision := b.stored(t)
	const many = 4
	errs := make([]error, 2*many)
	var all sync.WaitGroup
	for i := range many {
		for j, p := range []process{b.process, other} {
			all.Go(func() {
				waiting.Add(1)
				_, _, errs[2*i+j] = p.Renew(t.Context(), b.net, b.ch, revision)
			})
		}
	}
	require.Eventually(t, func() bool { return requested.Load() == 1 && waiting.Load() == 2*many }, 20*time.Second,
		time.Millisecond)
	<-time.After(100 * time.Millisecond) // the others have found the lease taken, and poll
	close(together)
	all.Wait()
	for _, err := range errs {
		var refused *platform.Failure
		require.ErrorAs(t, err, &refused)
		require.Equal(t, platform.ClassReconnect, refused.Class)
		require.NotEmpty(t, refused.Message)
	}
	require.EqualValues(t, 1, requested.Load())
	require.Equal(t, channel.TokenNeedsReconnect, b.tokenStatus(t))
	_, again := b.stored(t)
	require.Equal(t, revision, again)
}
