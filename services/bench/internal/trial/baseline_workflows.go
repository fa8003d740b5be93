package trial

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/sync/errgroup"

	"fencepost.internal/services/bench/internal/lab"
)

// The settings of services/worker and of the relay. The comparison requires equal values.
const (
	workflowCache       = 2000
	publishConcurrency  = 50
	deliveryConcurrency = 100
	starters            = 16 // concurrent workflow starts
)

const (
	workflowName    = "Empty"
	activityName    = "empty"
	activityTimeout = time.Minute
	queueDirect     = "ceiling.direct"
)

// queuesTimed returns one queue for each network on which posts are measured.
func queuesTimed() []string { return []string{"ceiling.timed.1", "ceiling.timed.2", "ceiling.timed.3"} }

// workflows runs workflows with one empty activity, which show what Temporal itself does on this machine.
type workflows struct {
	run      *lab.Run
	temporal client.Client

	mu    sync.Mutex
	acted time.Time // when the last activity of this round ran
	ended time.Time // when the last workflow of this round ended
	count int       // workflows that have ended
}

// startWorkflows starts workers with the settings of the service's worker.
func startWorkflows(r *lab.Run) *workflows {
	c, err := client.Dial(client.Options{
		HostPort: r.Temporal, Namespace: r.CeilingNamespace, Logger: slog.New(slog.DiscardHandler),
		ConnectionOptions: client.ConnectionOptions{GrpcCompression: &client.GrpcCompressionNone{}},
	})
	r.Check(err)
	r.Cleanup(c.Close)
	w := &workflows{run: r, temporal: c}
	worker.SetStickyWorkflowCacheSize(workflowCache)
	w.work(queueDirect, deliveryConcurrency)
	for _, queue := range queuesTimed() {
		w.work(queue, publishConcurrency)
	}
	return w
}

func (w *workflows) work(queue string, concurrency int) {
	worker := worker.New(w.temporal, queue, worker.Options{MaxConcurrentActivityExecutionSize: concurrency})
	worker.RegisterWorkflowWithOptions(w.workflow, workflow.RegisterOptions{Name: workflowName})
	worker.RegisterActivityWithOptions(w.activity, activity.RegisterOptions{Name: activityName})
	w.run.Check(worker.Start())
	w.run.Cleanup(worker.Stop)
}

// workflow waits until it is due, unless due is zero, and runs the activity.
func (w *workflows) workflow(ctx workflow.Context, due time.Time) error {
	if !due.IsZero() {
		if err := workflow.NewTimer(ctx, due.Sub(workflow.Now(ctx))).Get(ctx, nil); err != nil {
			return err
		}
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: activityTimeout})
	err := workflow.ExecuteActivity(ctx, activityName).Get(ctx, nil)
	if !workflow.IsReplaying(ctx) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended = time.Now()
		w.count++
	}
	return err
}

func (w *workflows) activity(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acted = time.Now()
	return nil
}

// startTimed starts n workflows that run their activity when they are due, as posts do.
func (w *workflows) startTimed(n int, due time.Time) { w.start(n, due, 0, queuesTimed()...) }

// startDirect starts n workflows that run their activity immediately, as deliveries do.
func (w *workflows) startDirect(n int) { w.start(n, time.Time{}, 0, queueDirect) }

// startDelayed starts n workflows whose first task runs a day later, each with a signal, as the relay does for posts of
// tomorrow.
func (w *workflows) startDelayed(n int) {
	const delay = 24 * time.Hour
	w.start(n, time.Now().Add(delay), delay, queuesTimed()...)
}

func (w *workflows) start(n int, due time.Time, delay time.Duration, queues ...string) {
	w.mu.Lock()
	w.count = 0
	w.mu.Unlock()
	group, ctx := errgroup.WithContext(w.run.Context())
	group.SetLimit(starters)
	round := strconv.FormatInt(time.Now().UnixNano(), 36)
	for i := range n {
		group.Go(func() (err error) {
			id := fmt.Sprintf("ceiling/%s/%d", round, i)
			options := client.StartWorkflowOptions{ID: id, TaskQueue: queues[i%len(queues)], StartDelay: delay}
			if delay > 0 {
				_, err = w.temporal.SignalWithStartWorkflow(ctx, id, "plan", due, options, workflowName, due)
			} else {
				_, err = w.temporal.ExecuteWorkflow(ctx, options, workflowName, due)
			}
			return err
		})
	}
	w.run.Check(group.Wait())
}

// wait waits until n workflows have ended since the last start. It returns when the last activity ran, which compares to
// a published post or a received delivery, and when the last workflow ended.
func (w *workflows) wait(n int, limit time.Duration) (acted, ended time.Time) {
	w.run.Until(limit, "the ceiling's workflows have ended", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		acted, ended = w.acted, w.ended
		return w.count >= n
	})
	return acted, ended
}
