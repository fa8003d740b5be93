package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/config"
)

// clockTemporal names Temporal's clock.
const clockTemporal = "Temporal"

// temporal checks the server, the namespace and the workers.
func (e *exam) temporal(ctx context.Context) {
	cfg, valid := load[config.Temporal](e)
	if !valid {
		return
	}
	c, err := bootstrap.Temporal(cfg, &bootstrap.Process{Name: "admin doctor", Logger: e.Logger, Clock: e.Clock})
	if err != nil {
		e.report(Finding{
			Check: checkTemporal, Code: "TEMPORAL_TLS", Text: "The settings of Temporal's TLS are not valid.", Cause: err.Error(),
			Remedy: "Correct the TEMPORAL_TLS variable that the cause names.",
		})
		return
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	if !e.namespace(ctx, c, cfg) || !e.attributes(ctx, c, cfg.Namespace) {
		return
	}
	e.probe(ctx, c, cfg.Namespace)
	e.versions(ctx, c, cfg.Namespace, e.workers(ctx, c))
}

// namespace checks that the namespace exists and keeps ended workflows long enough.
func (e *exam) namespace(ctx context.Context, c client.Client, cfg config.Temporal) bool {
	described, err := c.WorkflowService().DescribeNamespace(ctx,
		&workflowservice.DescribeNamespaceRequest{Namespace: cfg.Namespace})
	if err != nil {
		e.report(noTemporal(cfg, err))
		return false
	}
	kept := described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration()
	if kept < postflow.Retention {
		e.report(Finding{
			Check: checkTemporal, Level: Warning, Code: "TEMPORAL_RETENTION",
			Text: fmt.Sprintf("The namespace %q keeps ended workflows for %s.", cfg.Namespace, kept),
			Cause: fmt.Sprintf("After that the cause of a failed post is not found, and a restore does not know its posts. %s are "+
				"needed.", postflow.Retention),
			Remedy: fmt.Sprintf("temporal operator namespace update --namespace %s --retention %s", cfg.Namespace,
				postflow.Retention),
		})
		return true
	}
	e.ok(checkTemporal, "namespace %s, keeps ended workflows for %s", cfg.Namespace, kept)
	return true
}

// noTemporal explains why the namespace cannot be used.
func noTemporal(cfg config.Temporal, err error) Finding {
	f := Finding{
		Check: checkTemporal, Code: "TEMPORAL_UNREACHABLE", Text: "Temporal does not respond at " + cfg.Address + ".",
		Cause:  causeOf(err),
		Remedy: "Check TEMPORAL_ADDRESS, that the server runs, and firewalls on the way.",
	}
	_, absent := errors.AsType[*serviceerror.NamespaceNotFound](err)
	_, denied := errors.AsType[*serviceerror.PermissionDenied](err)
	switch {
	case absent:
		f.Code, f.Text = "TEMPORAL_NAMESPACE", fmt.Sprintf("Temporal has no namespace %q.", cfg.Namespace)
		f.Remedy = `Correct TEMPORAL_NAMESPACE, or run "migrate up", which creates it.`
	case denied || strings.Contains(f.Cause, "Jwt"):
		f.Code, f.Text = "TEMPORAL_RIGHTS", "Temporal refuses the credentials."
		f.Remedy = "Check TEMPORAL_API_KEY or the client certificate, and their rights in the namespace."
	case strings.Contains(f.Cause, "tls:") || strings.Contains(f.Cause, "x509:") || strings.Contains(f.Cause, "server preface"):
		f.Code, f.Text = "TEMPORAL_TLS", "No encrypted connection to Temporal is possible."
		f.Remedy = "Check the TEMPORAL_TLS variables: both sides must use TLS or neither, and TEMPORAL_TLS_CA_FILE must name " +
			"the authority of the server's certificate."
	}
	return f
}

// attributes checks by queries that the namespace has the search attributes, because not every client may list them.
func (e *exam) attributes(ctx context.Context, c client.Client, namespace string) bool {
	var missing []string
	for _, attribute := range postflow.Attributes() {
		kind, sample := attribute.GetValueType(), "'none'"
		if kind == enums.INDEXED_VALUE_TYPE_DATETIME {
			sample = "'2000-01-01T00:00:00Z'"
		}
		_, err := c.WorkflowService().CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: namespace, Query: attribute.GetName() + " = " + sample,
		})
		if _, invalid := errors.AsType[*serviceerror.InvalidArgument](err); invalid {
			missing = append(missing, attribute.GetName()+"="+kind.String())
		} else if err != nil {
			e.report(Finding{
				Check: checkTemporal, Code: "TEMPORAL_VISIBILITY", Text: "Temporal does not search workflows.", Cause: causeOf(err),
				Remedy: "Check Temporal's visibility store.",
			})
			return false
		}
	}
	if len(missing) > 0 {
		e.report(Finding{
			Check: checkTemporal, Code: "TEMPORAL_ATTRIBUTES", Text: "The namespace lacks search attributes.",
			Cause:  "Missing, or of another type: " + strings.Join(missing, ", ") + ". Posts cannot be scheduled without them.",
			Remedy: `Run "migrate up", or add them where the namespaces of this Temporal are managed.`,
		})
	}
	return len(missing) == 0
}

// probe starts a workflow that no worker runs, reads its start by Temporal's clock, and deletes it.
func (e *exam) probe(ctx context.Context, c client.Client, namespace string) {
	const name, life = "doctor", 30 * time.Second
	id := name + "/" + uuid.NewString()
	err := e.timed(clockTemporal, func() (time.Time, error) {
		started, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: id, TaskQueue: name, WorkflowExecutionTimeout: life,
		}, "Doctor")
		if err != nil {
			return time.Time{}, err
		}
		described, err := c.DescribeWorkflowExecution(ctx, id, started.GetRunID())
		return described.GetWorkflowExecutionInfo().GetStartTime().AsTime(), err
	})
	if err != nil {
		e.report(Finding{
			Check: checkTemporal, Code: "TEMPORAL_WRITE", Text: "Temporal starts no workflow.", Cause: causeOf(err),
			Remedy: "Check the rights of the credentials, the limits of the namespace and Temporal's store.",
		})
		return
	}
	if err := c.TerminateWorkflow(ctx, id, "", "the check is complete"); err != nil {
		return // it ends by its timeout
	}
	// Hosted servers may refuse this; the namespace then keeps the workflow like any other.
	_, _ = c.WorkflowService().DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{
		Namespace: namespace, WorkflowExecution: &common.WorkflowExecution{WorkflowId: id},
	})
}
