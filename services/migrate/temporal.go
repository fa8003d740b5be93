package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/config"
)

// retention is the retention period of the history of closed workflows in Temporal.
const retention = postflow.Retention

// errMissing reports a namespace or attributes that this client may not create, and that do not exist.
var errMissing = errors.New("is missing")

// temporal creates the namespace and the search attributes, and waits until Temporal reports them.
func temporal(ctx context.Context, cfg config.Temporal, p *bootstrap.Process, out io.Writer) error {
	c, err := bootstrap.Temporal(cfg, p)
	if err != nil {
		return err
	}
	defer c.Close()
	kept := retention
	var missing error
	err = patiently(ctx, p.Logger, "Temporal", func() (err error) {
		if kept, err = namespace(ctx, c, cfg.Namespace); err == nil {
			err = searchAttributes(ctx, c, cfg.Namespace)
		}
		if errors.Is(err, errMissing) { // waiting does not help
			missing, err = err, nil
		}
		return err
	})
	if err = errors.Join(err, missing); err != nil {
		return err
	}
	if kept < retention {
		_, _ = fmt.Fprintf(out, "Temporal namespace %q keeps the history of ended workflows for %s. Operators need %s to find "+
			"the cause of a failed post: temporal operator namespace update --namespace %s --retention %s\n",
			cfg.Namespace, kept, retention, cfg.Namespace, retention)
	}
	_, _ = fmt.Fprintf(out, "Temporal namespace %q is ready\n", cfg.Namespace)
	return nil
}

// namespace creates the namespace unless it exists, and returns how long it keeps ended workflows.
func namespace(ctx context.Context, c client.Client, name string) (time.Duration, error) {
	_, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: name, Description: "Fencepost", WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	if err == nil {
		return retention, nil
	}
	_, exists := errors.AsType[*serviceerror.NamespaceAlreadyExists](err)
	if !exists && !forbidden(err) {
		return 0, err
	}
	described, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: name})
	if _, absent := errors.AsType[*serviceerror.NamespaceNotFound](err); absent {
		return 0, fmt.Errorf("the Temporal namespace %q %w, and this client may not create it: create it where the namespaces of "+
			"this Temporal are managed, with a retention of %s", name, errMissing, retention)
	}
	return described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(), err
}

// forbidden reports that the caller may not administer this Temporal. Temporal Cloud has other tools for that.
func forbidden(err error) bool {
	_, denied := errors.AsType[*serviceerror.PermissionDenied](err)
	_, unknown := errors.AsType[*serviceerror.Unimplemented](err)
	return denied || unknown
}

// searchAttributes registers missing search attributes, and waits until the namespace reports all of them, because the
// frontend picks up new attributes with a delay.
func searchAttributes(ctx context.Context, c client.Client, name string) error {
	wanted := make(map[string]enums.IndexedValueType)
	for _, attribute := range postflow.Attributes() {
		wanted[attribute.GetName()] = attribute.GetValueType()
	}
	known, err := c.OperatorService().ListSearchAttributes(ctx,
		&operatorservice.ListSearchAttributesRequest{Namespace: name})
	if forbidden(err) {
		return usable(ctx, c, name, wanted)
	}
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
	if forbidden(err) {
		return usable(ctx, c, name, wanted)
	}
	if _, exists := errors.AsType[*serviceerror.AlreadyExists](err); err != nil && !exists {
		return err
	}
	return fmt.Errorf("%d search attributes are still being registered", len(missing))
}

// usable checks by queries that the namespace has the search attributes.
func usable(ctx context.Context, c client.Client, name string, wanted map[string]enums.IndexedValueType) error {
	var missing []string
	for attribute, kind := range wanted {
		_, err := c.WorkflowService().CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: name, Query: attribute + " IS NULL AND WorkflowType = 'none'",
		})
		if _, invalid := errors.AsType[*serviceerror.InvalidArgument](err); invalid {
			missing = append(missing, attribute+"="+kind.String())
		} else if err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("a search attribute of the Temporal namespace %q %w, and this client may not add it: add %s where the "+
		"namespaces of this Temporal are managed", name, errMissing, strings.Join(missing, ", "))
}
