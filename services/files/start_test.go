package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing/framingtest"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/proctest"
)

func process() *bootstrap.Process {
	return &bootstrap.Process{
		Name: "files", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), Clock: clock.System(),
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	return address
}

func environment(endpoint, address string) config.Files {
	return config.Files{
		Bucket:           config.Bucket{S3Endpoint: endpoint, S3Bucket: "media", S3Addressing: "auto"},
		S3PublicEndpoint: "http://" + address, Addr: address,
	}
}

// TestShutdownFinishesDownloads requests a shutdown during a download: the download completes first.
func TestShutdownFinishesDownloads(t *testing.T) {
	t.Parallel()
	half, rest := make(chan struct{}), make(chan struct{})
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "01234")
		_ = http.NewResponseController(w).Flush()
		close(half)
		<-rest
		_, _ = io.WriteString(w, "56789")
	}))
	defer store.Close()
	address := freeAddress(t)
	ctx, stop := context.WithCancel(t.Context())
	service, err := Start(ctx, environment(store.URL, address), process())
	require.NoError(t, err)
	require.Len(t, service.Checks, 1)
	require.Equal(t, "store", service.Checks[0].Name)
	require.NoError(t, service.Checks[0].Probe(t.Context()), "an answer is an answer")
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()

	body, signed := make(chan string, 1), download(t, address)
	go func() { body <- get(t, signed) }()
	<-half
	stop()
	close(rest)
	require.Equal(t, "0123456789", <-body)
	require.NoError(t, <-ended)
	_, err = new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.Error(t, err)
}

func TestMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	store := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "0") }))
	t.Cleanup(store.Close)
	address := freeAddress(t)
	ctx, stop := context.WithCancel(t.Context())
	service, err := Start(ctx, environment(store.URL, address), process())
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	framingtest.Run(t, framingtest.Target{
		Address: address, Get: strings.TrimPrefix(download(t, address), "http://"+address),
	})
}

func download(t *testing.T, address string) string {
	t.Helper()
	signing, err := objectstore.New(objectstore.Config{
		Endpoint: "http://" + address, AccessKey: "k", SecretKey: "s", Bucket: "media",
	})
	require.NoError(t, err)
	signed, err := signing.PresignGet(objectstore.GetTerms{Key: "a", Expires: time.Hour})
	require.NoError(t, err)
	return signed.URL
}

func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return err.Error()
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}

func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	ctx, stop := context.WithCancel(t.Context())
	service, err := Start(ctx, environment("http://127.0.0.1:1", address), process())
	require.NoError(t, err)
	require.Error(t, service.Checks[0].Probe(t.Context()), "the store is down")
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, download(t, address), http.NoBody)
	require.NoError(t, err)
	request.Header.Set("X", strings.Repeat("x", 24<<10))
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, response.StatusCode)
	stop()
	require.NoError(t, <-ended)
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	_, err = Start(t.Context(), environment("http://127.0.0.1:1", listener.Addr().String()), process())
	require.ErrorContains(t, err, "FILES_ADDR")
	_, err = Start(t.Context(), config.Files{}, process())
	require.ErrorContains(t, err, "gateway")
}
