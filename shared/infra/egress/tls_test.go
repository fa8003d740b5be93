package egress_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
)

// authority signs certificates for tests.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)

	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "test authority"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}

	encoded, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(encoded)
	require.NoError(t, err)

	return &authority{certificate: certificate, key: key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)

	return pool
}

// issue returns a certificate for the loopback address and ok.test, after a change to its template.
func (a *authority) issue(t *testing.T, change func(*x509.Certificate)) tls.Certificate {
	t.Helper()

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)

	template := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:     []string{"ok.test"},
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	change(template)

	encoded, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	require.NoError(t, err)

	return tls.Certificate{Certificate: [][]byte{encoded}, PrivateKey: key}
}

// serveTLS starts a server with the given TLS configuration and counts its requests.
func serveTLS(t *testing.T, config *tls.Config) (*httptest.Server, *atomic.Int64) {
	t.Helper()

	return serveTLSWith(t, config, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
}

func serveTLSWith(t *testing.T, config *tls.Config, handle http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()

	hits := &atomic.Int64{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		handle(w, r)
	}))
	server.TLS = config
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)

	return server, hits
}

func unchanged(*x509.Certificate) {}

func TestTLS(t *testing.T) {
	t.Parallel()

	trusted, untrusted := newAuthority(t), newAuthority(t)

	tests := map[string]struct {
		certificate tls.Certificate
		minimum     uint16
		maximum     uint16
		passes      bool
	}{
		"good":      {certificate: trusted.issue(t, unchanged), passes: true},
		"TLS 1.2":   {certificate: trusted.issue(t, unchanged), maximum: tls.VersionTLS12, passes: true},
		"TLS 1.1":   {certificate: trusted.issue(t, unchanged), minimum: tls.VersionTLS10, maximum: tls.VersionTLS11},
		"untrusted": {certificate: untrusted.issue(t, unchanged)},
		"expired": {certificate: trusted.issue(t, func(c *x509.Certificate) {
			c.NotAfter = time.Now().Add(-time.Minute)
		})},
		"not yet valid": {certificate: trusted.issue(t, func(c *x509.Certificate) {
			c.NotBefore = time.Now().Add(time.Minute)
		})},
		"wrong name": {certificate: trusted.issue(t, func(c *x509.Certificate) { c.IPAddresses = nil })},
		"for clients": {certificate: trusted.issue(t, func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		})},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server, hits := serveTLS(t, &tls.Config{
				Certificates: []tls.Certificate{test.certificate},
				MinVersion:   test.minimum,
				MaxVersion:   test.maximum,
			})
			client := newLoopbackClient(t, egress.Config{RootCAs: trusted.pool()})

			response, err := post(t, client, server.URL)
			if test.passes {
				require.NoError(t, err)
				require.Equal(t, "hello", string(response.Body))

				return
			}

			requireFailure(t, err, egress.ClassTLS)
			requireStage(t, err, egress.StageExchange)
			require.Zero(t, hits.Load())
		})
	}
}

func TestSelfSignedCertificateIsRefused(t *testing.T) {
	t.Parallel()

	server, hits := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{newAuthority(t).issue(t, unchanged)}})
	_, err := post(t, newLoopbackClient(t, egress.Config{}), server.URL)
	requireFailure(t, err, egress.ClassTLS)
	require.Zero(t, hits.Load())
}

// TestServerRequiresClientCertificate uses both versions, because in TLS 1.3 the server rejects the client only after the
// client's handshake is complete.
func TestServerRequiresClientCertificate(t *testing.T) {
	t.Parallel()

	trusted := newAuthority(t)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		server, hits := serveTLS(t, &tls.Config{
			Certificates: []tls.Certificate{trusted.issue(t, unchanged)},
			ClientAuth:   tls.RequireAnyClientCert,
			MinVersion:   tls.VersionTLS12,
			MaxVersion:   version,
		})
		_, err := post(t, newLoopbackClient(t, egress.Config{RootCAs: trusted.pool()}), server.URL)
		requireFailure(t, err, egress.ClassTLS)
		require.Zero(t, hits.Load())
	}
}

func TestPlainServerBehindHTTPS(t *testing.T) {
	t.Parallel()

	server := serveRaw(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
		_, _ = io.Copy(io.Discard, conn)
	})
	_, err := post(t, newLoopbackClient(t, egress.Config{}), strings.Replace(server.url, "http", "https", 1))
	requireFailure(t, err, egress.ClassTLS)

	closing := serveRaw(t, func(net.Conn) {})
	_, err = post(t, newLoopbackClient(t, egress.Config{}), strings.Replace(closing.url, "http", "https", 1))
	requireFailure(t, err, egress.ClassConnectionReset)
}

// TestCertificateOfNameIsVerified resolves a name and connects to the address; the certificate and the Host
// header must be those of the name.
func TestCertificateOfNameIsVerified(t *testing.T) {
	t.Parallel()

	trusted := newAuthority(t)
	server, hits := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{trusted.issue(t, unchanged)}})
	client := newClient(t, egress.Config{RootCAs: trusted.pool(), Resolver: newFakeDNS(internet())})

	egress.SetConnect(client, func(ctx context.Context, network, address string, gate egress.Gate) (net.Conn, error) {
		if err := gate(ctx, network, address, nil); err != nil {
			return nil, err
		}

		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	})

	_, err := post(t, client, "https://OK.test./")
	require.NoError(t, err)
	require.EqualValues(t, 1, hits.Load())

	_, err = post(t, client, "https://my_bucket.ok.test/")
	requireFailure(t, err, egress.ClassTLS)
	require.EqualValues(t, 1, hits.Load())
}
