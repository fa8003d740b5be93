package gateway

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"socialpub.internal/shared/infra/objectstore"
)

// addresses knows where the bucket's objects are, as clients see them.
type addresses struct {
	scheme string
	host   string // that clients must name
	bucket string
	prefix string // of every path
}

func newAddresses(public *url.URL, bucket string, addressing objectstore.Addressing) addresses {
	known := addresses{scheme: public.Scheme, host: public.Host, bucket: bucket, prefix: "/" + bucket + "/"}
	if addressing == objectstore.AddressingVirtual {
		known.host, known.prefix = bucket+"."+public.Host, "/"
	}
	known.host = known.canonical(known.host)
	return known
}

// named reports whether the request names the host under which clients reach the files. Signatures cover it.
func (a addresses) named(r *http.Request) bool { return a.canonical(r.Host) == a.host }

// key is that of the object a request is for; "" when it is for anything else. The path is taken as it was sent: keys have
// no character that would have to be encoded, so there is nothing to decode, to clean or to read in two ways.
func (a addresses) key(r *http.Request) string {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	key, found := strings.CutPrefix(path, a.prefix)
	if !found || !a.named(r) || !objectstore.ValidKey(key) {
		return ""
	}
	return key
}

// canonical is a host in lower case and without the scheme's own port.
func (a addresses) canonical(host string) string {
	host = strings.ToLower(host)
	_, port, err := net.SplitHostPort(host)
	if err == nil && (a.scheme == "http" && port == "80" || a.scheme == "https" && port == "443") {
		return strings.TrimSuffix(host, ":"+port)
	}
	return host
}
