package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing/framingtest"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/proctest"
)

func process() *bootstrap.Process {
	return &bootstrap.Process{
		Name: "sandbox", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), Clock: clock.System(),
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	return address
}

func TestGracefulShutdown(t *testing.T) {
	t.Parallel()

	cfg := config.Sandbox{Addr: freeAddress(t), Data: t.TempDir(), PublicURL: "https://sandbox.example.com/"}
	ctx, stop := context.WithCancel(t.Context())
	service, err := Start(ctx, cfg, process())
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()

	b := &bundle{}
	b.server = newServerAt("http://" + cfg.Addr)
	require.Equal(t, http.StatusCreated, b.tweet(t, "acme", "one").status)
	require.Contains(t, b.posts(t, "")[0]["url"], "https://sandbox.example.com/p/x/")
	b.inject(t, `{"kind":"timeout_before","delayMs":600000}`)
	held := b.later(t.Context(), "acme", "two")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, "[]\n", b.get(t, "/_sandbox/faults", "").body)
	}, 5*time.Second, 5*time.Millisecond)
	stop()
	require.NoError(t, <-ended)
	require.Zero(t, (<-held).status)
}

func TestMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()

	cfg := config.Sandbox{Addr: freeAddress(t), Data: t.TempDir()}
	ctx, stop := context.WithCancel(t.Context())
	service, err := Start(ctx, cfg, process())
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	framingtest.Run(t, framingtest.Target{Address: cfg.Addr, Get: "/_sandbox/posts", Post: "/_sandbox/faults"})
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()

	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	_, err = Start(t.Context(), config.Sandbox{Addr: listener.Addr().String(), Data: t.TempDir()}, process())
	require.ErrorContains(t, err, "SANDBOX_ADDR")

	for _, name := range []string{"posts.jsonl", "tokens.jsonl", "threads-containers/records.jsonl", "x-uploads/records.jsonl"} {
		folder := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("{\n{}\n"), 0o600))
		_, err = Start(t.Context(), config.Sandbox{Addr: "127.0.0.1:0", Data: folder}, process())
		require.ErrorContains(t, err, "damaged")
	}
	_, err = New(t.Context(), Config{})
	require.Error(t, err)
}
