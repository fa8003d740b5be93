package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/sdk/client"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
)

// workers checks that a worker polls the queue of each network with connected channels, and that of deliveries. It
// returns the queues that only workers with a version poll.
func (e *exam) workers(ctx context.Context, c client.Client) (versioned []string) {
	queues := map[string]string{flow.QueueDeliveries: "webhook deliveries"}
	order := []string{flow.QueueDeliveries}
	if e.db != nil {
		counts, err := postgres.NewChannels(e.db, nil).ConnectedByType(ctx)
		if err != nil {
			e.report(Finding{Check: checkWorkers, Code: "CHANNELS_UNREADABLE", Text: "The channels cannot be read.", Cause: causeOf(err)})
			return nil
		}
		for _, s := range counts {
			if !s.Type.Capabilities().Publish {
				continue
			}
			queue := postflow.Queue(s.Type.Network())
			if _, known := queues[queue]; !known {
				order = append(order, queue)
			}
			queues[queue] = "posts to " + string(s.Type.Network())
		}
	}
	idle := 0
	for _, queue := range order {
		described, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
		if err == nil && len(described.GetPollers()) > 0 {
			if !slices.ContainsFunc(described.GetPollers(), unversioned) {
				versioned = append(versioned, queue)
			}
			continue
		}
		idle++
		e.report(Finding{
			Check: checkWorkers, Level: Warning, Code: "WORKER_MISSING", Text: "No worker takes " + queues[queue] + ".",
			Cause:  fmt.Sprintf("No process polls the queue %q of the namespace.", queue),
			Remedy: "Start a worker in this namespace, whose WORKER_NETWORKS is empty or names the network.",
		})
	}
	if idle == 0 {
		e.ok(checkWorkers, "every queue in use has a worker")
	}
	return versioned
}

// unversioned reports whether the poller is of a worker without TEMPORAL_DEPLOYMENT_NAME.
func unversioned(p *taskqueue.PollerInfo) bool {
	return p.GetDeploymentOptions().GetWorkerVersioningMode() != enums.WORKER_VERSIONING_MODE_VERSIONED
}

// versions checks that Temporal gives the workers new posts. Without a current version, workers that have no version get
// them; versioned lists the queues without such a worker.
func (e *exam) versions(ctx context.Context, c client.Client, namespace string, versioned []string) {
	cfg, valid := load[config.WorkerDeployment](e)
	if !valid || cfg.DeploymentName == "" {
		return
	}
	d, err := New(c, namespace, cfg.DeploymentName)
	if err != nil {
		return
	}
	found, err := d.Versions(ctx)
	if err != nil && !errors.Is(err, ErrNone) {
		e.report(Finding{
			Check: checkWorkers, Code: "DEPLOYMENT_UNREADABLE", Text: "The versions of the workers cannot be read.",
			Cause: causeOf(err), Remedy: "Use Temporal 1.28 or newer, or unset TEMPORAL_DEPLOYMENT_NAME.",
		})
		return
	}
	begins := slices.ContainsFunc(found, func(v Version) bool {
		return v.Status == Current || v.Status == Ramping && v.Percent >= 100
	})
	if begins || len(versioned) == 0 {
		return
	}
	e.report(Finding{
		Check: checkWorkers, Code: "DEPLOYMENT_NOT_CURRENT", Text: "No version of the workers gets new posts.",
		Cause: fmt.Sprintf("The deployment %q has no current version, and only workers of versions poll %s.",
			cfg.DeploymentName, strings.Join(versioned, ", ")),
		Remedy: `"admin workers list" shows the versions, "admin workers current BUILD" selects one.`,
	})
}
