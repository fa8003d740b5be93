package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
)

const (
	// stopTimeout is the maximum time that activities continue on shutdown.
	stopTimeout = 12 * time.Second
	// workflowCache is the maximum number of workflows kept in memory between their tasks. Other workflows are replayed
	// from their history.
	workflowCache = 2000
	// askTimeout is the time limit of a question to Temporal whether the queues are polled. A probe may give up earlier;
	// the next one gets the response.
	askTimeout = 10 * time.Second
	// readyLife is the time for which such a response is used.
	readyLife = 10 * time.Second
)

// restarts are the pauses before the workers are started again.
var restarts = retry.Pauses{First: 500 * time.Millisecond, Longest: 5 * time.Second}

// Queue is one task queue and its registrations.
type Queue struct {
	Name       string
	Workflows  bool // polls for workflow tasks
	Activities bool // polls for activity tasks
	Options    worker.Options
	Register   func(worker.Worker)
}

// Fleet keeps workers running. It restarts them if Temporal is unavailable, not yet started, or has lost its store.
type Fleet struct {
	client    client.Client
	queues    []Queue
	identity  string
	version   worker.WorkerDeploymentVersion
	log       *slog.Logger
	clock     clock.Clock
	once      sync.Once
	requested singleflight.Group
	mu        sync.Mutex
	ready     time.Time // when Temporal last reported every queue as polled; zero: never
}

// New returns a Fleet. The identity is the identity of this process's pollers in Temporal. A version with a deployment
// pins the workflows that begin on this process to the version.
func New(
	c client.Client, identity string, log *slog.Logger, clk clock.Clock, version worker.WorkerDeploymentVersion, queues ...Queue,
) (*Fleet, error) {
	if c == nil || log == nil || clk == nil || identity == "" || len(queues) == 0 {
		return nil, errors.New("fleet: client, identity, logger, clock and queues are required")
	}
	return &Fleet{client: c, queues: queues, identity: identity, version: version, log: log, clock: clk}, nil
}

// Run keeps the workers running until the context ends, and then waits for their activities to finish.
func (f *Fleet) Run(ctx context.Context) {
	f.once.Do(func() { worker.SetStickyWorkflowCacheSize(workflowCache) })
	for pauses := restarts.Start(); ctx.Err() == nil; {
		started, err := f.serve(ctx)
		if started {
			pauses.Reset()
		}
		if ctx.Err() != nil {
			return
		}
		pause := pauses.NextBackOff()
		f.log.WarnContext(ctx, "the workers ended; restarting", slog.Duration("pause", pause), slog.Any("error", err))
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// serve runs one set of workers until the context ends or one of them fails.
func (f *Fleet) serve(ctx context.Context) (started bool, err error) {
	fatal := make(chan error, len(f.queues))
	var running []worker.Worker
	defer func() { stopAll(running) }()
	for _, q := range f.queues {
		options := q.Options
		options.Identity = f.identity
		options.DisableWorkflowWorker = !q.Workflows
		options.LocalActivityWorkerOnly = !q.Activities
		options.WorkerStopTimeout = stopTimeout
		if f.version.DeploymentName != "" {
			options.DeploymentOptions = worker.DeploymentOptions{
				UseVersioning: true, Version: f.version, DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
			}
		}
		options.OnFatalError = func(err error) { fatal <- fmt.Errorf("queue %s: %w", q.Name, err) }
		w := worker.New(f.client, q.Name, options)
		q.Register(w)
		if err := w.Start(); err != nil {
			return false, fmt.Errorf("queue %s: %w", q.Name, err)
		}
		running = append(running, w)
	}
	f.log.InfoContext(ctx, "workers are polling", slog.Int("queues", len(running)))
	select {
	case <-ctx.Done():
		return true, nil
	case err := <-fatal:
		return true, err
	}
}

func stopAll(workers []worker.Worker) {
	var wait sync.WaitGroup
	for _, w := range workers {
		wait.Go(w.Stop)
	}
	wait.Wait()
}

// Ready returns an error unless Temporal reports that this process polls each of its queues. Probes share a question,
// which goes on if the probe that asked gives up: a distant Temporal may need longer than a probe waits.
func (f *Fleet) Ready(ctx context.Context) error {
	f.mu.Lock()
	fresh := f.clock.Now().Before(f.ready.Add(readyLife))
	f.mu.Unlock()
	if fresh {
		return nil
	}
	response := f.requested.DoChan("", func() (any, error) { return nil, f.ask(context.WithoutCancel(ctx)) })
	select {
	case got := <-response:
		return got.Err
	case <-ctx.Done():
		return fmt.Errorf("the Temporal server has not confirmed yet that this process polls its queues: %w", context.Cause(ctx))
	}
}

// ask asks Temporal about all queues at once.
func (f *Fleet) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	questions, ctx := errgroup.WithContext(ctx)
	for _, q := range f.queues {
		if q.Workflows {
			questions.Go(func() error { return f.polled(ctx, q.Name, enums.TASK_QUEUE_TYPE_WORKFLOW) })
		}
		if q.Activities {
			questions.Go(func() error { return f.polled(ctx, q.Name, enums.TASK_QUEUE_TYPE_ACTIVITY) })
		}
	}
	if err := questions.Wait(); err != nil {
		return err //nolint:wrapcheck // by polled
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready = f.clock.Now()
	return nil
}

func (f *Fleet) polled(ctx context.Context, queue string, kind enums.TaskQueueType) error {
	response, err := f.client.DescribeTaskQueue(ctx, queue, kind)
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return fmt.Errorf("queue %s has no pollers", queue)
	}
	if err != nil {
		return fmt.Errorf("describe queue %s: %w", queue, err)
	}
	for _, p := range response.GetPollers() {
		if p.GetIdentity() == f.identity {
			return nil
		}
	}
	return fmt.Errorf("queue %s is not polled by this process", queue)
}
