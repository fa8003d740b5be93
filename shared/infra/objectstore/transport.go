package objectstore

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"
)

// NewTransport makes the transport of a store: HTTP/1.1, TLS 1.2 or newer, no proxy of the environment, nothing
// decompressed. The authorities are the system's when roots is nil.
func NewTransport(roots *x509.CertPool) *http.Transport {
	const (
		connectTimeout = 5 * time.Second
		idleTimeout    = 30 * time.Second // below the stores' own, so that a request seldom meets a closing connection
		idlePerHost    = 16
		maxHead        = 64 << 10
	)
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout:    connectTimeout,
		Protocols:              protocols,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHead,
		DisableCompression:     true,
	}
}

// tolerant hides headers of answers which the library must parse and this package does not use. The uploader chooses
// their values: a signed upload cannot forbid further headers, and stores keep some of them with the object.
type tolerant struct{ http.RoundTripper }

// RoundTrip carries a request.
func (t tolerant) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := t.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	answer.Header.Del("Expires")
	return answer, nil
}
