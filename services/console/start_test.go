package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing/framingtest"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/proctest"
	"fencepost.internal/shared/platform/connectors"
)

// start runs the process until the test ends and returns its address.
func start(t *testing.T, appURL string) (address string) {
	t.Helper()
	_, database := postgrestest.OpenURL(t)
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	cfg, err := config.Load[config.Console[connectors.Environment]](map[string]string{
		"DATABASE_URL": database, "CONSOLE_ADDR": address, "APP_URL": appURL,
		"S3_ENDPOINT": "http://127.0.0.1:1", "S3_ACCESS_KEY": "x", "S3_SECRET_KEY": "x", "TEMPORAL_ADDRESS": "127.0.0.1:1",
		"ENCRYPTION_KEYS": "a:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)),
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	service, err := Start(ctx, cfg, &bootstrap.Process{
		Name: "console", Version: "1", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
		Clock: clock.System(),
	})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	return address
}

func TestMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	framingtest.Run(t, framingtest.Target{Address: start(t, "http://localhost:8081"), Get: "/sign-in"})
}

func TestOtherHostsAreRefused(t *testing.T) {
	t.Parallel()
	framingtest.Hosts(t, "http://"+start(t, "https://app.example.com")+"/sign-in", "app.example.com", http.Header{})
}
