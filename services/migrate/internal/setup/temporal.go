package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/infra/config"
)

// retention is the retention period of the history of closed workflows in Temporal.
const retention = 7 * 24 * time.Hour

// temporal creates the namespace and the search attributes, and waits until Temporal reports them.
func temporal(ctx context.Context, cfg config.Temporal, p *bootstrap.Process, out io.Writer) error {
	c, err := bootstrap.Temporal(cfg, p)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := patiently(ctx, p.Logger, "Temporal", func() error { return namespace(ctx, c, cfg.Namespace) }); err != nil {
		return err
	}
	if err := patiently(ctx, p.Logger, "Temporal",
		func() error { return searchAttributes(ctx, c, cfg.Namespace) }); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "Temporal namespace %q is ready\n", cfg.Namespace)
	return nil
}

func namespace(ctx context.Context, c client.Client, name string) error {
	_, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: name, Description: "Social publishing", WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	if _, exists := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); exists {
		return nil
	}
	return err
}

// searchAttributes registers missing search attributes, and waits until the namespace reports all of them, because the
// frontend picks up new attributes with a delay.
func searchAttributes(ctx context.Context, c client.Client, name string) error {
	wanted := map[string]enums.IndexedValueType{
		postflow.AttrWorkspaceID.GetName(): enums.INDEXED_VALUE_TYPE_KEYWORD,
		postflow.AttrChannelID.GetName():   enums.INDEXED_VALUE_TYPE_KEYWORD,
		postflow.AttrPlatform.GetName():    enums.INDEXED_VALUE_TYPE_KEYWORD,
		postflow.AttrPostStatus.GetName():  enums.INDEXED_VALUE_TYPE_KEYWORD,
		postflow.AttrScheduledAt.GetName(): enums.INDEXED_VALUE_TYPE_DATETIME,
	}
	known, err := c.OperatorService().ListSearchAttributes(ctx,
		&operatorservice.ListSearchAttributesRequest{Namespace: name})
	if err != nil {
		return err
	}
	missing := make(map[string]enums.IndexedValueType)
	for attribute, kind := range wanted {
		if _, there := known.GetCustomAttributes()[attribute]; !there {
			missing[attribute] = kind
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx,
		&operatorservice.AddSearchAttributesRequest{Namespace: name, SearchAttributes: missing})
	if _, exists := errors.AsType[*serviceerror.AlreadyExists](err); err != nil && !exists {
		return err
	}
	return fmt.Errorf("%d search attributes are still being registered", len(missing))
}
