package load_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/bench/internal/load"
)

func TestBalancerFailsOver(t *testing.T) {
	t.Parallel()
	keys := make(chan string, 10)
	serve := func(status int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			keys <- r.Header.Get("Idempotency-Key")
			w.WriteHeader(status)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	b := load.NewBalancer(serve(http.StatusCreated), gone.URL, serve(http.StatusServiceUnavailable))
	t.Cleanup(b.Close)
	_, err := b.Do(t.Context(), load.Call{
		Method: http.MethodPost, URL: "/v1/posts", Want: http.StatusCreated, Idempotency: "once",
	})
	require.NoError(t, err)
	require.Equal(t, 2, b.Retried())
	require.Equal(t, "once", <-keys)
	require.Equal(t, "once", <-keys)
	require.Empty(t, keys)
}

func TestBalancerReturnsRefusal(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	b := load.NewBalancer(s.URL)
	t.Cleanup(b.Close)
	_, err := b.Do(t.Context(), load.Call{Method: http.MethodGet, URL: "/v1/posts", Want: http.StatusOK})
	answer := new(load.StatusError)
	require.ErrorAs(t, err, &answer)
	require.Equal(t, http.StatusNotFound, answer.Status)
	require.Zero(t, b.Retried())
}
