package temporal

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// probeName is the workflow and the task queue that the probe requests. Neither exists.
const probeName = "devstack-probe"

// probe checks that a workflow can be started, a worker can poll and the UI responds.
func (s *Server) probe(ctx context.Context) error {
	conn, err := grpc.NewClient(s.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("connect to Temporal: %w", err)
	}
	defer conn.Close()
	frontend := workflowservice.NewWorkflowServiceClient(conn)
	if err := probeHistory(ctx, frontend); err != nil {
		return err
	}
	if err := probeMatching(ctx, frontend); err != nil {
		return err
	}
	return s.probeUI(ctx)
}

// probeHistory requests a workflow that does not exist. Each service of the server picks up a new namespace at its own
// time. A service that has not done so yet fails before it looks up the workflow.
func probeHistory(ctx context.Context, frontend workflowservice.WorkflowServiceClient) error {
	_, err := frontend.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: Namespace,
		Execution: &common.WorkflowExecution{WorkflowId: probeName},
	})
	var missing *serviceerror.NotFound
	if errors.As(serviceerror.FromStatus(status.Convert(err)), &missing) {
		return nil
	}
	return fmt.Errorf("check the history service: %w", err)
}

func probeMatching(ctx context.Context, frontend workflowservice.WorkflowServiceClient) error {
	_, err := frontend.DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace:     Namespace,
		TaskQueue:     &taskqueue.TaskQueue{Name: probeName},
		TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
	})
	if err != nil {
		return fmt.Errorf("check the matching service: %w", err)
	}
	return nil
}

func (s *Server) probeUI(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.UIURL()+"/healthz", http.NoBody)
	if err != nil {
		return fmt.Errorf("check the UI: %w", err)
	}
	response, err := s.cfg.HTTPClient.Do(request)
	if err != nil {
		return fmt.Errorf("check the UI: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("check the UI: status %d", response.StatusCode)
	}
	return nil
}
