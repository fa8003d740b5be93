package egress

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

const (
	maxName  = 253
	maxLabel = 63
)

// privateSuffixes are the suffixes of names that public resolvers do not resolve: special-use names and cluster names.
var privateSuffixes = []string{"localhost", "local", "internal", "home.arpa", "svc"}

// canonicalHost returns the host as it will be resolved and, if it is an IP address, the address.
func canonicalHost(parsed *url.URL) (string, netip.Addr, error) {
	host := parsed.Hostname()

	switch {
	case host == "":
		return "", netip.Addr{}, blockedURL("it has no host")
	case strings.HasPrefix(parsed.Host, "["):
		return canonicalV6(host)
	}

	host, err := asciiName(host)
	if err != nil {
		return "", netip.Addr{}, err
	}

	// Parsed only now: digits of other scripts and other dots have become ASCII, as in net/http.
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is4() {
		return addr.String(), addr, nil
	}

	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if !wellFormed(name) {
		return "", netip.Addr{}, blockedURL("the host name is malformed")
	}

	return name, netip.Addr{}, nil
}

func canonicalV6(host string) (string, netip.Addr, error) {
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.Is6() || addr.Zone() != "" {
		return "", netip.Addr{}, blockedURL("the host is not a valid IPv6 address")
	}

	addr = addr.Unmap()

	return addr.String(), addr, nil
}

// asciiName converts an internationalized name to ASCII. ASCII names stay unchanged, as in net/http: the IDNA profile
// rejects underscores and hyphens that exist in real names.
func asciiName(host string) (string, error) {
	if !slices.ContainsFunc([]byte(host), func(b byte) bool { return b >= 0x80 }) {
		return host, nil
	}

	mapped, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return "", blockedURL("the host name is malformed")
	}

	return mapped, nil
}

// wellFormed checks the characters and lengths of a lower-case name.
func wellFormed(name string) bool {
	if len(name) > maxName {
		return false
	}

	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabel || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}

		for i := range len(label) {
			c := label[i]
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}

	return true
}

// checkName checks a well-formed name that is not an IP address.
func checkName(name string) error {
	last := name[strings.LastIndexByte(name, '.')+1:]

	switch {
	case numeric(last):
		// 127.1, 2130706433, 0x7f000001: names for this parser, addresses for others.
		return blockedURL("the host looks like an address in an unusual form")
	case isPrivateName(name):
		return blockedURL("the host name is not public")
	case last == name:
		return blockedURL("the host name has no dot")
	default:
		return nil
	}
}

// numeric reports whether a name with this last label "ends in a number" (WHATWG URL, host parsing).
func numeric(label string) bool {
	digits := "0123456789"
	if hex, found := strings.CutPrefix(label, "0x"); found {
		label, digits = hex, "0123456789abcdef"
	}

	return strings.Trim(label, digits) == ""
}

func isPrivateName(name string) bool {
	return slices.ContainsFunc(privateSuffixes, func(suffix string) bool { return within(name, suffix) })
}

func isLocalhost(name string) bool { return within(name, "localhost") }

func within(name, suffix string) bool {
	return name == suffix || strings.HasSuffix(name, "."+suffix)
}
