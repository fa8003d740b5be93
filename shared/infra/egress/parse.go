package egress

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost.internal/shared/kernel/plaintext"
)

// maxURL is the maximum length of a URL in bytes.
const maxURL = 2048

// ParseGate checks the text of a URL and returns it parsed, with its host in canonical form: ASCII, lower case, no
// trailing dot, no default port. Characters of the path and the query that a request line cannot contain are
// percent-encoded. It resolves nothing. It returns an *Error of the class blocked_url or blocked_address whose reason
// explains what to change.
//
// For Import, it accepts what browsers accept in a pasted address: surrounding spaces, spaces in the path or the query,
// and a fragment, which is dropped.
func (p *Policy) ParseGate(profile Profile, raw string) (*url.URL, error) {
	if !profile.valid() {
		return nil, blockedURL("the purpose of the request is unknown")
	}

	if profile == Import {
		raw = tidy(raw)
	}

	if err := checkText(raw); err != nil {
		return nil, err
	}

	start, rest := split(raw)
	raw = start + plaintext.EncodeURL(rest, unsafe)

	if len(raw) > maxURL {
		return nil, blockedURL("it is longer than " + strconv.Itoa(maxURL) + " bytes after percent-encoding")
	}

	parsed, err := url.Parse(raw)
	if err != nil {
		return nil, blockedURL("it is not a valid URL")
	}

	if err := checkForm(parsed, start); err != nil {
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

// unsafe are the ASCII characters that checkText accepts and a request line cannot contain (RFC 3986, appendix A).
// Brackets stay as they are, as in browsers.
const unsafe = "\"<>^`{|}"

// tidy removes the spaces around a URL and its fragment, and percent-encodes the spaces in it. It leaves the part up to
// the host as it is, for checkText to reject: parsers disagree on a fragment that follows the host.
func tidy(raw string) string {
	start, rest := split(strings.Trim(raw, " "))
	rest, _, _ = strings.Cut(rest, "#")

	return start + strings.ReplaceAll(rest, " ", "%20")
}

// checkText rejects text on which URL parsers disagree, before any of them parses it.
func checkText(raw string) error {
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

func checkForm(parsed *url.URL, start string) error {
	switch {
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return blockedURL("it does not begin with https:// or http://")
	case parsed.Opaque != "" || parsed.Host == "":
		return blockedURL("it has no host")
	case parsed.User != nil:
		return blockedURL("it contains credentials")
	case strings.Contains(start, "%"):
		return blockedURL("the host contains a percent sign")
	default:
		return nil
	}
}

// split splits a URL before its path or query. The first part is as it was written, because package url decodes it.
func split(raw string) (start, rest string) {
	host := strings.Index(raw, "//") + len("//")
	if host < len("//") {
		return raw, ""
	}

	if end := strings.IndexAny(raw[host:], "/?"); end >= 0 {
		return raw[:host+end], raw[host+end:]
	}

	return raw, ""
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
