package clock_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/clock"
)

func TestPeriodStartsWhenContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		longer, release := clock.Grace(ctx, time.Minute)
		defer release()
		require.Equal(t, "value", longer.Value(key{}))
		<-time.After(time.Hour)
		cancel()
		<-time.After(time.Minute - 1)
		synctest.Wait()
		require.NoError(t, longer.Err())
		<-time.After(1)
		synctest.Wait()
		require.ErrorIs(t, longer.Err(), context.Canceled)
	})
}

func TestReleasedPeriodIsCanceled(t *testing.T) {
	t.Parallel()
	longer, release := clock.Grace(t.Context(), time.Minute)
	release()
	require.ErrorIs(t, longer.Err(), context.Canceled)
}
