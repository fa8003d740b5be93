package egress

import (
	"context"
	"errors"
	"net/netip"
)

// Resolver finds the addresses of a name. *net.Resolver implements it.
type Resolver interface {
	// LookupNetIP returns the addresses of host, which ends in a dot, for the network "ip".
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// resolve returns the addresses of a host. A name with several addresses is blocked if any of them is blocked, because
// the owner of a name controls the order in which its addresses are tried.
func (d *dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}

	if isLocalhost(host) {
		// Only development settings let localhost pass the parse gate. It is not resolved, because its meaning is
		// fixed.
		if addrs := d.policy.loopbacks(); len(addrs) > 0 {
			return addrs, nil
		}

		return nil, newError(ClassBlockedAddress, StageResolve, nil)
	}

	// The trailing dot disables the machine's search list.
	addrs, err := d.resolver.LookupNetIP(ctx, "ip", host+".")

	switch {
	case ctx.Err() != nil:
		return nil, classify(ctx, errors.Join(ctx.Err(), err))
	case err != nil:
		return nil, newError(ClassDNS, StageResolve, err)
	case len(addrs) == 0:
		return nil, newError(ClassDNS, StageResolve, errors.New("egress: no addresses"))
	case len(addrs) == 1:
		return addrs, nil // checked by the dial gate
	}

	for _, addr := range addrs {
		if err := d.policy.checkAddr(addr, StageResolve); err != nil {
			return nil, err
		}
	}

	return addrs, nil
}
