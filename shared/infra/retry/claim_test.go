package retry_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/proctest"
)

// job is a row of a workspace.
type job struct{ of ident.Workspace }

// config is a loop that finds nothing.
func config() retry.LoopConfig[job] {
	return retry.LoopConfig[job]{
		Name: "jobs", InFlight: 16, Batch: 4, Busy: 50 * time.Millisecond, Idle: time.Second,
		Claim:     func(context.Context, retry.Turn) ([]job, error) { return nil, nil },
		Handle:    func(context.Context, job) error { return nil },
		Workspace: func(j job) ident.Workspace { return j.of },
		Clock:     clock.System(), Logger: slog.New(slog.DiscardHandler), Metrics: retry.NewMetrics(prometheus.NewRegistry()),
	}
}

func created(t *testing.T, cfg retry.LoopConfig[job]) *retry.Loop[job] {
	t.Helper()
	loop, err := retry.NewLoop(cfg)
	require.NoError(t, err)
	return loop
}

func TestLoopRequiresEverySetting(t *testing.T) {
	t.Parallel()
	optional := map[string]bool{"Busy": true, "Shutdown": true}
	for i := range reflect.TypeFor[retry.LoopConfig[job]]().NumField() {
		cfg := config()
		reflect.ValueOf(&cfg).Elem().Field(i).SetZero()
		_, err := retry.NewLoop(cfg)
		name := reflect.TypeFor[retry.LoopConfig[job]]().Field(i).Name
		require.Equal(t, optional[name], err == nil, name)
	}
}

// TestPauses checks that a claim after another gathers a batch, that the loop stays awake for some time, and that a
// wake-up ends its longer pauses.
func TestPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		loop := created(t, config())
		ctx, cancel := context.WithCancel(t.Context())
		pause := func(claimed int) time.Duration {
			begin := time.Now()
			loop.Pause(ctx, claimed)
			return time.Since(begin)
		}
		const gather, busy, idle, burst = 5 * time.Millisecond, 50 * time.Millisecond, time.Second, 2 * time.Second
		require.Equal(t, idle, pause(0))
		loop.Wake()
		loop.Wake() // never blocks
		require.Equal(t, gather, pause(1), "a wake-up does not split a batch")
		require.Zero(t, pause(0))
		require.Equal(t, busy, pause(0))
		<-time.After(burst - gather - busy - 1)
		require.Equal(t, busy, pause(0))
		require.Equal(t, gather, pause(1))
		<-time.After(burst - gather)
		require.Equal(t, idle, pause(0))
		cancel()
		require.Zero(t, pause(1))
	})
}

func TestWorkspaceAtItsShareIsFull(t *testing.T) {
	t.Parallel()
	loop := created(t, config()) // two places for each
	ws := ident.New[ident.Workspace]()
	loop.Hold(ws, 1)
	require.Empty(t, loop.Full())
	loop.Hold(ws, 1)
	require.Equal(t, []ident.Workspace{ws}, loop.Full())
	loop.Hold(ws, -1)
	require.Empty(t, loop.Full())
}

// TestHangingWorkspaceLeavesPlaces runs a loop in which the handlers of one workspace hang: its claims ask for no more of
// its rows, and never for more rows than there are places.
func TestHangingWorkspaceLeavesPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		loud, quiet := ident.New[ident.Workspace](), ident.New[ident.Workspace]()
		ctx, cancel := context.WithCancel(t.Context())
		registry := prometheus.NewRegistry()
		cfg := config()
		cfg.Metrics = retry.NewMetrics(registry)
		var mu sync.Mutex
		handled := make(map[ident.Workspace]int)
		cfg.Claim = func(_ context.Context, turn retry.Turn) ([]job, error) {
			require.Equal(t, 2, turn.Share)
			require.LessOrEqual(t, turn.Limit, 4)
			if len(turn.Full) == 0 {
				return []job{{loud}, {loud}, {quiet}}, nil
			}
			require.Equal(t, []ident.Workspace{loud}, turn.Full)
			return []job{{quiet}}, nil
		}
		cfg.Handle = func(ctx context.Context, j job) error {
			mu.Lock()
			handled[j.of]++
			mu.Unlock()
			if j.of == loud {
				<-ctx.Done()
			}
			return nil
		}
		cfg.Shutdown = time.Minute
		loop := created(t, cfg)
		ended := make(chan struct{})
		go func() { defer close(ended); loop.Run(ctx) }()
		<-time.After(time.Second)
		cancel()
		begin := time.Now()
		<-ended
		require.Equal(t, time.Minute, time.Since(begin), "the time in which handlers may finish")
		require.Equal(t, 2, handled[loud])
		require.Greater(t, handled[quiet], 100)
		require.Equal(t, 2, testutil.CollectAndCount(registry, "claims_total", "claims_in_flight"))
	})
}

// TestRoundReportsFailures checks that a round handles every row that it claimed.
func TestRoundReportsFailures(t *testing.T) {
	t.Parallel()
	errClaim, errHandle := errors.New("half of the rows"), errors.New("handler")
	cfg := config()
	handled := 0
	cfg.Claim = func(context.Context, retry.Turn) ([]job, error) { return make([]job, 1), errClaim }
	cfg.Handle = func(context.Context, job) error { handled++; return errHandle }
	err := created(t, cfg).Round(t.Context())
	require.ErrorIs(t, err, errClaim)
	require.ErrorIs(t, err, errHandle)
	require.Equal(t, 1, handled)
}

// TestShutdownIsNoFailure checks that claims which the shutdown interrupts are not reported, unlike others.
func TestShutdownIsNoFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log proctest.Log
		ctx, cancel := context.WithCancel(t.Context())
		cfg := config()
		cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		calls := 0
		cfg.Claim = func(ctx context.Context, _ retry.Turn) ([]job, error) {
			if calls++; calls == 1 {
				return nil, errors.New("down")
			}
			cancel()
			return nil, ctx.Err()
		}
		created(t, cfg).Run(ctx)
		require.Equal(t, 2, calls)
		require.Contains(t, log.String(), "down")
		require.NotContains(t, log.String(), context.Canceled.Error())
	})
}
