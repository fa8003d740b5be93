package hosts_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/hosts"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	ours := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, tc := range []struct{ remote, forwarded, want string }{
		{"192.0.2.1", "", "192.0.2.1"},
		{"192.0.2.1", "198.51.100.7", "192.0.2.1"},
		{"10.0.0.1", "", "10.0.0.1"},
		{"10.0.0.1", "198.51.100.7", "198.51.100.7"},
		{"::ffff:10.0.0.1", " ::ffff:198.51.100.7 ", "198.51.100.7"},
		{"10.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"},
		{"10.0.0.1", "203.0.113.9,invented", "10.0.0.1"},
		{"fd00::1", "2001:db8::1,fd00::2", "2001:db8::1"},
	} {
		require.Equal(t, tc.want, hosts.Client(netip.MustParseAddr(tc.remote), tc.forwarded, ours).String(), "%+v", tc)
	}
	require.False(t, hosts.Client(netip.Addr{}, "198.51.100.7", ours).IsValid())
}
