package main

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"fencepost.internal/shared/kernel/clock"
)

// distant is a Temporal that responds after a while. It reports every queue as polled by the worker.
type distant struct {
	client.Client // nil: Ready must not need more

	latency time.Duration
}

func (d distant) DescribeTaskQueue(
	ctx context.Context, _ string, _ enums.TaskQueueType,
) (*workflowservice.DescribeTaskQueueResponse, error) {
	select {
	case <-time.After(d.latency):
		return &workflowservice.DescribeTaskQueueResponse{Pollers: []*taskqueue.PollerInfo{{Identity: "worker"}}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestWorkerIsReadyWithHighLatency asks about eighteen queues, with tasks of both kinds, within the time of a probe. If
// one response needs longer than that, a later probe finds it.
func TestWorkerIsReadyWithHighLatency(t *testing.T) {
	t.Parallel()
	const probe = 2 * time.Second
	for name, c := range map[string]struct {
		latency time.Duration
		probes  int // until the worker is ready
	}{
		"another region": {150 * time.Millisecond, 1}, "a slow one": {3 * time.Second, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var queues []Queue
				for i := range 18 {
					queues = append(queues, Queue{Name: strconv.Itoa(i), Workflows: true, Activities: true})
				}
				f, err := New(distant{latency: c.latency}, "worker", slog.New(slog.DiscardHandler), clock.System(),
					worker.WorkerDeploymentVersion{}, queues...)
				require.NoError(t, err)
				for n := 1; ; n++ {
					ctx, cancel := context.WithTimeout(t.Context(), probe)
					err := f.Ready(ctx)
					cancel()
					if err == nil {
						require.Equal(t, c.probes, n)
						break
					}
					require.ErrorContains(t, err, "has not confirmed yet")
					require.Less(t, n, c.probes)
				}
			})
		})
	}
}
