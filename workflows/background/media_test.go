package background_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
)

var (
	errDown    = errors.New("storage is down")
	mediaInput = flow.MediaInput{MediaID: ident.New[ident.Media](), WorkspaceID: ident.New[ident.Workspace]()}
)

// mediaBench is a test environment without scripted activities.
type mediaBench struct {
	*testsuite.TestWorkflowEnvironment
	at map[string][]time.Duration // when each activity was tried, since the start
}

func setupMedia(t *testing.T) *mediaBench {
	t.Helper()
	b := &mediaBench{TestWorkflowEnvironment: environment(), at: map[string][]time.Duration{}}
	for _, name := range []string{
		flow.ActivityImport, flow.ActivityFailImport, flow.ActivityProcess, flow.ActivityGiveUp,
	} {
		b.RegisterActivityWithOptions(func(context.Context, flow.MediaInput) (flow.MediaOutcome, error) {
			return flow.MediaOutcome{}, errors.New("not scripted")
		}, activity.RegisterOptions{Name: name})
	}
	return b
}

// script makes an activity fail a number of times before it succeeds.
func (b *mediaBench) script(t *testing.T, name string, failures int, failure error) {
	t.Helper()
	b.OnActivity(name, mock.Anything,
		mock.Anything).Return(func(_ context.Context, in flow.MediaInput) (flow.MediaOutcome, error) {
		require.Equal(t, mediaInput, in)
		b.at[name] = append(b.at[name], b.Now().Sub(start))
		if len(b.at[name]) <= failures {
			return flow.MediaOutcome{}, failure
		}
		return flow.MediaOutcome{Note: name}, nil
	})
}

func seconds(list ...int) []time.Duration {
	durations := make([]time.Duration, len(list))
	for i, n := range list {
		durations[i] = time.Duration(n) * time.Second
	}
	return durations
}

const everFailing = 1000

func TestActivityRetryTimes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		workflow any
		failures map[string]int // of each activity before it succeeds
		failure  error
		at       map[string][]time.Duration
	}{
		"import": {
			workflow: background.ImportFile, at: map[string][]time.Duration{flow.ActivityImport: seconds(0)},
		},
		"import, storage is back soon": {
			workflow: background.ImportFile, failures: map[string]int{flow.ActivityImport: 3},
			at: map[string][]time.Duration{flow.ActivityImport: seconds(0, 4, 12, 28)},
		},
		"import, storage stays away": {
			workflow: background.ImportFile, failures: map[string]int{flow.ActivityImport: everFailing},
			at: map[string][]time.Duration{
				flow.ActivityImport: seconds(0, 4, 12, 28), flow.ActivityFailImport: seconds(28),
			},
		},
		"import, and the database is away too": {
			workflow: background.ImportFile, failures: map[string]int{flow.ActivityImport: everFailing, flow.ActivityFailImport: 7},
			at: map[string][]time.Duration{
				flow.ActivityImport:     seconds(0, 4, 12, 28),
				flow.ActivityFailImport: seconds(28, 29, 31, 35, 43, 59, 89, 119),
			},
		},
		"import, a fault of ours": {
			workflow: background.ImportFile, failures: map[string]int{flow.ActivityImport: everFailing},
			failure: temporal.NewNonRetryableApplicationError("a fault", "Fault", nil),
			at:      map[string][]time.Duration{flow.ActivityImport: seconds(0), flow.ActivityFailImport: seconds(0)},
		},
		"process": {
			workflow: background.ProcessFile, at: map[string][]time.Duration{flow.ActivityProcess: seconds(0)},
		},
		"process, storage is away for ten minutes": {
			workflow: background.ProcessFile, failures: map[string]int{flow.ActivityProcess: 4},
			at: map[string][]time.Duration{flow.ActivityProcess: seconds(0, 10, 50, 210, 850)},
		},
		"process, storage stays away": {
			workflow: background.ProcessFile, failures: map[string]int{flow.ActivityProcess: everFailing, flow.ActivityGiveUp: 1},
			at: map[string][]time.Duration{
				flow.ActivityProcess: seconds(0, 10, 50, 210, 850, 1810, 2770, 3730),
				flow.ActivityGiveUp:  seconds(3730, 3731),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := setupMedia(t)
			if test.failure == nil {
				test.failure = errDown
			}
			for _, each := range []string{
				flow.ActivityImport, flow.ActivityFailImport, flow.ActivityProcess, flow.ActivityGiveUp,
			} {
				env.script(t, each, test.failures[each], test.failure)
			}
			env.ExecuteWorkflow(test.workflow, mediaInput)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, test.at, env.at)
		})
	}
}

// TestTimeouts checks the timeouts, which the replayed histories do not contain.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	type timeouts struct{ start, schedule, heartbeat time.Duration }
	for name, want := range map[string]timeouts{
		flow.ActivityImport: {
			start: 5*time.Minute + 15*time.Second, schedule: 6 * time.Minute, heartbeat: 20 * time.Second,
		},
		flow.ActivityFailImport: {start: 15 * time.Second},
		flow.ActivityProcess:    {start: 10 * time.Minute, heartbeat: 20 * time.Second},
		flow.ActivityGiveUp:     {start: 15 * time.Second},
	} {
		env := setupMedia(t)
		seen := timeouts{}
		for _, each := range []string{
			flow.ActivityImport, flow.ActivityFailImport, flow.ActivityProcess, flow.ActivityGiveUp,
		} {
			env.OnActivity(each, mock.Anything,
				mock.Anything).Return(func(ctx context.Context, _ flow.MediaInput) (flow.MediaOutcome, error) {
				if info := activity.GetInfo(ctx); each == name {
					seen = timeouts{info.StartToCloseTimeout, info.ScheduleToCloseTimeout, info.HeartbeatTimeout}
					return flow.MediaOutcome{}, nil
				}
				return flow.MediaOutcome{}, errDown
			})
		}
		if name == flow.ActivityImport || name == flow.ActivityFailImport {
			env.ExecuteWorkflow(background.ImportFile, mediaInput)
		} else {
			env.ExecuteWorkflow(background.ProcessFile, mediaInput)
		}
		require.NoError(t, env.GetWorkflowError())
		if want.schedule == 0 {
			seen.schedule = 0 // set by the environment
		}
		require.Equal(t, want, seen, name)
	}
}

func TestCancellationRecordsNothing(t *testing.T) {
	t.Parallel()
	for _, workflow := range []any{background.ImportFile, background.ProcessFile} {
		env := setupMedia(t)
		env.script(t, flow.ActivityImport, everFailing, errDown)
		env.script(t, flow.ActivityProcess, everFailing, errDown)
		env.script(t, flow.ActivityFailImport, 0, nil)
		env.script(t, flow.ActivityGiveUp, 0, nil)
		env.RegisterDelayedCallback(env.CancelWorkflow, 2*time.Second)
		env.ExecuteWorkflow(workflow, mediaInput)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
		require.Empty(t, env.at[flow.ActivityFailImport])
		require.Empty(t, env.at[flow.ActivityGiveUp])
	}
}
