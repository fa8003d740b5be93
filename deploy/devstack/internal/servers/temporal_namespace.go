package servers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// probeName is the workflow and the task queue that are requested. Neither exists.
const probeName = "devstack-probe"

// ensureNamespace registers the namespace unless it exists, and waits until a workflow can be started in it and a worker
// can poll: each service of the server picks up a new namespace at its own time.
func ensureNamespace(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 50*time.Second)
	defer cancel()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	frontend := workflowservice.NewWorkflowServiceClient(conn)
	for {
		err := useNamespace(ctx, frontend)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("namespace %s: %w", Namespace, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func useNamespace(ctx context.Context, frontend workflowservice.WorkflowServiceClient) error {
	const retention = 7 * 24 * time.Hour // of closed workflows
	_, err := frontend.RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: Namespace, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	var exists *serviceerror.NamespaceAlreadyExists
	if err != nil && !errors.As(serviceerror.FromStatus(status.Convert(err)), &exists) {
		return err
	}
	_, err = frontend.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: Namespace, Execution: &common.WorkflowExecution{WorkflowId: probeName},
	})
	var missing *serviceerror.NotFound // not NamespaceNotFound, which is another type
	if !errors.As(serviceerror.FromStatus(status.Convert(err)), &missing) {
		return fmt.Errorf("check the history service: %w", err)
	}
	_, err = frontend.DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: Namespace, TaskQueue: &taskqueue.TaskQueue{Name: probeName},
		TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
	})
	if err != nil {
		return fmt.Errorf("check the matching service: %w", err)
	}
	return nil
}
