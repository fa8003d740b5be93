package harness

import (
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

// StrangeWorkflow starts a workflow of a post whose first task is done by a worker with other code, as by one of an
// incompatible version. No worker of the network may run meanwhile. wake gives the workflow its next task, which no worker of
// the service can do; end ends the workflow.
func (s *System) StrangeWorkflow(id string, network channel.Network) (wake, end func()) {
	s.t.Helper()
	temporal := s.temporal()
	defer temporal.Close()
	strange := worker.New(temporal, postflow.Queue(network), worker.Options{})
	strange.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ postflow.Input) error {
		return workflow.Sleep(ctx, time.Hour)
	}, workflow.RegisterOptions{Name: postflow.Workflow})
	require.NoError(s.t, strange.Start())
	_, err := temporal.ExecuteWorkflow(s.t.Context(), client.StartWorkflowOptions{
		ID: id, TaskQueue: postflow.Queue(network),
	}, postflow.Workflow, postflow.Input{Network: network, Plan: postflow.Plan{Status: post.PendingApproval}})
	require.NoError(s.t, err)
	require.Eventually(s.t, func() bool {
		events := temporal.GetWorkflowHistory(s.t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			if event, err := events.Next(); err == nil && event.GetEventType() == enums.EVENT_TYPE_TIMER_STARTED {
				return true
			}
		}
		return false
	}, 20*time.Second, 100*time.Millisecond)
	strange.Stop()
	with := func(do func(c client.Client) error) func() {
		return func() {
			again := s.temporal()
			defer again.Close()
			require.NoError(s.t, do(again))
		}
	}
	wake = with(func(c client.Client) error { return c.SignalWorkflow(s.t.Context(), id, "", "wake", nil) })
	end = with(func(c client.Client) error { return c.TerminateWorkflow(s.t.Context(), id, "", "the test ends it") })
	return wake, end
}

// Terminate ends the workflow of a post, as an operator does by mistake.
func (s *System) Terminate(postID string) {
	s.t.Helper()
	temporal := s.temporal()
	defer temporal.Close()
	require.NoError(s.t, temporal.TerminateWorkflow(s.t.Context(), "post/"+postID, "", "the test ends it"))
}
