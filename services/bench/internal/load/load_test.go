package load_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/bench/internal/load"
)

func TestAllMakesEachCallOnce(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(s.Close)
	calls := make([]load.Call, 100)
	for i := range calls {
		calls[i] = load.Call{Method: http.MethodGet, URL: s.URL, Want: http.StatusOK}
	}
	require.NoError(t, load.All(t.Context(), calls))
	require.EqualValues(t, len(calls), served.Load())

	calls[0].URL = s.URL + "/refused"
	answer := new(load.StatusError)
	require.ErrorAs(t, load.All(t.Context(), calls), &answer)
	require.Equal(t, http.StatusForbidden, answer.Status)
}
