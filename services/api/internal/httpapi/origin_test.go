package httpapi_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
)

// TestOrigin checks which address was charged.
func TestOrigin(t *testing.T) {
	t.Parallel()
	b := world(t)
	loopback, private := netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")
	inner := netip.MustParsePrefix("fd00::/8")
	for _, c := range []struct {
		name    string
		proxies []netip.Prefix
		lines   []string // of X-Forwarded-For
		want    string
	}{
		{"no header", []netip.Prefix{loopback}, nil, "127.0.0.1"},
		{"one hop", []netip.Prefix{loopback}, []string{"203.0.113.7"}, "203.0.113.7"},
		{"no proxy is trusted", nil, []string{"203.0.113.7"}, "127.0.0.1"},
		{"another proxy is trusted", []netip.Prefix{private}, []string{"203.0.113.7"}, "127.0.0.1"},
		{"the last hop that is no proxy", []netip.Prefix{loopback}, []string{"198.51.100.1, 203.0.113.7"}, "203.0.113.7"},
		{
			"through two proxies",
			[]netip.Prefix{loopback, private},
			[]string{"198.51.100.1, 203.0.113.7 ,10.1.2.3"},
			"203.0.113.7",
		},
		{"a proxy that is not trusted", []netip.Prefix{loopback}, []string{"203.0.113.7, 10.1.2.3"}, "10.1.2.3"},
		{"proxies alone", []netip.Prefix{loopback, private}, []string{"10.1.2.4, 10.1.2.3"}, "10.1.2.4"},
		{"a proxy with a line of its own", []netip.Prefix{loopback}, []string{"198.51.100.1", "203.0.113.7"}, "203.0.113.7"},
		{"no address", []netip.Prefix{loopback}, []string{"unknown"}, "127.0.0.1"},
		{"no address before a proxy", []netip.Prefix{loopback, private}, []string{"203.0.113.7, <x>, 10.1.2.3"}, "10.1.2.3"},
		{"empty", []netip.Prefix{loopback}, []string{""}, "127.0.0.1"},
		{"IPv6: the customer's network", []netip.Prefix{loopback}, []string{"2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64"},
		{"IPv6 with a zone", []netip.Prefix{loopback}, []string{"fe80::1%eth0"}, "fe80::/64"},
		{"IPv4 in IPv6", []netip.Prefix{loopback}, []string{"::ffff:203.0.113.7"}, "203.0.113.7"},
		{
			"a proxy's IPv4 in IPv6",
			[]netip.Prefix{loopback, private},
			[]string{"203.0.113.7, ::ffff:10.1.2.3"},
			"203.0.113.7",
		},
		{"an IPv6 proxy", []netip.Prefix{loopback, inner}, []string{"2001:db8::1, fd00::2"}, "2001:db8::/64"},
		{
			"Forwarded is not read",
			[]netip.Prefix{loopback},
			[]string{"203.0.113.7\r\nForwarded: for=198.51.100.9\r\nX-Real-Ip: 198.51.100.9"},
			"203.0.113.7",
		},
	} {
		server := b.twin(t, func(cfg *httpapi.Config) { cfg.TrustedProxies = c.proxies }) // has no leased tokens
		b.exec(t, `DELETE FROM rate_bucket`)
		var head strings.Builder
		for _, line := range c.lines {
			head.WriteString("X-Forwarded-For: " + line + "\r\n")
		}
		for path, status := range map[string]int{"/docs": http.StatusOK, "/v1/posts": http.StatusUnauthorized} {
			require.Equal(t, status, server.raw(t, "GET "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n"+
				head.String()+"\r\n").status, c.name)
		}
		require.Equal(t, []string{"guess:" + c.want, "public:" + c.want},
			b.column(t, `SELECT subject FROM rate_bucket ORDER BY subject`), c.name)
	}
}
