package hosts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/kernel/apperr"
)

func TestAllows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		address        string
		further        []string
		known, unknown []string
	}{
		"https": {
			"https://api.example.com", nil,
			[]string{"api.example.com", "API.Example.COM", "api.example.com.", "api.example.com:443", "Api.example.com.:443"},
			[]string{
				"", "example.com", "api.example.com:80", "api.example.com:8443", "api.example.com.evil.test", "evil.test",
				"203.0.113.7", "127.0.0.1", "localhost", "api.example.com..", "[api.example.com",
			},
		},
		"http with a path": {
			"http://api.example.com/mcp", nil,
			[]string{"api.example.com", "api.example.com:80"},
			[]string{"api.example.com:443", "api.example.com:8080"},
		},
		"own port": {
			"https://api.example.com:8443", nil,
			[]string{"api.example.com:8443", "api.example.com", "api.example.com:443"},
			[]string{"api.example.com:8444"},
		},
		"IPv6": {
			"https://[2a00::0:1]:8443", nil,
			[]string{"[2a00::1]:8443", "[2A00:0:0::1]", "[2a00::1]:443"},
			[]string{"[2a00::2]", "[2a00::1]:80", "[::1]"},
		},
		"IPv4": {
			"http://198.51.100.7", nil, []string{"198.51.100.7", "198.51.100.7:80"}, []string{"198.51.100.8", "127.0.0.1"},
		},
		"further hosts": {
			"https://api.example.com",
			[]string{"api", "Internal.example:8080", "internal.example:8081", "[fd00::1]", "both:1", "both"},
			[]string{
				"api.example.com", "api", "api:8080", "internal.example:8080", "internal.example:8081", "[fd00::1]",
				"[fd00::1]:9", "both:2",
			},
			[]string{"internal.example", "internal.example:8082", "fd00.example"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := hosts.New(test.address, test.further)
			require.NoError(t, err)
			for _, host := range test.known {
				require.True(t, set.Allows(host), host)
				require.NoError(t, set.Check(host))
			}
			for _, host := range test.unknown {
				require.False(t, set.Allows(host), host)
				require.True(t, apperr.Is(set.Check(host), apperr.MisdirectedRequest), host)
			}
		})
	}
}

// TestNonPublicAddressesAllowEveryHost checks that such addresses allow every host: in development, and for names that only
// containers can resolve.
func TestNonPublicAddressesAllowEveryHost(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"http://localhost:8080", "http://LOCALHOST.", "http://127.0.0.1:8080", "http://[::1]:8080", "http://0.0.0.0",
		"http://10.1.2.3:8080",
		"http://192.168.1.2", "http://[fd00::1]", "http://files.localhost:8084", "http://api:8080",
		"http://[::ffff:127.0.0.1]", "http://169.254.1.1",
	} {
		set, err := hosts.New(address, []string{"other.example"})
		require.NoError(t, err)
		require.Nil(t, set, address)
		require.True(t, set.Allows("anything.example"))
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "api.example.com", "https://", "://"} {
		_, err := hosts.New(address, nil)
		require.Error(t, err, address)
	}
	_, err := hosts.New("https://api.example.com", []string{":80"})
	require.Error(t, err)
}
