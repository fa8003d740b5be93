package bootstrap_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/freeport"
	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/services/internal/framing/framingtest"
	"socialpub.internal/shared/infra/config"
	"socialpub.internal/shared/kernel/clock"
)

// TestTheListenerForMachinesRefusesMalformedRequests checks that the operations listener refuses malformed requests.
func TestTheListenerForMachinesRefusesMalformedRequests(t *testing.T) {
	t.Parallel()
	address, err := freeport.New().Address(t.Context())
	require.NoError(t, err)
	p := &bootstrap.Process{
		Name: "test", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), Clock: clock.System(),
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
