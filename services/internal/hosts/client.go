package hosts

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Client returns the last address on the request's path that is not one of our own proxies. A client can forge every
// earlier hop; only the hop reported by our outermost proxy is reliable. Remote is the peer of the connection;
// forwarded has all lines of X-Forwarded-For, joined with commas.
func Client(remote netip.Addr, forwarded string, proxies []netip.Prefix) netip.Addr {
	from := remote.Unmap()
	if !trusted(from, proxies) {
		return from
	}
	hops := strings.Split(forwarded, ",")
	for i := len(hops) - 1; i >= 0 && trusted(from, proxies); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		from = hop.Unmap()
	}
	return from
}

// ClientOf calls Client for a request of net/http.
func ClientOf(r *http.Request, proxies []netip.Prefix) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	remote, _ := netip.ParseAddr(host)
	return Client(remote, strings.Join(r.Header.Values("X-Forwarded-For"), ","), proxies)
}

func trusted(a netip.Addr, proxies []netip.Prefix) bool {
	return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Customer returns the rate-limit key of an address: an IPv4 address itself, or the /64 network of an IPv6 address,
// because one customer has at least that network.
func Customer(a netip.Addr) string {
	const bits = 64
	if a.Is6() {
		if network, err := a.WithZone("").Prefix(bits); err == nil {
			return network.String()
		}
	}
	return a.String()
}
