package egress

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"

	"code.dny.dev/ssrf"
)

// azureWire is the address of Azure's host agent inside virtual machines. It is in a public range, so no registry of
// special addresses lists it.
var azureWire = netip.MustParsePrefix("168.63.129.16/32")

// PolicyConfig configures a policy beyond the registries of special addresses.
type PolicyConfig struct {
	// Allow is for development: networks that may be reached although they are not public, also over http and on any
	// port. Nothing else is relaxed.
	Allow []netip.Prefix
	// Deny lists further networks of the operator that must not be reached.
	Deny []netip.Prefix
	// OwnURLs are URLs of this service (API, tool server, pages, object store). Their hosts are blocked.
	OwnURLs []string
	// Interfaces returns the addresses of this machine, which are blocked; nil means net.InterfaceAddrs.
	Interfaces func() ([]net.Addr, error)
}

// Policy decides which destinations are allowed. It is immutable and safe for concurrent use.
type Policy struct {
	allow []netip.Prefix
	table *ssrf.Guardian
	own   []ownHost
}

// NewPolicy returns a policy. It returns an error for invalid prefixes, for own URLs without a host, and if the
// addresses of the machine cannot be read.
func NewPolicy(config PolicyConfig) (*Policy, error) {
	deny, err := denied(config)
	if err != nil {
		return nil, err
	}

	allow, err := canonical(config.Allow)
	if err != nil {
		return nil, err
	}

	policy := &Policy{allow: allow, table: newTable(deny)}

	for _, raw := range config.OwnURLs {
		own, err := newOwnHost(raw)
		if err != nil {
			return nil, err
		}

		policy.own = append(policy.own, own)
	}

	return policy, nil
}

// newTable returns the table of blocked addresses: the IANA registries of special-purpose addresses, all IPv6 addresses
// outside the global unicast range, and the given prefixes.
func newTable(deny []netip.Prefix) *ssrf.Guardian {
	var v4, v6 []netip.Prefix

	for _, prefix := range deny {
		if prefix.Addr().Is4() {
			v4 = append(v4, prefix)
		} else {
			v6 = append(v6, prefix)
		}
	}

	return ssrf.New(ssrf.WithDeniedV4Prefixes(v4...), ssrf.WithDeniedV6Prefixes(v6...))
}

func denied(config PolicyConfig) ([]netip.Prefix, error) {
	interfaces := config.Interfaces
	if interfaces == nil {
		interfaces = net.InterfaceAddrs
	}

	addrs, err := interfaces()
	if err != nil {
		return nil, fmt.Errorf("egress: addresses of this machine: %w", err)
	}

	deny, err := canonical(config.Deny)
	if err != nil {
		return nil, err
	}

	deny = append(deny, azureWire)

	for _, addr := range addrs {
		// Only the address: its network may be as wide as a provider's.
		if network, ok := addr.(*net.IPNet); ok {
			if own, ok := netip.AddrFromSlice(network.IP); ok {
				own = own.Unmap()
				deny = append(deny, netip.PrefixFrom(own, own.BitLen()))
			}
		}
	}

	return deny, nil
}

// canonical returns the prefixes with host bits cleared and IPv4-mapped prefixes in IPv4 form.
func canonical(prefixes []netip.Prefix) ([]netip.Prefix, error) {
	masked := make([]netip.Prefix, 0, len(prefixes))

	for _, prefix := range prefixes {
		if prefix.Addr().Is4In6() && prefix.Bits() >= 96 {
			prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
		}

		if !prefix.IsValid() {
			return nil, errors.New("egress: a prefix is invalid")
		}

		masked = append(masked, prefix.Masked())
	}

	return masked, nil
}

// allowed reports whether an address is in the networks allowed for development.
func (p *Policy) allowed(addr netip.Addr) bool {
	return slices.ContainsFunc(p.allow, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
}

// checkAddr checks an address. An IPv4-mapped IPv6 address is checked as IPv4.
func (p *Policy) checkAddr(addr netip.Addr, stage Stage) error {
	addr = addr.Unmap()

	switch {
	case !addr.IsValid() || addr.Zone() != "":
		return newError(ClassBlockedAddress, stage, errors.New("egress: the address is invalid or has a zone"))
	case p.allowed(addr):
		return nil
	}

	if err := p.table.SafeAddr(addr); err != nil {
		return newError(ClassBlockedAddress, stage, err)
	}

	return nil
}

// ownHost is a host of this service.
type ownHost struct {
	host string
	port uint16
}

// loopback represents all names of this machine.
const loopback = "loopback"

func newOwnHost(raw string) (ownHost, error) {
	parsed, err := url.Parse(raw)
	if err != nil || parsed.Hostname() == "" {
		return ownHost{}, fmt.Errorf("egress: own address %q has no host", raw)
	}

	host, addr, err := canonicalHost(parsed)
	if err != nil {
		return ownHost{}, fmt.Errorf("egress: own address %q: %w", raw, err)
	}

	port, ok := parsePort(parsed)
	if !ok {
		return ownHost{}, fmt.Errorf("egress: own address %q has no valid port", raw)
	}

	return ownHost{host: ownName(host, addr), port: port}, nil
}

func ownName(host string, addr netip.Addr) string {
	if addr.IsLoopback() || isLocalhost(host) {
		return loopback
	}

	return host
}

// isOwn reports whether a destination is this service. If the development settings allow hosts of this machine, the
// port distinguishes the service from another receiver on the machine.
func (p *Policy) isOwn(host string, addr netip.Addr, port uint16, relaxed bool) bool {
	name := ownName(host, addr)

	return slices.ContainsFunc(p.own, func(own ownHost) bool {
		return own.host == name && (!relaxed || own.port == port)
	})
}
