package publishing

import (
	"container/list"
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/activities/heartbeat"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// HeldSteps is the number of steps of one network that a process holds for their time, in addition to those it executes.
const HeldSteps = 1000

// clockMargin is added to the time of a held step, because the claim compares it with the clock of the database, and the
// clocks of two hosts differ by milliseconds. A claim before its time would cost the workflow another timer.
const clockMargin = 10 * time.Millisecond

// Gate admits the steps of one network: not before their time, a limited number at once, and in turns between workspaces.
// Thus a post that is due together with many of another workspace does not wait for all of them. It is safe for
// concurrent use.
type Gate struct {
	network channel.Network
	clock   clock.Clock
	metrics *Metrics

	mu     sync.Mutex
	free   int
	queues map[ident.Workspace]*list.List // waiting steps of each workspace, each the channel that admits it
	turns  *list.List                     // workspaces with waiting steps, the next one first
}

// NewGate returns a Gate for the steps of a network that admits as many at once.
func NewGate(n channel.Network, concurrency int, c clock.Clock, m *Metrics) *Gate {
	return &Gate{
		network: n, clock: c, metrics: m, free: concurrency,
		queues: make(map[ident.Workspace]*list.List), turns: list.New(),
	}
}

// Step is an activity of the publish protocol.
type Step func(ctx context.Context, step postflow.Step) (postflow.Outcome, error)

// Admit returns the activity behind the gate. If the worker stops while it holds a step, or while the step waits for a
// place, the activity fails at once, so that another worker gets the step.
func (g *Gate) Admit(run Step) Step {
	return func(ctx context.Context, step postflow.Step) (postflow.Outcome, error) {
		if err := g.hold(ctx, step.HoldUntil); err != nil {
			return postflow.Outcome{}, err
		}
		defer heartbeat.Keep(ctx)()
		if err := g.enter(ctx, step.WorkspaceID); err != nil {
			return postflow.Outcome{}, err
		}
		defer g.leave()
		defer g.metrics.step(g.network, stepRunning)()
		return run(ctx, step)
	}
}

// hold waits until the time, if any, but not longer than a step may be held: if this process's clock is behind, the claim
// decides by the clock of the database.
func (g *Gate) hold(ctx context.Context, until time.Time) error {
	remaining := min(until.Sub(g.clock.Now())+clockMargin, postflow.HoldLongest)
	if remaining <= 0 {
		return nil
	}
	defer g.metrics.step(g.network, stepHeld)()
	select {
	case <-time.After(remaining):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-stopping(ctx):
		return errStopping()
	}
}

// stopping returns a channel that is closed when the worker of the activity begins to stop.
func stopping(ctx context.Context) <-chan struct{} {
	if !activity.IsActivity(ctx) {
		return nil
	}
	return activity.GetWorkerStopChannel(ctx)
}

// errStopping returns the failure of a step that has not begun. Temporal offers the step to another worker at once;
// without it, Temporal would wait for the heartbeat timeout.
func errStopping() error {
	return temporal.NewApplicationErrorWithOptions("The worker stops.", "WorkerStops",
		temporal.ApplicationErrorOptions{NextRetryDelay: time.Millisecond})
}

// enter waits for a place.
func (g *Gate) enter(ctx context.Context, workspace ident.Workspace) error {
	g.mu.Lock()
	if g.free > 0 {
		g.free--
		g.mu.Unlock()
		return nil
	}
	admitted := make(chan struct{})
	queue := g.queues[workspace]
	if queue == nil {
		queue = list.New()
		g.queues[workspace] = queue
		g.turns.PushBack(workspace)
	}
	place := queue.PushBack(admitted)
	g.mu.Unlock()
	defer g.metrics.step(g.network, stepWaiting)()
	var why error
	select {
	case <-admitted:
		return nil
	case <-ctx.Done():
		why = context.Cause(ctx)
	case <-stopping(ctx):
		why = errStopping()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-admitted: // meanwhile; the next step gets the place
		g.release()
	default:
		queue.Remove(place)
	}
	return why
}

func (g *Gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.release()
}

// release gives a place to the next workspace's first step, and the workspace's next turn comes after all others.
func (g *Gate) release() {
	for next := g.turns.Front(); next != nil; next = g.turns.Front() {
		workspace, _ := g.turns.Remove(next).(ident.Workspace)
		queue := g.queues[workspace]
		first := queue.Front()
		if first == nil { // its steps were canceled
			delete(g.queues, workspace)
			continue
		}
		admitted, _ := queue.Remove(first).(chan struct{})
		if queue.Len() == 0 {
			delete(g.queues, workspace)
		} else {
			g.turns.PushBack(workspace)
		}
		close(admitted)
		return
	}
	g.free++
}
