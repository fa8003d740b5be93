package main

import (
	"slices"
	"strconv"
	"strings"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	actpublishing "fencepost.internal/activities/publishing"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/testnet"
	"fencepost.internal/workflows/publishing"
)

// buildNetworks returns the connectors of all networks, those of test channels too.
func buildNetworks(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, db *postgres.DB, keyring *secretbox.Keyring,
	policy *egress.Policy,
) (*bootstrap.Networks, error) {
	testing, err := testnet.Links(testnet.Config{
		Memory: postgres.NewTestPosts(db), Clock: p.Clock, Scale: cfg.RetryScale, PostURL: app.PostURL(cfg.AppURL),
	})
	if err != nil {
		return nil, err
	}
	return bootstrap.NewNetworks(cfg.Networks, postgres.NewAppCredentials(db, keyring), p, cfg.CommitTimeout,
		connectors.Through(policy), connectors.Sealing(sealer{keyring}), connectors.Testing(testing))
}

// known returns an error unless this version publishes to every network of the list. A worker without a queue would wait
// for posts that it never gets.
func known(list []string, networks []channel.Network) error {
	names := make([]string, len(networks))
	for i, n := range networks {
		names[i] = string(n)
	}
	for _, name := range list {
		if !slices.Contains(names, name) {
			return &config.Error{Problems: []config.Problem{{
				Variable: "WORKER_NETWORKS",
				Message:  strconv.Quote(name) + " " + problem.UnknownName(name, "network of this program", names, nil),
				Example:  strings.Join(names[:min(len(names), 2)], ","),
			}}}
		}
	}
	return nil
}

func (b *parts) networkQueue(n channel.Network, concurrency int) Queue {
	b.publisher.Metrics.Expect(n, connectors.Codes(n))
	gate := actpublishing.NewGate(n, concurrency, b.publisher.Clock, b.publisher.Metrics)
	return Queue{
		Name: postflow.Queue(n), Workflows: true, Activities: true,
		Options: worker.Options{MaxConcurrentActivityExecutionSize: concurrency + actpublishing.HeldSteps},
		Register: func(w worker.Worker) {
			w.RegisterWorkflowWithOptions(publishing.Post, workflow.RegisterOptions{Name: postflow.Workflow})
			w.RegisterActivityWithOptions(gate.Admit(b.publisher.Publish), activity.RegisterOptions{Name: postflow.ActivityPublish})
			w.RegisterActivityWithOptions(gate.Admit(b.publisher.CheckProcessing),
				activity.RegisterOptions{Name: postflow.ActivityCheckProcessing})
			w.RegisterActivityWithOptions(gate.Admit(b.publisher.Reconcile), activity.RegisterOptions{Name: postflow.ActivityReconcile})
		},
	}
}
