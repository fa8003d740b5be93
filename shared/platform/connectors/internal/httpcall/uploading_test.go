package httpcall_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

// slow is a storage that takes time to open a file.
type slow struct {
	platform.Files

	clock *clocktest.Fake
}

func (s slow) Open(context.Context, media.Asset) (platform.File, error) {
	s.clock.Advance(time.Minute)
	return nil, errors.New("down")
}

func TestWindowExcludesStorageTime(t *testing.T) {
	t.Parallel()

	clock := clocktest.New(now())
	window := httpcall.Begin(clock.Now)
	_, err := window.Open(t.Context(), slow{clock: clock}, media.Asset{})
	require.Error(t, err)
	require.False(t, window.Over())
	clock.Advance(39 * time.Second)
	require.False(t, window.Over())
	clock.Advance(time.Second)
	require.True(t, window.Over())
}

func TestProgressIsKeptOnTransientFailure(t *testing.T) {
	t.Parallel()

	progress := platform.Preparation{Handle: "h", Wait: time.Second}
	for class, wait := range map[platform.Class]time.Duration{
		platform.ClassTransient: 5 * time.Second, platform.ClassRefresh: 5 * time.Second,
		platform.ClassRateLimited: 5 * time.Second, platform.ClassRejected: 0, platform.ClassReconnect: 0,
		platform.ClassUser: 0, platform.ClassOperator: 0, platform.ClassUnknown: 0,
	} {
		failure := &platform.Failure{Class: class, Until: now().Add(time.Minute)}
		window := httpcall.Begin(clocktest.New(now()).Now)
		_, err := window.Failed(progress, false, failure)
		require.ErrorIs(t, err, failure, class)
		kept, err := window.Failed(progress, true, failure)
		if wait == 0 {
			require.ErrorIs(t, err, failure, class)
			continue
		}
		require.NoError(t, err, class)
		require.Equal(t, platform.Preparation{Handle: "h", Wait: wait}, kept, class)
	}
	window := httpcall.Begin(clocktest.New(now()).Now)
	_, err := window.Failed(progress, true, errors.New("not a failure"))
	require.Error(t, err)
}

func TestKindsOfFailures(t *testing.T) {
	t.Parallel()

	cause := errors.New("404")
	gone := httpcall.Gone(&platform.Failure{Class: platform.ClassRejected, Cause: cause})
	require.ErrorIs(t, gone, httpcall.ErrGone)
	require.ErrorIs(t, gone, cause)
	require.True(t, httpcall.Refused(gone))
	require.False(t, httpcall.Refused(&platform.Failure{Class: platform.ClassTransient}))
	require.False(t, httpcall.Refused(cause))
}
