package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

const (
	maxRedirectURIs = 20
	maxURI          = 2048
)

// CheckRedirectURI reports what is wrong with a redirect URI that a client wants to register: https, or http on this machine
// alone, absolute, without fragment and credentials (OAuth 2.1, section 2.3; RFC 8252, section 7.3).
func CheckRedirectURI(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case len(raw) > maxURI:
		return Refuse(InvalidRedirectURI, "A redirect URI is longer than %d characters.", maxURI)
	case err != nil || u.Opaque != "" || u.Hostname() == "" || !visible(raw) || strings.ContainsAny(raw, " \\*"):
		return Refuse(InvalidRedirectURI, "%s is not an absolute URI without wildcards.", short(raw))
	case u.Fragment != "" || strings.Contains(raw, "#"):
		return Refuse(InvalidRedirectURI, "%s has a fragment.", short(raw))
	case u.User != nil:
		return Refuse(InvalidRedirectURI, "%s has a user name.", short(raw))
	case u.Scheme == "https", u.Scheme == "http" && isLocal(u):
		return nil
	case u.Scheme == "http":
		return Refuse(InvalidRedirectURI, "%s is http; only redirects to this machine (127.0.0.1, [::1], localhost) may be.", short(raw))
	default:
		return Refuse(InvalidRedirectURI, "The scheme of %s is not https.", short(raw))
	}
}

// matches reports whether a requested redirect URI is the registered one: the same characters, but for the port of a program
// on this machine, which listens where it can (RFC 8252, section 7.3).
func matches(registered, requested string) bool {
	if registered == requested {
		return true
	}
	r, err := url.Parse(registered)
	if err != nil || r.Scheme != "http" || !isLocal(r) {
		return false
	}
	q, err := url.Parse(requested)
	if err != nil || !isLocal(q) || CheckRedirectURI(requested) != nil {
		return false
	}
	r.Host, q.Host = r.Hostname(), q.Hostname()
	return r.String() == q.String()
}

func matchesAny(registered []string, requested string) bool {
	return slices.ContainsFunc(registered, func(r string) bool { return matches(r, requested) })
}

func isLocal(u *url.URL) bool {
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && address.IsLoopback()
}

// short is a text of somebody else's as it may be repeated in an error.
func short(text string) string {
	const most = 100
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
