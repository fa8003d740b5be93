package authn_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/authn"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

// TestSignInsShareProviderRequest lets many people sign in while the provider fails: none waits for the others' questions, and
// the provider is asked again after a while.
func TestSignInsShareProviderRequest(t *testing.T) {
	t.Parallel()
	var questions atomic.Int32
	requested, respond := make(chan struct{}, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		questions.Add(1)
		requested <- struct{}{}
		<-respond
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(server.Close)
	clock := clocktest.New(time.Now())
	provider, err := authn.NewProvider(authn.ProviderConfig{
		Issuer: server.URL, ClientID: "id", RedirectURL: "https://app.test/sign-in/provider", Clock: clock,
	})
	require.NoError(t, err)
	var signIns sync.WaitGroup
	begin := func() {
		_, _, err := provider.Begin()
		require.ErrorIs(t, err, authn.ErrUnavailable)
	}
	for range 20 {
		signIns.Go(begin)
	}
	<-requested
	close(respond)
	signIns.Wait()
	begin()
	require.EqualValues(t, 1, questions.Load())
	clock.Advance(5 * time.Second)
	begin()
	require.EqualValues(t, 2, questions.Load())
}
