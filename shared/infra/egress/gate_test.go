package egress_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}

	return list
}

// TestDialGateBlocksRealDialer checks that the gate works in a real dialer, regardless of earlier checks: the listener
// gets no connection.
func TestDialGateBlocksRealDialer(t *testing.T) {
	t.Parallel()

	var hits atomic.Int64
	server := serveRaw(t, func(net.Conn) { hits.Add(1) })
	address := strings.TrimPrefix(server.url, "http://")
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)

	dialer := &net.Dialer{ControlContext: newPolicy(t, egress.PolicyConfig{}).DialGate(egress.Import)}
	for _, target := range []string{address, "localhost:" + port, "[::ffff:127.0.0.1]:" + port, "0.0.0.0:" + port} {
		_, err := dialer.DialContext(t.Context(), "tcp", target)
		requireFailure(t, errors.Unwrap(err), egress.ClassBlockedAddress)
	}

	require.Zero(t, hits.Load())

	allowed := newPolicy(t, egress.PolicyConfig{Allow: prefixes("127.0.0.1/32")})
	dialer = &net.Dialer{ControlContext: allowed.DialGate(egress.Webhook)}
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

func TestDialGate(t *testing.T) {
	t.Parallel()

	plain := newPolicy(t, egress.PolicyConfig{})
	development := newPolicy(t, egress.PolicyConfig{Allow: prefixes("127.0.0.1/32", "fd00::/8")})

	tests := []struct {
		policy           *egress.Policy
		profile          egress.Profile
		network, address string
		passes           bool
	}{
		{plain, egress.Webhook, "tcp4", "93.184.216.34:443", true},
		{plain, egress.Webhook, "tcp6", "[2606:4700:4700::1111]:443", true},
		{plain, egress.Webhook, "tcp6", "[::ffff:93.184.216.34]:443", true},
		{plain, egress.Import, "tcp4", "93.184.216.34:80", true},
		{plain, egress.Webhook, "tcp4", "93.184.216.34:80", false},
		{plain, egress.Import, "tcp4", "93.184.216.34:22", false},
		{plain, egress.Import, "tcp4", "93.184.216.34:0", false},
		{plain, 0, "tcp4", "93.184.216.34:80", false},
		{plain, egress.Webhook, "tcp", "93.184.216.34:443", false},
		{plain, egress.Webhook, "udp4", "93.184.216.34:443", false},
		{plain, egress.Webhook, "unix", "/run/postgresql/.s.PGSQL.5432", false},
		{plain, egress.Webhook, "tcp4", "", false},
		{plain, egress.Webhook, "tcp4", "ok.test:443", false},
		{plain, egress.Webhook, "tcp4", "93.184.216.34", false},
		{plain, egress.Webhook, "tcp6", "[::1%lo]:443", false},
		{plain, egress.Webhook, "tcp6", "[2606:4700:4700::1111%eth0]:443", false},
		{plain, egress.Webhook, "tcp6", "[fe80::1%25lo]:443", false},
		{plain, egress.Webhook, "tcp6", "[::7f00:1]:443", false},
		{plain, egress.Webhook, "tcp6", "[::ffff:127.0.0.1]:443", false},
		{plain, egress.Webhook, "tcp4", "127.0.0.1:443", false},
		{development, egress.Webhook, "tcp4", "127.0.0.1:5000", true},
		{development, egress.Webhook, "tcp6", "[::ffff:127.0.0.1]:5000", true},
		{development, egress.Webhook, "tcp6", "[fd00::1]:5000", true},
		{development, egress.Webhook, "tcp6", "[fd00::1%eth0]:5000", false},
		{development, egress.Webhook, "tcp4", "127.0.0.2:443", false},
		{development, egress.Webhook, "tcp4", "93.184.216.34:5000", false},
		{development, egress.Webhook, "udp4", "127.0.0.1:5000", false},
	}

	for _, test := range tests {
		t.Run(test.profile.String()+" "+test.network+" "+test.address, func(t *testing.T) {
			t.Parallel()

			err := test.policy.DialGate(test.profile)(t.Context(), test.network, test.address, nil)
			if test.passes {
				require.NoError(t, err)

				return
			}

			requireFailure(t, err, egress.ClassBlockedAddress)
			requireStage(t, err, egress.StageDial)
		})
	}
}

// TestDevelopment checks the only relaxation: listed networks, also over http and on any port.
func TestDevelopment(t *testing.T) {
	t.Parallel()

	policy := newPolicy(t, egress.PolicyConfig{
		Allow:   prefixes("127.0.0.1/32", "10.1.2.3/8", "::ffff:192.168.7.0/120"),
		OwnURLs: []string{"http://localhost:8080", "http://10.0.0.9:9000", "https://api.service.test"},
	})

	tests := map[string]bool{
		"http://127.0.0.1/":           true,
		"http://127.0.0.1:5000/x":     true,
		"https://127.0.0.1:5000/x":    true,
		"http://localhost:5000/":      true,
		"http://receiver.localhost/":  true,
		"http://LocalHost.:5000/":     true,
		"http://[::ffff:7f00:1]:81/":  true,
		"http://10.200.0.1:81/":       true,
		"http://192.168.7.9:81/":      true,
		"https://ok.test/":            true,
		"http://192.168.8.9/":         false,
		"http://127.0.0.2/":           false,
		"http://[::1]:5000/":          false,
		"http://169.254.169.254/":     false,
		"http://ok.test/":             false,
		"https://ok.test:8443/":       false,
		"https://loop.test:5000/":     false,
		"http://minio:9000/":          false,
		"http://db.local/":            false,
		"http://127.1/":               false,
		"http://2130706433/":          false,
		"http://127.0.0.1./":          false,
		"ftp://127.0.0.1/":            false,
		"http://user@127.0.0.1/":      false,
		"http://127.0.0.1/#x":         false,
		"http://127.0.0.1:0/":         false,
		"http://127.0.0.1:65536/":     false,
		"http://localhost:8080/v1":    false, // own
		"http://127.0.0.1:8080/v1":    false, // own, by its address
		"http://x.localhost:8080/":    false, // own, by another name
		"http://10.0.0.9:9000/bucket": false, // own
		"http://10.0.0.9:9001/":       true,
		"https://api.service.test/":   false, // own
	}

	for url, passes := range tests {
		t.Run(url, func(t *testing.T) {
			t.Parallel()

			parsed, err := policy.ParseGate(egress.Webhook, url)
			if !passes {
				require.Error(t, err)
				require.Nil(t, parsed)

				return
			}

			require.NoError(t, err)

			again, err := policy.ParseGate(egress.Webhook, parsed.String())
			require.NoError(t, err)
			require.Equal(t, parsed, again)
		})
	}
}

func TestDevelopmentReachesReceivers(t *testing.T) {
	t.Parallel()

	server := serveHTTP(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	require.NoError(t, err)

	dns := newFakeDNS(map[string][][]string{"loop.test.": {{"127.0.0.1"}}})
	client := newLoopbackClient(t, egress.Config{Resolver: dns})

	for _, host := range []string{"127.0.0.1", "localhost", "receiver.localhost", "[::ffff:127.0.0.1]"} {
		response, err := post(t, client, "http://"+host+":"+port+"/")
		require.NoError(t, err, host)
		require.Equal(t, http.StatusOK, response.Status)
	}

	require.Zero(t, dns.count("localhost."), "localhost is no question to a resolver")

	destinations := &reached{}
	egress.SetConnect(client, destinations.connect)
	_, err = post(t, client, "https://loop.test/")
	require.ErrorIs(t, err, errReached)
	require.Equal(t, []string{"127.0.0.1:443"}, destinations.list(), "an ordinary name may lead there, by https alone")
}

func TestLocalhostNeedsAllowedLoopbackAddress(t *testing.T) {
	t.Parallel()

	for allowed, passes := range map[string]bool{
		"127.0.0.0/8": true, "::1/128": true, "10.0.0.0/8": false, "127.0.0.2/32": false,
	} {
		_, err := newPolicy(t, egress.PolicyConfig{Allow: prefixes(allowed)}).ParseGate(egress.Webhook,
			"http://localhost:5000/")
		require.Equal(t, passes, err == nil, allowed)
	}
}

func TestOperatorAndMachineAddresses(t *testing.T) {
	t.Parallel()

	policy := newPolicy(t, egress.PolicyConfig{
		Deny: prefixes("93.184.216.0/24", "2606:4700::/32"),
		Interfaces: func() ([]net.Addr, error) {
			_, v4, err := net.ParseCIDR("8.8.8.0/24")
			if err != nil {
				return nil, err
			}
			v4.IP = net.ParseIP("8.8.8.8")

			return []net.Addr{v4, &net.IPNet{IP: net.ParseIP("2a00::1"), Mask: net.CIDRMask(64, 128)}, &net.UnixAddr{}}, nil
		},
	})

	for host, passes := range map[string]bool{
		"93.184.216.34": false, "93.184.217.1": true, "[2606:4700::1]": false, "[2606:4701::1]": true,
		"8.8.8.8": false, "8.8.8.9": true, "[::ffff:8.8.8.8]": false, "[2a00::1]": false, "[2a00::2]": true,
		"168.63.129.16": false,
	} {
		_, err := policy.ParseGate(egress.Webhook, "https://"+host+"/")
		require.Equal(t, passes, err == nil, host)
		if err != nil {
			requireFailure(t, err, egress.ClassBlockedAddress)
		}
	}
}

func TestNewPolicy(t *testing.T) {
	t.Parallel()

	_, err := egress.NewPolicy(egress.PolicyConfig{})
	require.NoError(t, err, "with the addresses of this machine")

	broken := errors.New("no interfaces")
	for name, config := range map[string]egress.PolicyConfig{
		"interfaces":        {Interfaces: func() ([]net.Addr, error) { return nil, broken }},
		"allow":             {Allow: []netip.Prefix{{}}},
		"deny":              {Deny: []netip.Prefix{{}}},
		"own without host":  {OwnURLs: []string{"/x"}},
		"own unparsable":    {OwnURLs: []string{"http://[::1"}},
		"own bad host":      {OwnURLs: []string{"http://a..b"}},
		"own bad IPv6 host": {OwnURLs: []string{"http://[fe80::1%25lo]"}},
		"own bad port":      {OwnURLs: []string{"http://a.test:0"}},
	} {
		_, err := egress.NewPolicy(config)
		require.Error(t, err, name)
	}
}

func TestParseGateTexts(t *testing.T) {
	t.Parallel()

	policy := newPolicy(t, egress.PolicyConfig{})
	long := "https://ok.test/" + strings.Repeat("a", 2048-len("https://ok.test/"))

	parsed, err := policy.ParseGate(egress.Webhook, long)
	require.NoError(t, err)
	require.Equal(t, long, parsed.String())

	label := strings.Repeat("a", 63)
	for name, url := range map[string]string{
		"too long":         long + "a",
		"invalid UTF-8":    "https://ok.test/\xff",
		"tab":              "https://ok.test/\t",
		"newline":          "https://ok.test/\n",
		"NUL":              "https://ok.test/\x00",
		"delete":           "https://ok.test/\x7f",
		"leading space":    " https://ok.test/",
		"long label":       "https://" + label + "a.test/",
		"long name":        "https://" + strings.Repeat(label+".", 4) + "test/",
		"right to left":    "https://\u202eok.test/",
		"bad escape":       "https://ok.test/%zz",
		"fragment":         "https://ok.test/#x",
		"space":            "https://ok.test/a b",
		"long encoded":     "https://ok.test/" + strings.Repeat("日", 680),
		"empty":            "",
		"mapped to spaces": "https://ok\u3000.test/",
	} {
		_, err := policy.ParseGate(egress.Webhook, url)
		requireFailure(t, err, egress.ClassBlockedURL)
		require.Error(t, err, name)
	}

	for given, want := range map[string]string{
		"HTTPS://OK.Test.:443/A?B":                 "https://ok.test/A?B",
		"https://ok.test:/":                        "https://ok.test/",
		"https://bücher.ok.test/ü":                 "https://xn--bcher-kva.ok.test/%C3%BC",
		"https://[2606:4700:4700:0:0:0:0:1111]/":   "https://[2606:4700:4700::1111]/",
		"https://[::ffff:5db8:d822]:443/":          "https://93.184.216.34/",
		"https://ok.test":                          "https://ok.test",
		"https://ok.test/日本?name=été&x=%C3%A9":     "https://ok.test/%E6%97%A5%E6%9C%AC?name=%C3%A9t%C3%A9&x=%C3%A9",
		"https://bücher.ok.test?ü":                 "https://xn--bcher-kva.ok.test?%C3%BC",
		"https://ok.test/a%2Fb/é":                  "https://ok.test/a%2Fb/%C3%A9",
		"https://ok.test/?a=\"<b>\"&c=^`{|}&d[]=1": "https://ok.test/?a=%22%3Cb%3E%22&c=%5E%60%7B%7C%7D&d[]=1",
	} {
		for _, profile := range []egress.Profile{egress.Webhook, egress.Import} {
			parsed, err := policy.ParseGate(profile, given)
			require.NoError(t, err)
			require.Equal(t, want, parsed.String())
			require.NotRegexp(t, `[^!-~]`, parsed.String())
		}
	}
}

// TestPastedAddresses checks the texts that browsers accept, for imports.
func TestPastedAddresses(t *testing.T) {
	t.Parallel()

	policy := newPolicy(t, egress.PolicyConfig{})
	for given, want := range map[string]string{
		"  https://ok.test/a.jpg ":     "https://ok.test/a.jpg",
		"https://ok.test/a.jpg#top":    "https://ok.test/a.jpg",
		"https://ok.test/a.jpg?x#a#b":  "https://ok.test/a.jpg?x",
		"https://ok.test/a b/c d.jpg":  "https://ok.test/a%20b/c%20d.jpg",
		"https://ok.test/a%2Fb c":      "https://ok.test/a%2Fb%20c",
		"https://ok.test/?q=a b&c=d+e": "https://ok.test/?q=a%20b&c=d+e",
	} {
		parsed, err := policy.ParseGate(egress.Import, given)
		require.NoError(t, err, given)
		require.Equal(t, want, parsed.String())
	}

	for _, given := range []string{
		"https://ok.test #", "https://o k.test/", "https ://ok.test/", "https:// ok.test/", "https://ok.test#top",
		"https://ok.test:443 /", "\thttps://ok.test/", "https://ok.test/a\tb", "https://a b@ok.test/", "a b", " ", "#",
	} {
		_, err := policy.ParseGate(egress.Import, given)
		requireFailure(t, err, egress.ClassBlockedURL)
	}
}

func FuzzParseGate(f *testing.F) {
	policy := newPolicy(f, egress.PolicyConfig{OwnURLs: ownURLs()})
	for line := range strings.Lines(addresses) {
		url, _, _ := strings.Cut(line, " | ")
		f.Add(strings.TrimRight(url, " \n"))
	}

	f.Fuzz(func(t *testing.T, raw string) {
		for _, profile := range []egress.Profile{egress.Webhook, egress.Import} {
			parsed, err := policy.ParseGate(profile, raw)
			if err != nil {
				require.NotEmpty(t, egress.ClassOf(err))

				continue
			}

			again, err := policy.ParseGate(profile, parsed.String())
			require.NoError(t, err, "what passed passes again")
			require.Equal(t, parsed.String(), again.String())
			require.Nil(t, parsed.User)
			require.Empty(t, parsed.Port())
			require.Empty(t, parsed.Fragment)

			if addr, err := netip.ParseAddr(parsed.Hostname()); err == nil {
				require.True(t, addr.IsGlobalUnicast() && !addr.IsPrivate() && !addr.IsLoopback() && addr.Zone() == "")

				port := map[string]string{"https": "443", "http": "80"}[parsed.Scheme]
				gate := policy.DialGate(profile)
				network := map[bool]string{true: "tcp4", false: "tcp6"}[addr.Is4()]
				require.NoError(t, gate(t.Context(), network, net.JoinHostPort(addr.String(), port), nil), "the gates agree")
			}
		}
	})
}

// TestConnectionsUseDialGate checks that the gate is wired in, because the earlier checks would hide a missing gate.
func TestConnectionsUseDialGate(t *testing.T) {
	t.Parallel()

	var verdict error
	client := newClient(t, egress.Config{Resolver: newFakeDNS(internet())})
	egress.SetConnect(client, func(ctx context.Context, _, _ string, gate egress.Gate) (net.Conn, error) {
		verdict = gate(ctx, "tcp4", "127.0.0.1:443", nil)

		return nil, errReached
	})

	_, err := post(t, client, "https://ok.test/")
	require.ErrorIs(t, err, errReached)
	requireFailure(t, verdict, egress.ClassBlockedAddress)

	server := serveRaw(t, func(net.Conn) {})
	address := strings.TrimPrefix(server.url, "http://")

	_, err = egress.Connect(t.Context(), "tcp4", address,
		func(_ context.Context, network, requested string, _ syscall.RawConn) error {
			require.Equal(t, "tcp4", network)
			require.Equal(t, address, requested)

			return errReached
		})
	require.ErrorIs(t, err, errReached)
	require.Zero(t, server.conns.Load())
}
