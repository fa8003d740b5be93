package gateway

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"fencepost.internal/shared/infra/objectstore"
)

// addresses holds the public location of the bucket's objects.
type addresses struct {
	scheme string
	host   string // the Host that clients must send
	bucket string
	prefix string // prefix of every object path
}

func newAddresses(public *url.URL, bucket string, addressing objectstore.Addressing) addresses {
	known := addresses{scheme: public.Scheme, host: public.Host, bucket: bucket, prefix: "/" + bucket + "/"}
	if addressing == objectstore.AddressingVirtual {
		known.host, known.prefix = bucket+"."+public.Host, "/"
	}
	known.host = known.canonical(known.host)
	return known
}

// named reports whether the request's Host is the public host of the files. Signatures cover it.
func (a addresses) named(r *http.Request) bool { return a.canonical(r.Host) == a.host }

// key returns the key of the object that the request is for, or "" if it is for no object. The path is used as it was
// sent: keys contain no character that needs encoding, so the path is neither decoded nor cleaned and has only one
// reading.
func (a addresses) key(r *http.Request) string {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	key, found := strings.CutPrefix(path, a.prefix)
	if !found || !a.named(r) || !objectstore.ValidKey(key) {
		return ""
	}
	return key
}

// canonical returns the host in lower case, without the scheme's default port.
func (a addresses) canonical(host string) string {
	host = strings.ToLower(host)
	_, port, err := net.SplitHostPort(host)
	if err == nil && (a.scheme == "http" && port == "80" || a.scheme == "https" && port == "443") {
		return strings.TrimSuffix(host, ":"+port)
	}
	return host
}
