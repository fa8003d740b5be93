package objectstore

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"
)

// NewTransport returns the transport of a store: HTTP/1.1, TLS 1.2 or newer, no proxy from the environment, no
// decompression. If roots is nil, the system's certificate authorities are used.
func NewTransport(roots *x509.CertPool) *http.Transport {
	const (
		connectTimeout = 5 * time.Second
		// Shorter than the stores' own timeouts, so that a request rarely hits a closing connection.
		idleTimeout = 30 * time.Second
		idlePerHost = 16
		maxHead     = 64 << 10
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

// tolerant removes response headers that the library must parse but this package does not use. The uploader controls
// their values: a signed upload cannot forbid further headers, and stores keep some of them with the object.
type tolerant struct{ http.RoundTripper }

// RoundTrip sends a request.
func (t tolerant) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	response.Header.Del("Expires")
	return response, nil
}
