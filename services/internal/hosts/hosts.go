// Package hosts decides which Host values a program serves. A request for another host was misdirected (RFC 9110,
// section 15.5.20): by a wrong DNS record, by a proxy, or by a web page that rebound its own name to the program's
// address. It also determines which client sent a request that passed through our own proxies.
package hosts

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/shared/kernel/apperr"
)

// Set holds the hosts of one program. A nil Set allows every host.
type Set struct {
	exact map[string]bool     // as clients usually send it
	ports map[string][]string // by canonical name; none: every port
}

// New returns the hosts of a public address and of further entries, each a host with or without a port. The result is
// nil, which allows every host, when the address is not public: on this machine, in a private network, or a name
// without a dot.
//
// The host of the address is allowed with its port, with the default port of its scheme, and without a port, because
// some proxies omit it. An entry without a port allows every port.
func New(address string, further []string) (*Set, error) {
	public, err := url.Parse(address)
	if err != nil || public.Hostname() == "" {
		return nil, errors.New("hosts: the public address has no host")
	}
	if !isPublic(canonical(public.Hostname())) {
		return nil, nil //nolint:nilnil // a nil Set allows every host
	}
	s := &Set{exact: map[string]bool{public.Host: true}, ports: map[string][]string{
		canonical(public.Hostname()): {"", public.Port(), defaultPort(public.Scheme)},
	}}
	for _, entry := range further {
		if err := s.add(entry); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Set) add(entry string) error {
	name, port := split(entry)
	if name == "" {
		return errors.New("hosts: an entry has no host")
	}
	known, found := s.ports[name]
	switch {
	case port == "" || found && len(known) == 0:
		s.ports[name] = nil
	default:
		s.ports[name] = append(known, port)
	}
	return nil
}

// Allows reports whether the program serves the host, which may have a port.
func (s *Set) Allows(host string) bool {
	if s == nil || s.exact[host] {
		return true
	}
	name, port := split(host)
	ports, found := s.ports[name]
	return found && (len(ports) == 0 || slices.Contains(ports, port))
}

// Check returns MISDIRECTED_REQUEST unless the program serves the host.
func (s *Set) Check(host string) error {
	if s.Allows(host) {
		return nil
	}
	return apperr.New(apperr.MisdirectedRequest,
		"The header Host does not name this service. Send the request to the public URL of the service.")
}

// Name returns the canonical name of a host, without its port.
func Name(host string) string {
	name, _ := split(host)
	return name
}

// split returns the canonical name and the port of a host; the port is empty if there is none.
func split(host string) (name, port string) {
	if name, port, err := net.SplitHostPort(host); err == nil {
		return canonical(name), port
	}
	if address, closed := strings.CutSuffix(host, "]"); closed {
		return canonical(strings.TrimPrefix(address, "[")), ""
	}
	return canonical(host), ""
}

// canonical returns a name in lower case without its trailing dot, and an IP address in its shortest form.
func canonical(name string) string {
	if address, err := netip.ParseAddr(name); err == nil {
		return address.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

func isPublic(name string) bool {
	if address, err := netip.ParseAddr(name); err == nil {
		return address.IsGlobalUnicast() && !address.IsPrivate()
	}
	return strings.Contains(name, ".") && !strings.HasSuffix(name, ".localhost")
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}
