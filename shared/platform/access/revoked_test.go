package access_test

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/infra/postgres/postgrestest"
	"socialpub.internal/shared/platform"
)

// TestARevokedTokenIsExchangedByNobodyElse checks that callers waiting for the lock do not repeat a refresh that was
// refused for good.
func TestARevokedTokenIsExchangedByNobodyElse(t *testing.T) {
	t.Parallel()
	b := setup(t, fresh)
	other := b.another(t, 5)
	var asked atomic.Int32
	together := make(chan struct{})
	b.net.during = func(context.Context) error {
		asked.Add(1)
		<-together // until all other callers wait for the lock
		return failure(platform.ClassReconnect, "TOKEN_REVOKED")
	}
	_, revision := b.stored(t)
	const many = 4
	errs := make([]error, 2*many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { _, _, errs[2*i] = b.Renew(t.Context(), b.net, b.ch, revision) })
		all.Go(func() { _, _, errs[2*i+1] = other.Renew(t.Context(), b.net, b.ch, revision) })
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{strconv.Itoa(2*many - 1)}, postgrestest.Column(t, b.address, `SELECT count(*) FROM pg_locks
			WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`))
	}, 20*time.Second, 20*time.Millisecond)
	close(together)
	all.Wait()
	for _, err := range errs {
		var refused *platform.Failure
		require.ErrorAs(t, err, &refused)
		require.Equal(t, platform.ClassReconnect, refused.Class)
		require.NotEmpty(t, refused.Message)
	}
	require.EqualValues(t, 1, asked.Load())
	require.Equal(t, channel.TokenNeedsReconnect, b.tokenStatus(t))
	_, again := b.stored(t)
	require.Equal(t, revision, again)
}
