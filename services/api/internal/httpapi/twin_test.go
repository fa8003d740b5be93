package httpapi_test

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// twin returns another process on the same database, with its own caches and limiter.
func (b *bundle) twin(t testing.TB, options ...func(*httpapi.Config)) *bundle {
	t.Helper()
	other := *b
	other.build(t, options...)
	other.serve(t)
	return &other
}

// count returns a row count, bypassing the stores.
func (b *bundle) count(t testing.TB, of string, args ...any) int {
	t.Helper()
	n, err := strconv.Atoi(b.column(t, `SELECT count(*) FROM `+of, args...)[0])
	require.NoError(t, err)
	return n
}

func (b *bundle) column(t testing.TB, query string, args ...any) []string {
	t.Helper()
	return postgrestest.Column(t, b.database, query, args...)
}

func (b *bundle) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	postgrestest.Exec(t, b.database, statement, args...)
}

// hold runs a statement in a transaction that stays open, with its locks, until release is called.
func (b *bundle) hold(t testing.TB, statement string, args ...any) (release func()) {
	t.Helper()
	return postgrestest.Hold(t, b.database, statement, args...)
}

// awaitLocked waits until n statements wait for a lock.
func (b *bundle) awaitLocked(t testing.TB, n int) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Len(c,
			b.column(t, `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`), n)
	}, 10*time.Second, 10*time.Millisecond)
}

// atOnce sends n requests concurrently and returns their responses.
func atOnce(n int, send func(i int) response) []response {
	responses := make([]response, n)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			<-start
			responses[i] = send(i)
		})
	}
	close(start)
	group.Wait()
	return responses
}

// later runs do in a goroutine and returns a channel with its result.
func later[T any](do func() T) <-chan T {
	out := make(chan T, 1)
	go func() { out <- do() }()
	return out
}
