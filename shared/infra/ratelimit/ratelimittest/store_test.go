package ratelimittest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/ratelimit/ratelimittest"
	"fencepost.internal/shared/kernel/clock"
)

func TestStoreConformance(t *testing.T) {
	t.Parallel()
	ratelimittest.Run(t, func(*testing.T) ratelimit.Store { return ratelimittest.New(clock.System()) })
}

func TestFail(t *testing.T) {
	t.Parallel()
	store := ratelimittest.New(clock.System())
	down := errors.New("down")
	store.Fail(down)
	_, err := store.Lease(t.Context(), "a", ratelimit.Limit{PerMinute: 1, Burst: 1}, 1)
	require.ErrorIs(t, err, down)
	require.ErrorIs(t, store.GiveBack(t.Context(), nil), down)
	store.Fail(nil)
	require.NoError(t, store.GiveBack(t.Context(), nil))
	require.Equal(t, 3, store.Calls())
}

// hasty is a store that fails when its time is up.
type hasty struct{ ratelimit.Store }

func (hasty) Lease(ctx context.Context, _ string, _ ratelimit.Limit, want int) (ratelimit.Lease, error) {
	return ratelimit.Lease{Granted: want}, ctx.Err()
}

func TestPatientStoreIgnoresTimeout(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	limit := ratelimit.Limit{PerMinute: 1, Burst: 1}
	_, err := hasty{}.Lease(ended, "a", limit, 1)
	require.ErrorIs(t, err, context.Canceled)
	lease, err := ratelimittest.Patient{Store: hasty{}}.Lease(ended, "a", limit, 1)
	require.NoError(t, err)
	require.Equal(t, 1, lease.Granted)
}
