package egress

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxURL is the maximum length of a URL in bytes.
const maxURL = 2048

// ParseGate checks the text of a URL and returns it parsed, with its host in canonical form: ASCII, lower case, no
// trailing dot, no default port. It resolves nothing. It returns an *Error of the class blocked_url or blocked_address
// whose reason explains what to change.
func (p *Policy) ParseGate(profile Profile, raw string) (*url.URL, error) {
	if !profile.valid() {
		return nil, blockedURL("the purpose of the request is unknown")
	}

	if err := checkText(raw); err != nil {
		return nil, err
	}

	parsed, err := url.Parse(raw)
	if err != nil {
		return nil, blockedURL("it is not a valid URL")
	}

	if err := checkForm(parsed, raw); err != nil {
		return nil, err
	}

	host, addr, err := canonicalHost(parsed)
	if err != nil {
		return nil, err
	}

	port, ok := parsePort(parsed)
	if !ok {
		return nil, blockedURL("the port is not valid")
	}

	relaxed := p.relaxes(host, addr)
	if p.isOwn(host, addr, port, relaxed) {
		return nil, blockedURL("the host belongs to this service")
	}

	if !relaxed {
		if err := p.checkStrict(profile, parsed.Scheme, host, addr, port); err != nil {
			return nil, err
		}
	}

	parsed.Host = joinHost(parsed.Scheme, host, addr, port)

	return parsed, nil
}

// checkText rejects text on which URL parsers disagree, before any of them parses it.
func checkText(raw string) error {
	if len(raw) > maxURL {
		return blockedURL("it is longer than " + strconv.Itoa(maxURL) + " bytes")
	}

	if !utf8.ValidString(raw) {
		return blockedURL("it is not valid UTF-8")
	}

	for i := range len(raw) {
		switch c := raw[i]; {
		case c <= 0x20 || c == 0x7F:
			return blockedURL("it contains a space or control character")
		case c == '\\':
			return blockedURL("it contains a backslash")
		case c == '#':
			return blockedURL("it contains a fragment")
		}
	}

	return nil
}

func checkForm(parsed *url.URL, raw string) error {
	switch {
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return blockedURL("it does not begin with https:// or http://")
	case parsed.Opaque != "" || parsed.Host == "":
		return blockedURL("it has no host")
	case parsed.User != nil:
		return blockedURL("it contains credentials")
	case strings.Contains(authority(raw), "%"):
		return blockedURL("the host contains a percent sign")
	default:
		return nil
	}
}

// authority returns the part of a URL between the slashes as it was written, because package url decodes it.
func authority(raw string) string {
	_, rest, _ := strings.Cut(raw, "//")
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}

	return rest
}

// relaxes reports whether the development settings allow this host: an address in the allowed networks, or localhost if
// those contain a loopback address. Other names stay under the strict rules, because the parse gate does not know what
// they resolve to.
func (p *Policy) relaxes(host string, addr netip.Addr) bool {
	if addr.IsValid() {
		return p.allowed(addr)
	}

	return isLocalhost(host) && len(p.loopbacks()) > 0
}

// loopbacks returns the loopback addresses that the development settings allow.
func (p *Policy) loopbacks() []netip.Addr {
	var addrs []netip.Addr

	for _, addr := range []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()} {
		if p.allowed(addr) {
			addrs = append(addrs, addr)
		}
	}

	return addrs
}

// checkStrict applies the rules that development settings may relax.
func (p *Policy) checkStrict(profile Profile, scheme, host string, addr netip.Addr, port uint16) error {
	if !profile.allowsScheme(scheme) {
		return blockedURL("only https is allowed")
	}

	if usual := defaultPort(scheme); port != usual {
		return blockedURL("only port " + strconv.Itoa(int(usual)) + " is allowed with " + scheme)
	}

	if addr.IsValid() {
		return p.checkAddr(addr, StageParse)
	}

	return checkName(host)
}

// parsePort returns the port in the URL, or the default port of its scheme.
func parsePort(parsed *url.URL) (uint16, bool) {
	text := parsed.Port()
	if text == "" {
		return defaultPort(parsed.Scheme), true
	}

	port, err := strconv.ParseUint(text, 10, 16)

	// Accept one spelling per port: other parsers may read 0443 and +443 differently.
	return uint16(port), err == nil && port > 0 && strconv.FormatUint(port, 10) == text
}

func joinHost(scheme, host string, addr netip.Addr, port uint16) string {
	if port != defaultPort(scheme) {
		return net.JoinHostPort(host, strconv.Itoa(int(port)))
	}

	if addr.Is6() {
		return "[" + host + "]"
	}

	return host
}
