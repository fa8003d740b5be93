package bare_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/bench/internal/bare"
	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/receiver"
	"fencepost.internal/shared/kernel/clock"
)

func TestHooksReachEveryEndpointOfWorkspace(t *testing.T) {
	t.Parallel()
	target, err := receiver.New(t.Context(), clock.System())
	require.NoError(t, err)
	t.Cleanup(func() { _ = target.Close() })
	const endpoints, requests = 2, 20
	for _, workspace := range []string{"1", "2"} {
		for i := range endpoints {
			target.Serve(bare.HookName(workspace, i), receiver.Endpoint{})
		}
	}
	file := filepath.Join(t.TempDir(), "delivery.json")
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o600))
	address, err := lab.FreeAddress(t.Context())
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	cfg := bare.HookConfig{Address: address, Receiver: target.URL(""), Endpoints: endpoints, Places: 4}
	go func() { served <- bare.ServeHooks(ctx, cfg, file) }()
	const within, every = 10 * time.Second, 20 * time.Millisecond
	ready := load.Call{Method: http.MethodGet, URL: "http://" + address + "/readyz", Want: http.StatusOK}
	require.Eventually(t, func() bool { return load.All(t.Context(), []load.Call{ready}) == nil }, within, every)

	calls := make([]load.Call, requests)
	for i := range calls {
		calls[i] = load.Call{
			Method: http.MethodPost, URL: "http://" + address + "/1", Want: http.StatusCreated,
			Body: []byte(`{"channelIds": ["c"]}`),
		}
	}
	require.NoError(t, load.All(t.Context(), calls))
	require.Eventually(t, func() bool {
		n, _, err := target.Got()
		return err == nil && n == endpoints*requests
	}, within, every)
	require.Len(t, target.Arrivals(bare.HookName("1", 1)), requests)
	require.Empty(t, target.Arrivals(bare.HookName("2", 0)))
	stop()
	require.NoError(t, <-served)
}
