package trial_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/trial"
	"fencepost.internal/shared/kernel/proctest"
)

func TestHooksReachEveryEndpointOfWorkspace(t *testing.T) {
	t.Parallel()
	target, err := lab.NewReceiver(t.Context())
	require.NoError(t, err)
	t.Cleanup(target.Close)
	const endpoints, requests = 2, 20
	for _, workspace := range []string{"1", "2"} {
		for i := range endpoints {
			target.Serve(trial.HookName(workspace, i), lab.Endpoint{})
		}
	}
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	cfg, err := json.Marshal(trial.Baseline{
		DatabaseURL: "postgres://127.0.0.1/unused", Address: address, Receiver: target.URL(""), Endpoints: endpoints, Places: 4,
		Delivery: []byte("{}"),
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- trial.ServeBaseline(ctx, string(cfg)) }()
	const within, every = 10 * time.Second, 20 * time.Millisecond
	require.Eventually(t, func() bool {
		return call(t, http.MethodGet, "http://"+address+"/readyz", http.NoBody) == http.StatusOK
	}, within, every)

	for range requests {
		body := strings.NewReader(`{"channelIds": ["c"]}`)
		require.Equal(t, http.StatusCreated, call(t, http.MethodPost, "http://"+address+"/hooks/1", body))
	}
	require.Eventually(t, func() bool {
		n, _, err := target.Total()
		return err == nil && n == endpoints*requests
	}, within, every)
	require.Len(t, target.Arrivals(trial.HookName("1", 1)), requests)
	require.Empty(t, target.Arrivals(trial.HookName("2", 0)))
	stop()
	require.NoError(t, <-served)
}

// call returns the status of the response, or 0 if there is none.
func call(t *testing.T, method, url string, body io.Reader) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{}).Do(request)
	if err != nil {
		return 0
	}
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}
