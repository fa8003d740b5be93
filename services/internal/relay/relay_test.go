package relay_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// slowTemporal is a Temporal client whose workflows start when the test allows it.
type slowTemporal struct {
	client.Client // nil: the relay must not need more

	begun chan string
	start chan struct{}
}

// ExecuteWorkflow starts a workflow, unless the caller's context ends first.
func (s *slowTemporal) ExecuteWorkflow(
	ctx context.Context, o client.StartWorkflowOptions, _ any, _ ...any,
) (client.WorkflowRun, error) {
	s.begun <- o.ID
	select {
	case <-s.start:
		return nil, nil //nolint:nilnil // the relay ignores the run
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestShutdownFinishesStartedCalls stops the relay during the maximum number of concurrent starts. The messages of these
// calls are done, and the others stay for another relay.
func TestShutdownFinishesStartedCalls(t *testing.T) {
	t.Parallel()
	const atATime, messages = 8, 20
	db, address := postgrestest.OpenURL(t)
	for range messages {
		id := ident.New[ident.Delivery]().String()
		postgrestest.Exec(t, address,
			`INSERT INTO outbox (kind, subject, payload) VALUES ('delivery', $1::uuid, jsonb_build_object('deliveryId', $1::text))`, id)
	}
	temporal := &slowTemporal{begun: make(chan string, messages), start: make(chan struct{})}
	r, err := relay.New(relay.Config{
		Outbox: postgres.NewOutbox(db), Events: postgres.NewEvents(db), Queues: postgres.NewDeliveries(db, nil),
		Temporal:  temporal,
		Namespace: "test", Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
		Metrics: relay.NewMetrics(prometheus.NewRegistry(), false),
	})
	require.NoError(t, err)
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run(ctx) }()
	for range atATime {
		<-temporal.begun
	}
	end()
	close(temporal.start)
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		require.Fail(t, "the relay does not end")
	}
	require.Empty(t, temporal.begun, "nothing is begun any more")
	require.Equal(t, []string{"12"}, postgrestest.Column(t, address, `SELECT count(*) FROM outbox`))
}
