// Package egress sends requests to addresses that users chose, without letting them choose machines that
// only this service can reach (server-side request forgery).
//
// Two gates stand in the way, and both see every request:
//
//   - The parse gate (Policy.ParseGate) judges the text of an address, when it is stored and again at each use.
//   - The dial gate (Policy.DialGate) judges the address and port a socket is about to connect to, after
//     resolution. Whatever a name resolved to when it was checked, this is what counts: it closes
//     DNS rebinding.
//
// Between them, names are resolved once, by Go's own resolver, and a name with several addresses is refused
// when any of them is. No proxy of the environment is used, nothing is decompressed. A Client follows no redirect; a
// Downloader follows a few, each through both gates.
//
// What the gates let pass is decided by a Policy; which schemes and ports, by a Profile. Errors are classes
// with texts that can be shown to a tenant: they never contain a resolved address.
package egress

import "strconv"

// Profile is a purpose of outgoing requests with its own schemes and ports.
type Profile int

const (
	// Webhook allows https on port 443.
	Webhook Profile = iota + 1
	// Import allows https on port 443 and http on port 80.
	Import
)

// String returns the name of the profile.
func (p Profile) String() string {
	switch p {
	case Webhook:
		return "webhook"
	case Import:
		return "import"
	default:
		return "profile " + strconv.Itoa(int(p))
	}
}

func (p Profile) valid() bool { return p == Webhook || p == Import }

// allowsScheme takes a scheme in lower case.
func (p Profile) allowsScheme(scheme string) bool {
	return scheme == "https" || scheme == "http" && p == Import
}

// allowsPort is what the dial gate knows: a port without its scheme.
func (p Profile) allowsPort(port uint16) bool {
	return port == 443 || port == 80 && p == Import
}

// defaultPort returns the one port of a scheme.
func defaultPort(scheme string) uint16 {
	if scheme == "http" {
		return 80
	}

	return 443
}
