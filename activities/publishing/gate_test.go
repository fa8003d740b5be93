package publishing_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// gateOf returns a gate with one place.
func gateOf(m *publishing.Metrics) *publishing.Gate {
	return publishing.NewGate(channel.NetworkX, 1, clock.System(), m)
}

// entries records which steps a gate admitted, and when.
type entries struct {
	mu    sync.Mutex
	begun time.Time
	lines []string
}

// step returns a step that takes a second and is recorded under its name.
func (e *entries) step(name string) publishing.Step {
	return func(ctx context.Context, _ postflow.Step) (postflow.Outcome, error) {
		e.mu.Lock()
		e.lines = append(e.lines, fmt.Sprintf("%s %s", name, time.Since(e.begun)))
		e.mu.Unlock()
		select {
		case <-time.After(time.Second):
			return postflow.Outcome{Next: postflow.NextDone}, nil
		case <-ctx.Done():
			return postflow.Outcome{}, ctx.Err()
		}
	}
}

// names returns the recorded names in order.
func (e *entries) names() string {
	var names []string
	for _, line := range e.lines {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	return strings.Join(names, "")
}

func TestWorkspacesTakeTurnsAtGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &entries{begun: time.Now()}
		gate := gateOf(publishing.NewMetrics(prometheus.NewRegistry()))
		many, few := ident.New[ident.Workspace](), ident.New[ident.Workspace]()
		var running sync.WaitGroup
		enter := func(name string, workspace ident.Workspace) {
			running.Go(func() {
				_, err := gate.Admit(e.step(name))(t.Context(), postflow.Step{WorkspaceID: workspace})
				require.NoError(t, err)
			})
			synctest.Wait() // one after the other
		}
		for range 6 {
			enter("A", many)
		}
		enter("B", few)
		enter("B", few)
		running.Wait()
		require.Equal(t, "AABABAAA", e.names(), "the first one entered before the others came")
		require.Equal(t, 8*time.Second, time.Since(e.begun))
	})
}

func TestGateHoldsStepUntilItsTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		until  time.Duration // zero: none
		starts time.Duration
	}{
		"held":                           {5 * time.Second, 5*time.Second + 10*time.Millisecond},
		"its time has passed":            {-time.Minute, 0},
		"no time":                        {0, 0},
		"this process's clock is behind": {time.Hour, postflow.HoldLongest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &entries{begun: time.Now()}
				step := postflow.Step{}
				if c.until != 0 {
					step.HoldUntil = e.begun.Add(c.until)
				}
				_, err := gateOf(publishing.NewMetrics(prometheus.NewRegistry())).Admit(e.step("A"))(t.Context(), step)
				require.NoError(t, err)
				require.Equal(t, []string{"A " + c.starts.String()}, e.lines)
			})
		})
	}
}

func TestHeldStepsTakeNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &entries{begun: time.Now()}
		gate := gateOf(publishing.NewMetrics(prometheus.NewRegistry()))
		var running sync.WaitGroup
		running.Go(func() {
			_, err := gate.Admit(e.step("held"))(t.Context(), postflow.Step{HoldUntil: e.begun.Add(5 * time.Second)})
			require.NoError(t, err)
		})
		synctest.Wait()
		_, err := gate.Admit(e.step("now"))(t.Context(), postflow.Step{})
		require.NoError(t, err)
		running.Wait()
		require.Equal(t, []string{"now 0s", "held 5.01s"}, e.lines)
	})
}

func TestCanceledStepLeavesGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &entries{begun: time.Now()}
		gate := gateOf(publishing.NewMetrics(prometheus.NewRegistry()))
		a, b := ident.New[ident.Workspace](), ident.New[ident.Workspace]()
		first, leave := context.WithCancel(t.Context())
		gone, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		enter := func(ctx context.Context, name string, workspace ident.Workspace, fails bool) {
			running.Go(func() {
				_, err := gate.Admit(e.step(name))(ctx, postflow.Step{WorkspaceID: workspace})
				require.Equal(t, fails, err != nil)
			})
			synctest.Wait()
		}
		enter(first, "A", a, true)
		enter(gone, "B", b, true)
		enter(t.Context(), "C", a, false)
		cancel() // the only step of its workspace
		synctest.Wait()
		leave() // the next one enters at once
		running.Wait()
		enter(t.Context(), "D", b, false)
		running.Wait()
		require.Equal(t, []string{"A 0s", "C 0s", "D 1s"}, e.lines)
	})
}

// TestDueStepIsNotHeld checks that a step whose time has come runs, although its activity is canceled already.
func TestDueStepIsNotHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := gateOf(publishing.NewMetrics(prometheus.NewRegistry()))
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		for _, until := range []time.Time{{}, time.Now().Add(-time.Minute), time.Now().Add(-10 * time.Millisecond)} {
			for range 50 { // a select between two events takes either
				runs := false
				_, err := gate.Admit(func(context.Context, postflow.Step) (postflow.Outcome, error) {
					runs = true
					return postflow.Outcome{}, nil
				})(canceled, postflow.Step{HoldUntil: until})
				require.NoError(t, err)
				require.True(t, runs)
			}
		}
	})
}

func TestCanceledStepIsNotHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &entries{begun: time.Now()}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errFault) })
		step := gateOf(publishing.NewMetrics(prometheus.NewRegistry())).Admit(e.step("A"))
		_, err := step(ctx, postflow.Step{HoldUntil: e.begun.Add(5 * time.Second)})
		require.ErrorIs(t, err, errFault)
		require.Equal(t, time.Second, time.Since(e.begun))
		require.Empty(t, e.lines)
	})
}

// TestStepCanceledAtAdmissionReleasesPlace checks that no place is lost: a gate that loses them admits
// nothing in the end.
func TestStepCanceledAtAdmissionReleasesPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &entries{begun: time.Now()}
		gate := publishing.NewGate(channel.NetworkX, 0, clock.System(), publishing.NewMetrics(prometheus.NewRegistry()))
		canceled, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			_, err := gate.Admit(e.step("A"))(canceled, postflow.Step{})
			require.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		gate.AdmitCanceled(cancel)
		running.Wait()
		_, err := gate.Admit(e.step("B"))(t.Context(), postflow.Step{})
		require.NoError(t, err)
		require.Equal(t, []string{"B 0s"}, e.lines)
	})
}

// TestWorkspaceWaitsAgainAtGate checks that a workspace gets turns again after its last waiting step was admitted or
// canceled.
func TestWorkspaceWaitsAgainAtGate(t *testing.T) {
	t.Parallel()
	for name, cancels := range map[string]bool{"admitted": false, "canceled": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &entries{begun: time.Now()}
				gate := gateOf(publishing.NewMetrics(prometheus.NewRegistry()))
				first, other := ident.New[ident.Workspace](), ident.New[ident.Workspace]()
				var running sync.WaitGroup
				enter := func(ctx context.Context, name string, workspace ident.Workspace) {
					running.Go(func() { _, _ = gate.Admit(e.step(name))(ctx, postflow.Step{WorkspaceID: workspace}) })
					synctest.Wait()
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				enter(t.Context(), "A", first)
				enter(ctx, "B", other)
				if cancels {
					cancel()
				}
				running.Wait()
				enter(t.Context(), "C", first)
				enter(t.Context(), "D", other)
				running.Wait()
				require.Equal(t, map[bool]string{false: "ABCD", true: "ACD"}[cancels], e.names())
			})
		})
	}
}

func TestHeldStepMovesToAnotherWorkerOnShutdown(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	close(stopping)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerStopChannel(stopping)
	env.SetWorkerOptions(worker.Options{})
	step := gateOf(publishing.NewMetrics(prometheus.NewRegistry())).Admit((&entries{}).step("A"))
	env.RegisterActivity(step)
	_, err := env.ExecuteActivity(step, postflow.Step{HoldUntil: time.Now().Add(postflow.HoldLongest)})
	var failure *temporal.ApplicationError
	require.ErrorAs(t, err, &failure)
	require.False(t, failure.NonRetryable())
	require.Equal(t, time.Millisecond, failure.NextRetryDelay())
}

func TestWaitingStepMovesToAnotherWorkerOnShutdown(t *testing.T) {
	t.Parallel()
	stopping, running, finish := make(chan struct{}), make(chan struct{}), make(chan struct{})
	gate := gateOf(publishing.NewMetrics(prometheus.NewRegistry()))
	step := gate.Admit(func(context.Context, postflow.Step) (postflow.Outcome, error) {
		close(running)
		<-finish
		return postflow.Outcome{}, nil
	})
	execute := func() error {
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		env.SetWorkerStopChannel(stopping)
		env.RegisterActivity(step)
		_, err := env.ExecuteActivity(step, postflow.Step{})
		return err
	}
	finished := make(chan error, 1)
	go func() { finished <- execute() }()
	<-running
	close(stopping)
	var failure *temporal.ApplicationError
	require.ErrorAs(t, execute(), &failure)
	require.Equal(t, time.Millisecond, failure.NextRetryDelay())
	close(finish)
	require.NoError(t, <-finished, "a step that runs is finished")
}

func TestStepsAreCountedByState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		gate := gateOf(publishing.NewMetrics(registry))
		counts := func(held, running, waiting int) {
			t.Helper()
			synctest.Wait()
			require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(fmt.Sprintf(
				`# HELP publish_steps Steps of posts in this process: held for their time, waiting for a place, running.
# TYPE publish_steps gauge
publish_steps{network="x",state="held"} %d
publish_steps{network="x",state="running"} %d
publish_steps{network="x",state="waiting"} %d
`, held, running, waiting)), "publish_steps"))
		}
		var all sync.WaitGroup
		until := time.Now().Add(2 * time.Second)
		for range 3 {
			all.Go(func() {
				_, err := gate.Admit((&entries{}).step("A"))(t.Context(), postflow.Step{HoldUntil: until})
				require.NoError(t, err)
			})
		}
		<-time.After(2500 * time.Millisecond) // the fake time of the bubble
		counts(0, 1, 2)
		all.Go(func() {
			_, err := gate.Admit((&entries{}).step("B"))(t.Context(), postflow.Step{HoldUntil: until.Add(5 * time.Second)})
			require.NoError(t, err)
		})
		counts(1, 1, 2)
		all.Wait()
		counts(0, 0, 0)
	})
}
