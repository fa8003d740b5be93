package relay_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/ident"
)

const namespace = "default"

// dial returns a client that connects to a Temporal server on its first call.
func dial(t *testing.T, address string) client.Client {
	t.Helper()
	c, err := client.NewLazyClient(client.Options{
		HostPort: address, Namespace: namespace, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// TestFakeMatchesTemporal makes the relay's calls to the fake and to a real server, and expects the same results.
func TestFakeMatchesTemporal(t *testing.T) {
	t.Parallel()
	address := os.Getenv("TEST_TEMPORAL_ADDRESS")
	require.NotEmpty(t, address, "TEST_TEMPORAL_ADDRESS is not set: run the tests with `make test`, which starts Temporal")
	for name, c := range map[string]client.Client{"fake": newFakeTemporal(), "server": dial(t, address)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, in := t.Context(), postflow.Input{PostID: ident.New[ident.Post]()}
			id := postflow.ID(in.PostID)
			options := client.StartWorkflowOptions{ID: id, TaskQueue: "unpolled"}
			if name == "server" {
				t.Cleanup(func() { _ = c.TerminateWorkflow(context.WithoutCancel(ctx), id, "", "the test is over") })
			}
			signal := func() error {
				return c.SignalWorkflow(ctx, id, "", string(postflow.SignalChanged), postflow.Plan{Status: post.Draft})
			}

			_, absent := errors.AsType[*serviceerror.NotFound](signal())
			require.True(t, absent, "no workflow runs under this id")
			_, err := c.ExecuteWorkflow(ctx, options, postflow.Workflow, in)
			require.NoError(t, err)
			_, err = c.ExecuteWorkflow(ctx, options, postflow.Workflow, in)
			require.NoError(t, err, "the workflow runs already")
			unless := options
			unless.WorkflowExecutionErrorWhenAlreadyStarted = true
			_, err = c.ExecuteWorkflow(ctx, unless, postflow.Workflow, in)
			_, runs := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err)
			require.True(t, runs, "%v", err)
			unless.WorkflowIDConflictPolicy = enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
			_, err = c.ExecuteWorkflow(ctx, unless, postflow.Workflow, in)
			require.NoError(t, err, "the policy comes first")
			require.NoError(t, signal())
			_, err = c.SignalWithStartWorkflow(ctx, id, string(postflow.SignalChanged), in.Plan, options, postflow.Workflow, in)
			require.NoError(t, err)

			described, err := c.WorkflowService().DescribeNamespace(ctx,
				&workflowservice.DescribeNamespaceRequest{Namespace: namespace})
			require.NoError(t, err)
			require.NotEmpty(t, described.GetNamespaceInfo().GetId())
		})
	}
}

// TestSleepingWorkflowHasNoTask checks on a real server that a workflow with a start delay has no task until then,
// although its start carries a signal, and that the next signal wakes it.
func TestSleepingWorkflowHasNoTask(t *testing.T) {
	t.Parallel()
	address := os.Getenv("TEST_TEMPORAL_ADDRESS")
	require.NotEmpty(t, address, "TEST_TEMPORAL_ADDRESS is not set: run the tests with `make test`, which starts Temporal")
	c, ctx := dial(t, address), t.Context()
	in := postflow.Input{PostID: ident.New[ident.Post]()}
	id := postflow.ID(in.PostID)
	options := client.StartWorkflowOptions{ID: id, TaskQueue: "no-poller", StartDelay: 24 * time.Hour}
	t.Cleanup(func() { _ = c.TerminateWorkflow(context.WithoutCancel(ctx), id, "", "the test is over") })
	for _, awake := range []bool{false, true} {
		_, err := c.SignalWithStartWorkflow(ctx, id, string(postflow.SignalScheduled), in.Plan, options, postflow.Workflow,
			in)
		require.NoError(t, err)
		described, err := c.DescribeWorkflowExecution(ctx, id, "")
		require.NoError(t, err)
		require.Equal(t, awake, described.GetPendingWorkflowTask() != nil)
	}
}

// TestScheduleOfRenewals checks on a real server that the relay creates the schedule, and that a later version
// replaces its times and leaves it paused if an operator paused it.
func TestScheduleOfRenewals(t *testing.T) {
	t.Parallel()
	address := os.Getenv("TEST_TEMPORAL_ADDRESS")
	require.NotEmpty(t, address, "TEST_TEMPORAL_ADDRESS is not set: run the tests with `make test`, which starts Temporal")
	c, ctx := dial(t, address), t.Context()
	schedule := c.ScheduleClient().GetHandle(ctx, flow.RenewalsScheduleID)
	t.Cleanup(func() { _ = schedule.Delete(context.WithoutCancel(ctx)) })
	every := func(c require.TestingT) (time.Duration, bool) {
		described, err := schedule.Describe(ctx)
		require.NoError(c, err)
		require.Len(c, described.Schedule.Spec.Intervals, 1)
		return described.Schedule.Spec.Intervals[0].Every, described.Schedule.State.Paused
	}
	run := func(paused bool) {
		b := setup(t)
		b.registry = prometheus.NewRegistry()
		cfg := b.config()
		cfg.Temporal, cfg.Namespace, cfg.Renewals, cfg.Sweep = c, namespace, &dueRenewals{}, time.Second
		r, err := relay.New(cfg)
		require.NoError(t, err)
		running, stop := context.WithCancel(ctx)
		var group sync.WaitGroup
		defer group.Wait()
		defer stop()
		group.Go(func() { r.Run(running) })
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			interval, is := every(c)
			require.Equal(c, flow.RenewalsInterval, interval)
			require.Equal(c, paused, is)
		}, time.Minute, 50*time.Millisecond)
	}
	run(false)
	require.NoError(t, schedule.Pause(ctx, client.SchedulePauseOptions{Note: "An operator's pause."}))
	require.NoError(t, schedule.Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			older := in.Description.Schedule
			older.Spec = &client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: 2 * flow.RenewalsInterval}}}
			return &client.ScheduleUpdate{Schedule: &older}, nil
		},
	}))
	interval, _ := every(t)
	require.Equal(t, 2*flow.RenewalsInterval, interval)
	run(true)
}

// TestConnectionRefusedIsOutage checks that the error is of a kind that the relay treats as an outage.
func TestConnectionRefusedIsOutage(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := dial(t, "127.0.0.1:1").ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "x", TaskQueue: "x"},
		postflow.Workflow)
	require.Error(t, err)
	_, unavailable := errors.AsType[*serviceerror.Unavailable](err)
	_, late := errors.AsType[*serviceerror.DeadlineExceeded](err)
	require.True(t, unavailable || late || errors.Is(err, context.DeadlineExceeded), "%v", err)
}
