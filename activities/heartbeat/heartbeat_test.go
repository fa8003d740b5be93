package heartbeat_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"

	"fencepost.internal/activities/heartbeat"
)

// run runs an activity and returns its heartbeat details.
func run(t *testing.T, act func(ctx context.Context) error) (reported []int) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(act)
	env.SetOnActivityHeartbeatListener(func(_ *activity.Info, details converter.EncodedValues) {
		far := -1
		if details.HasValues() {
			require.NoError(t, details.Get(&far))
		}
		reported = append(reported, far)
	})
	_, err := env.ExecuteActivity(act)
	require.NoError(t, err)
	synctest.Wait()
	return reported
}

func TestKeepReportsProgressUntilStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reported := run(t, func(ctx context.Context) error {
			var far atomic.Int64
			stop := heartbeat.Keep(ctx, func() any { return far.Add(1) })
			<-time.After(9 * time.Second)
			stop()
			<-time.After(time.Minute)
			return nil
		})
		require.Equal(t, []int{1, 2}, reported)
	})
}

func TestKeepSendsHeartbeatsUntilItsContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reported := run(t, func(ctx context.Context) error {
			ctx, cancel := context.WithCancel(ctx)
			defer heartbeat.Keep(ctx)()
			<-time.After(5 * time.Second)
			cancel()
			<-time.After(time.Minute)
			return nil
		})
		require.Equal(t, []int{-1}, reported)
	})
}

func TestKeepDoesNothingOutsideActivity(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := heartbeat.Keep(t.Context(), func() any {
			t.Error("called without progress")
			return nil
		})
		<-time.After(time.Minute)
		stop()
	})
}
