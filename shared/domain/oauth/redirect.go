package oauth

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

const (
	maxRedirectURIs = 20
	maxURI          = 2048
)

// CheckRedirectURI validates a redirect URI at registration. It must use https, or http on the user's own machine, be
// absolute, without fragment and credentials (OAuth 2.1, section 2.3; RFC 8252, section 7.3), and without query
// parameters that the response uses.
func CheckRedirectURI(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case len(raw) > maxURI:
		return Refuse(InvalidRedirectURI, "A redirect URI is longer than %d characters.", maxURI)
	case err != nil || u.Opaque != "" || !isHost(u) || !visible(raw) || strings.ContainsAny(raw, " \\*"):
		return Refuse(InvalidRedirectURI, "%s is not an absolute URI without wildcards.", short(raw))
	case !leavesRoom(u.RawQuery):
		return Refuse(InvalidRedirectURI,
			"The query of %s is malformed or has a reserved parameter: code, state, iss or error.", short(raw))
	case u.Fragment != "" || strings.Contains(raw, "#"):
		return Refuse(InvalidRedirectURI, "%s has a fragment.", short(raw))
	case u.User != nil:
		return Refuse(InvalidRedirectURI, "%s has a user name.", short(raw))
	case u.Scheme == "https", u.Scheme == "http" && isLocal(u):
		return nil
	case u.Scheme == "http":
		return Refuse(InvalidRedirectURI, "%s is http, which is allowed only for the local machine (127.0.0.1, [::1], "+
			"localhost).", short(raw))
	default:
		return Refuse(InvalidRedirectURI, "The scheme of %s is not https.", short(raw))
	}
}

// matches reports whether a requested redirect URI equals the registered one. The port of a URI on the user's own
// machine may differ, because a native app listens on any free port (RFC 8252, section 7.3).
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

// leavesRoom reports whether a query has none of the parameters of a response.
func leavesRoom(query string) bool {
	sent, err := url.ParseQuery(query)
	return err == nil && !sent.Has("code") && !sent.Has("state") && !sent.Has("iss") && !sent.Has("error") &&
		!sent.Has("error_description")
}

// hostname matches letters, digits, hyphens, dots and underscores. url.Parse accepts many more characters, such as
// quotes and semicolons, which are unsafe where the host is displayed or used in a header.
var hostname = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$`)

// isHost reports whether the host of a URL is a name or an IP address, with a valid port or none.
func isHost(u *url.URL) bool {
	if port := u.Port(); port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
	} else if strings.HasSuffix(u.Host, ":") {
		return false
	}
	return isAddress(u) || hostname.MatchString(u.Hostname()) && !strings.Contains(u.Hostname(), "..") &&
		!strings.Contains(u.Host, "[")
}

// isAddress reports whether the host is an IP address without a zone.
func isAddress(u *url.URL) bool {
	address, err := netip.ParseAddr(u.Hostname())
	return err == nil && address.Zone() == ""
}

func isLocal(u *url.URL) bool {
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && address.IsLoopback()
}

// short truncates untrusted text for an error message.
func short(text string) string {
	const most = 100
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
