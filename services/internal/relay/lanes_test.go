package relay_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/infra/postgres"
)

// heldOutbox counts the batches that hold a connection, as while Temporal does not respond.
type heldOutbox struct {
	*memoryOutbox

	held atomic.Int32
}

func (o *heldOutbox) Batch(
	ctx context.Context, _ postgres.Lane, _ int, _ func([]postgres.Message) ([]int64, map[int64]postgres.Retry),
) (int, error) {
	o.held.Add(1)
	<-ctx.Done()
	return 0, ctx.Err()
}

// TestOutageLeavesDatabaseConnections runs relays with pools of several sizes while no batch ends.
func TestOutageLeavesDatabaseConnections(t *testing.T) {
	t.Parallel()
	for connections, held := range map[int]int32{0: 9, 20: 9, 18: 9, 17: 8, 16: 8, 15: 4, 8: 4, 6: 4} {
		synctest.Test(t, func(t *testing.T) {
			b := setup(t)
			outbox := &heldOutbox{memoryOutbox: b.outbox}
			c := b.Config
			c.Outbox, c.Connections = outbox, connections
			var err error
			b.Relay, err = relay.New(c)
			require.NoError(t, err)
			b.runFor(t, 5*time.Second)
			require.Equal(t, held, outbox.held.Load(), "%d connections", connections)
		})
	}
}

func TestNewRequiresLargeEnoughPool(t *testing.T) {
	t.Parallel()
	c := setup(t).Config
	c.Connections = 5
	_, err := relay.New(c)
	require.ErrorContains(t, err, "DB_MAX_CONNS is 5, but this program needs at least 6")
}
