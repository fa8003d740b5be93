package temporalserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	namespaceRetry = 50 * time.Millisecond
	// namespaceTimeout bounds the wait for the frontend to accept the default namespace.
	namespaceTimeout = 20 * time.Second
)

// ensureNamespace registers the namespace unless it exists. It retries until namespaceTimeout, because the frontend may
// not be ready directly after its start.
func ensureNamespace(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithTimeout(ctx, namespaceTimeout)
	defer cancel()
	conn, err := grpc.NewClient(cfg.address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("namespace %s: %w", cfg.Namespace, err)
	}
	defer conn.Close()
	frontend := workflowservice.NewWorkflowServiceClient(conn)
	request := &workflowservice.RegisterNamespaceRequest{
		Namespace:                        cfg.Namespace,
		WorkflowExecutionRetentionPeriod: durationpb.New(cfg.Retention),
	}
	for {
		_, err := frontend.RegisterNamespace(ctx, request)
		var exists *serviceerror.NamespaceAlreadyExists
		if err == nil || errors.As(serviceerror.FromStatus(status.Convert(err)), &exists) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("namespace %s: %w", cfg.Namespace, err)
		case <-time.After(namespaceRetry):
		}
	}
}
