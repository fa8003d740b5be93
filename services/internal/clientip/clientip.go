// Package clientip finds out where a request came from when proxies of ours stand before a program.
package clientip

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// From is the last address on a request's way that is not one of our own proxies': only the last hop before ours is sure to be no
// invention of the client. Remote is the other end of the connection; forwarded has all lines of X-Forwarded-For, with commas
// between them.
func From(remote netip.Addr, forwarded string, proxies []netip.Prefix) netip.Addr {
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

// Request is From for a request of net/http.
func Request(r *http.Request, proxies []netip.Prefix) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	remote, _ := netip.ParseAddr(host)
	return From(remote, strings.Join(r.Header.Values("X-Forwarded-For"), ","), proxies)
}

func trusted(a netip.Addr, proxies []netip.Prefix) bool {
	return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Customer names who an address belongs to, for limits: the address itself or, of IPv6, the network that one customer has.
func Customer(a netip.Addr) string {
	const bits = 64
	if a.Is6() {
		if network, err := a.WithZone("").Prefix(bits); err == nil {
			return network.String()
		}
	}
	return a.String()
}
