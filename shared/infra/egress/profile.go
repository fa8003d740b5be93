// Package egress sends requests to URLs that users chose, and prevents requests to machines that only this service can
// reach (server-side request forgery).
//
// Every request passes two gates:
//
//   - The parse gate (Policy.ParseGate) checks the text of a URL, when it is stored and again at each use.
//   - The dial gate (Policy.DialGate) checks the address and port to which a socket is about to connect, after
//     resolution. Its result is final, whatever the name resolved to earlier, which prevents DNS rebinding.
//
// Between them, names are resolved once, by Go's own resolver. A name with several addresses is blocked if any of them
// is blocked. The proxy settings of the environment are ignored. A Client decompresses nothing and follows no redirects; a
// Downloader decompresses gzip within the limit of the file, and follows redirects, each through both gates.
//
// A Policy defines the allowed destinations, a Profile the allowed schemes and ports. Errors have classes and texts
// that can be shown to a tenant: they never contain a resolved address.
package egress

import "strconv"

// Profile is a purpose of outgoing requests, with its own schemes and ports.
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

// allowsScheme reports whether the lower-case scheme is allowed.
func (p Profile) allowsScheme(scheme string) bool {
	return scheme == "https" || scheme == "http" && p == Import
}

// allowsPort checks the port for the dial gate, which does not know the scheme.
func (p Profile) allowsPort(port uint16) bool {
	return port == 443 || port == 80 && p == Import
}

// defaultPort returns the default port of a scheme.
func defaultPort(scheme string) uint16 {
	if scheme == "http" {
		return 80
	}

	return 443
}
