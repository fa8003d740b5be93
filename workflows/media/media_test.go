package media_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"fencepost.internal/shared/flow/mediaflow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/media"
)

var (
	start   = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	errDown = errors.New("storage is down")
	input   = mediaflow.Input{MediaID: ident.New[ident.Media](), WorkspaceID: ident.New[ident.Workspace]()}
)

// bench is a test environment without scripted activities.
type bench struct {
	*testsuite.TestWorkflowEnvironment
	at map[string][]time.Duration // when each activity was tried, since the start
}

func setup(t *testing.T) *bench {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	b := &bench{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), at: map[string][]time.Duration{}}
	b.SetStartTime(start)
	b.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	for _, name := range []string{
		mediaflow.ActivityImport, mediaflow.ActivityFailImport, mediaflow.ActivityProcess, mediaflow.ActivityGiveUp,
	} {
		b.RegisterActivityWithOptions(func(context.Context, mediaflow.Input) (mediaflow.Outcome, error) {
			return mediaflow.Outcome{}, errors.New("not scripted")
		}, activity.RegisterOptions{Name: name})
	}
	return b
}

// script makes an activity fail a number of times before it succeeds.
func (b *bench) script(t *testing.T, name string, failures int, failure error) {
	t.Helper()
	b.OnActivity(name, mock.Anything,
		mock.Anything).Return(func(_ context.Context, in mediaflow.Input) (mediaflow.Outcome, error) {
		require.Equal(t, input, in)
		b.at[name] = append(b.at[name], b.Now().Sub(start))
		if len(b.at[name]) <= failures {
			return mediaflow.Outcome{}, failure
		}
		return mediaflow.Outcome{Note: name}, nil
	})
}

func seconds(list ...int) []time.Duration {
	durations := make([]time.Duration, len(list))
	for i, n := range list {
		durations[i] = time.Duration(n) * time.Second
	}
	return durations
}

const always = 1000

func TestActivityRetryTimes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		workflow any
		failures map[string]int // of each activity before it succeeds
		failure  error
		at       map[string][]time.Duration
	}{
		"import": {
			workflow: media.Import, at: map[string][]time.Duration{mediaflow.ActivityImport: seconds(0)},
		},
		"import, storage is back soon": {
			workflow: media.Import, failures: map[string]int{mediaflow.ActivityImport: 3},
			at: map[string][]time.Duration{mediaflow.ActivityImport: seconds(0, 4, 12, 28)},
		},
		"import, storage stays away": {
			workflow: media.Import, failures: map[string]int{mediaflow.ActivityImport: always},
			at: map[string][]time.Duration{
				mediaflow.ActivityImport: seconds(0, 4, 12, 28), mediaflow.ActivityFailImport: seconds(28),
			},
		},
		"import, and the database is away too": {
			workflow: media.Import, failures: map[string]int{mediaflow.ActivityImport: always, mediaflow.ActivityFailImport: 7},
			at: map[string][]time.Duration{
				mediaflow.ActivityImport:     seconds(0, 4, 12, 28),
				mediaflow.ActivityFailImport: seconds(28, 29, 31, 35, 43, 59, 89, 119),
			},
		},
		"import, a fault of ours": {
			workflow: media.Import, failures: map[string]int{mediaflow.ActivityImport: always},
			failure: temporal.NewNonRetryableApplicationError("a fault", "Fault", nil),
			at:      map[string][]time.Duration{mediaflow.ActivityImport: seconds(0), mediaflow.ActivityFailImport: seconds(0)},
		},
		"process": {
			workflow: media.Process, at: map[string][]time.Duration{mediaflow.ActivityProcess: seconds(0)},
		},
		"process, storage is away for ten minutes": {
			workflow: media.Process, failures: map[string]int{mediaflow.ActivityProcess: 4},
			at: map[string][]time.Duration{mediaflow.ActivityProcess: seconds(0, 10, 50, 210, 850)},
		},
		"process, storage stays away": {
			workflow: media.Process, failures: map[string]int{mediaflow.ActivityProcess: always, mediaflow.ActivityGiveUp: 1},
			at: map[string][]time.Duration{
				mediaflow.ActivityProcess: seconds(0, 10, 50, 210, 850, 1810, 2770, 3730),
				mediaflow.ActivityGiveUp:  seconds(3730, 3731),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := setup(t)
			if test.failure == nil {
				test.failure = errDown
			}
			for _, each := range []string{
				mediaflow.ActivityImport, mediaflow.ActivityFailImport, mediaflow.ActivityProcess, mediaflow.ActivityGiveUp,
			} {
				env.script(t, each, test.failures[each], test.failure)
			}
			env.ExecuteWorkflow(test.workflow, input)
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
		mediaflow.ActivityImport: {
			start: 5*time.Minute + 15*time.Second, schedule: 6 * time.Minute, heartbeat: 20 * time.Second,
		},
		mediaflow.ActivityFailImport: {start: 15 * time.Second},
		mediaflow.ActivityProcess:    {start: 10 * time.Minute, heartbeat: 20 * time.Second},
		mediaflow.ActivityGiveUp:     {start: 15 * time.Second},
	} {
		env := setup(t)
		seen := timeouts{}
		for _, each := range []string{
			mediaflow.ActivityImport, mediaflow.ActivityFailImport, mediaflow.ActivityProcess, mediaflow.ActivityGiveUp,
		} {
			env.OnActivity(each, mock.Anything,
				mock.Anything).Return(func(ctx context.Context, _ mediaflow.Input) (mediaflow.Outcome, error) {
				if info := activity.GetInfo(ctx); each == name {
					seen = timeouts{info.StartToCloseTimeout, info.ScheduleToCloseTimeout, info.HeartbeatTimeout}
					return mediaflow.Outcome{}, nil
				}
				return mediaflow.Outcome{}, errDown
			})
		}
		if name == mediaflow.ActivityImport || name == mediaflow.ActivityFailImport {
			env.ExecuteWorkflow(media.Import, input)
		} else {
			env.ExecuteWorkflow(media.Process, input)
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
	for _, workflow := range []any{media.Import, media.Process} {
		env := setup(t)
		env.script(t, mediaflow.ActivityImport, always, errDown)
		env.script(t, mediaflow.ActivityProcess, always, errDown)
		env.script(t, mediaflow.ActivityFailImport, 0, nil)
		env.script(t, mediaflow.ActivityGiveUp, 0, nil)
		env.RegisterDelayedCallback(env.CancelWorkflow, 2*time.Second)
		env.ExecuteWorkflow(workflow, input)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
		require.Empty(t, env.at[mediaflow.ActivityFailImport])
		require.Empty(t, env.at[mediaflow.ActivityGiveUp])
	}
}
