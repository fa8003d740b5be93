package bootstrap_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing/framingtest"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/proctest"
)

// TestOpsListenerRefusesMalformedRequests checks that the operations listener refuses malformed requests.
func TestOpsListenerRefusesMalformedRequests(t *testing.T) {
	t.Parallel()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	p := &bootstrap.Process{
		Name: "test", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
		Libraries: prometheus.NewRegistry(), Clock: clock.System(),
	}
	ctx, stop := context.WithCancel(t.Context())
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- bootstrap.Serve(ctx, config.Common{OpsAddr: address}, p,
			bootstrap.Service{Run: func(ctx context.Context) error {
				close(started)
				<-ctx.Done()
				return nil
			}})
	}()
	<-started
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	framingtest.Run(t, framingtest.Target{Address: address, Get: "/livez"})
}

// TestServesDuringDrainDelay checks that a program first reports that it is stopping, and goes on serving until
// load balancers have noticed.
func TestServesDuringDrainDelay(t *testing.T) {
	t.Parallel()
	const delay = 3 * time.Second
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	p := &bootstrap.Process{
		Name: "test", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
		Libraries: prometheus.NewRegistry(), Clock: clock.System(),
	}
	ctx, stop := context.WithCancel(t.Context())
	started, stopped, ended := make(chan struct{}), make(chan time.Time, 1), make(chan error, 1)
	go func() {
		ended <- bootstrap.Serve(ctx, config.Common{OpsAddr: address, DrainDelay: delay}, p,
			bootstrap.Service{Run: func(ctx context.Context) error {
				close(started)
				<-ctx.Done()
				stopped <- time.Now()
				return nil
			}})
	}()
	<-started
	ready := func() int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/readyz", http.NoBody)
		require.NoError(t, err)
		response, err := new(http.Client).Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	require.Equal(t, http.StatusOK, ready())
	requested := time.Now()
	stop()
	require.Eventually(t, func() bool { return ready() == http.StatusServiceUnavailable }, delay, time.Millisecond)
	require.Empty(t, stopped, "the service ended before its readiness")
	require.GreaterOrEqual(t, (<-stopped).Sub(requested), delay)
	require.NoError(t, <-ended)
}

// TestBuildInfoMetric checks the metric build_info.
func TestBuildInfoMetric(t *testing.T) {
	t.Parallel()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	registry := prometheus.NewRegistry()
	p := &bootstrap.Process{
		Name: "test", Version: "1.2.3+abc", Logger: slog.New(slog.DiscardHandler), Registry: registry,
		Libraries: registry, Clock: clock.System(),
	}
	require.NoError(t, bootstrap.Serve(t.Context(), config.Common{OpsAddr: address}, p,
		bootstrap.Service{Run: func(context.Context) error { return nil }}))
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(fmt.Sprintf(`
# HELP build_info The running build; 1.
# TYPE build_info gauge
build_info{goversion=%q,revision=%q,version="1.2.3+abc"} 1
`, runtime.Version(), telemetry.Revision())), "build_info"))
}
