package httpcall_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/platformtest"
)

const usual = "https://usual.test"

func config(reach network.Servers) httpcall.ServersConfig {
	return httpcall.ServersConfig{
		Wire: httpcall.Config{
			BaseURL: usual, Network: channel.NetworkBluesky, Name: "Bluesky", Clock: clock.System(),
		},
		Reach: reach,
	}
}

func at(server string) platform.Account {
	return platform.Account{Credentials: channel.Credentials{AccessToken: "a", Server: server}}
}

func TestServerOfAccountIsCalled(t *testing.T) {
	t.Parallel()

	var checked []string
	pool, err := httpcall.NewServers(config(network.Servers{
		Check: func(url string) error { checked = append(checked, url); return nil },
		Dial:  (&net.Dialer{}).DialContext,
	}))
	require.NoError(t, err)
	for server, want := range map[string]string{
		"": usual, usual: usual, "https://other.test": "https://other.test",
	} {
		client, err := pool.Of(at(server))
		require.NoError(t, err)
		require.Equal(t, want, client.BaseURL())
		again, err := pool.Of(at(server))
		require.NoError(t, err)
		require.Same(t, client, again)
	}
	require.Equal(t, []string{"https://other.test"}, checked, "only servers that users chose are checked")

	for i := range 600 {
		_, err := pool.Of(at(fmt.Sprintf("https://server%d.test", i)))
		require.NoError(t, err)
	}
}

func TestOnlyUsesDefaultServer(t *testing.T) {
	t.Parallel()

	only := config(network.Servers{})
	only.Only = true
	pool, err := httpcall.NewServers(only)
	require.NoError(t, err)
	client, err := pool.Of(at("https://other.test"))
	require.NoError(t, err)
	require.Equal(t, usual, client.BaseURL())
}

func TestRefusedServers(t *testing.T) {
	t.Parallel()

	refused := errors.New("blocked_url")
	for name, reach := range map[string]network.Servers{
		"no rules": {},
		"refused": {
			Check: func(string) error { return refused },
			Dial:  func(context.Context, string, string) (net.Conn, error) { return nil, refused },
		},
	} {
		pool, err := httpcall.NewServers(config(reach))
		require.NoError(t, err)
		_, err = pool.Of(at("https://other.test"))
		require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class, name)
	}
}

// loopback resolves every name to this machine.
type loopback struct{}

// LookupNetIP returns the loopback address.
func (loopback) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
}

// TestInternalAddressesAreNotReached calls servers in the address space of this machine, under the rules that the
// service uses: by address, and by a name that resolves to it.
func TestInternalAddressesAreNotReached(t *testing.T) {
	t.Parallel()

	called := false
	internal := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	t.Cleanup(internal.Close)
	policy, err := egress.NewPolicy(egress.PolicyConfig{})
	require.NoError(t, err)
	pool, err := httpcall.NewServers(config(network.Servers{
		Check: func(url string) error { _, err := policy.ParseGate(egress.Webhook, url); return err },
		Dial:  policy.Dialer(egress.Webhook, nil),
	}))
	require.NoError(t, err)
	for _, server := range []string{
		internal.URL, "http://public.test", "https://127.0.0.1", "https://localhost", "https://[::1]",
		"https://169.254.169.254", "https://server.internal", "https://user@public.test", "https://public.test:8443",
		"ftp://public.test",
	} {
		_, err := pool.Of(at(server))
		require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class, server)
	}
	// The name passes the first check, and its address is refused when the socket is opened.
	_, err = policy.Dialer(egress.Webhook, loopback{})(t.Context(), "tcp", "rebound.test:443")
	require.Equal(t, egress.ClassBlockedAddress, egress.ClassOf(err))
	require.False(t, called)
}
