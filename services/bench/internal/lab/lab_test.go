package lab_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	vegeta "github.com/tsenart/vegeta/v12/lib"

	"fencepost.internal/services/bench/internal/lab"
)

// serve starts a server that always responds with the status. It returns the number of its requests.
func serve(t *testing.T, status int) (url string, served *atomic.Int64) {
	t.Helper()
	served = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		served.Add(1)
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL, served
}

func TestCheckEndsMeasurement(t *testing.T) {
	t.Parallel()
	var order []string
	err := new(lab.Lab).Do(t.Context(), func(r *lab.Run) {
		r.Cleanup(func() { order = append(order, "last") })
		r.Cleanup(func() { order = append(order, "first") })
		r.Together(func() { <-r.Context().Done() }, func() { r.Failf("no %s", "response") })
		order = append(order, "unreachable")
	})
	require.EqualError(t, err, "no response")
	require.Equal(t, []string{"first", "last"}, order)
}

func TestCallAllMakesEachRequestOnce(t *testing.T) {
	t.Parallel()
	url, served := serve(t, http.StatusCreated)
	refusing, _ := serve(t, http.StatusForbidden)
	requests := make([]vegeta.Target, 100)
	for i := range requests {
		requests[i] = vegeta.Target{Method: http.MethodGet, URL: url}
	}
	require.NoError(t, new(lab.Lab).Do(t.Context(), func(r *lab.Run) { r.CallAll(requests) }))
	require.EqualValues(t, len(requests), served.Load())

	requests[0].URL = refusing
	err := new(lab.Lab).Do(t.Context(), func(r *lab.Run) { r.CallAll(requests) })
	require.ErrorContains(t, err, "403 Forbidden")
}

func TestBalanceConnectsToServersInTurn(t *testing.T) {
	t.Parallel()
	one, servedByOne := serve(t, http.StatusCreated)
	two, servedByTwo := serve(t, http.StatusCreated)
	other, servedByOther := serve(t, http.StatusOK)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	l := &lab.Lab{APIURL: "http://127.0.0.1:1"}
	err := l.Do(t.Context(), func(r *lab.Run) {
		r.Balance(host(one), host(gone.URL), host(two))
		for range 4 {
			r.Call(r.Request(http.MethodPost, l.APIURL+"/v1/posts", "", map[string]any{}), nil)
		}
		r.Call(r.Request(http.MethodGet, other, "", nil), nil)
	})
	require.NoError(t, err)
	require.EqualValues(t, 2, servedByOne.Load())
	require.EqualValues(t, 2, servedByTwo.Load())
	require.EqualValues(t, 1, servedByOther.Load())
}

func host(url string) string { return strings.TrimPrefix(url, "http://") }
