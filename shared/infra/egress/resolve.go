package egress

import (
	"context"
	"errors"
	"net/netip"
)

// Resolver finds the addresses of a name. *net.Resolver is one.
type Resolver interface {
	// LookupNetIP returns the addresses of host, which ends in a dot, for the network "ip".
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// resolve returns the addresses of a host. A name with several addresses is refused when one of them is: who
// owns a name decides in which order its addresses are tried.
func (d *dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}

	if isLocalhost(host) {
		// Only development lets it past the parse gate, and what it means is no question to a resolver.
		if addrs := d.policy.loopbacks(); len(addrs) > 0 {
			return addrs, nil
		}

		return nil, newError(ClassBlockedAddress, StageResolve, nil)
	}

	// The dot keeps the search list of the machine out of it.
	addrs, err := d.resolver.LookupNetIP(ctx, "ip", host+".")

	switch {
	case ctx.Err() != nil:
		return nil, classify(ctx, errors.Join(ctx.Err(), err))
	case err != nil:
		return nil, newError(ClassDNS, StageResolve, err)
	case len(addrs) == 0:
		return nil, newError(ClassDNS, StageResolve, errors.New("egress: no addresses"))
	case len(addrs) == 1:
		return addrs, nil // judged by the dial gate
	}

	for _, addr := range addrs {
		if err := d.policy.checkAddr(addr, StageResolve); err != nil {
			return nil, err
		}
	}

	return addrs, nil
}
