// Package cloudtest plays the front of a hosted Temporal, such as Temporal Cloud, before a real server: TLS, client
// certificates, API keys, and calls that clients may not make.
package cloudtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// EnvAddress is the environment variable with the address of the server behind the front.
const EnvAddress = "TEST_TEMPORAL_ADDRESS"

// Options selects the demands of a front.
type Options struct {
	ClientCertificates bool     // whether a connection needs a client certificate of the authority
	APIKey             string   // the key that every call needs, unless empty
	Denied             []string // ends of the paths of calls that get PERMISSION_DENIED
}

// Front is a hosted Temporal.
type Front struct {
	Address   string
	Server    string // the address of the server behind it
	Authority *Authority
	served    atomic.Pointer[x509.Certificate]
}

// Client returns the certificate of the latest call's client; nil if it had none.
func (f *Front) Client() *x509.Certificate { return f.served.Load() }

// Start starts a front until the end of the test.
func Start(t *testing.T, o Options) *Front {
	t.Helper()
	address := os.Getenv(EnvAddress)
	require.NotEmpty(t, address, "%s is not set: run the tests with `make test`, which starts Temporal", EnvAddress)
	f := &Front{Server: address, Authority: NewAuthority(t)}
	plain := new(http.Protocols)
	plain.SetUnencryptedHTTP2(true)
	proxy := &httputil.ReverseProxy{
		Transport: &http.Transport{Protocols: plain}, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: address}) },
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.served.Store(nil)
		if len(r.TLS.PeerCertificates) > 0 {
			f.served.Store(r.TLS.PeerCertificates[0])
		}
		switch {
		case o.APIKey != "" && r.Header.Get("Authorization") != "Bearer "+o.APIKey:
			refuse(w, "16", "Jwt is missing")
		case denied(o.Denied, r.URL.Path):
			refuse(w, "7", "Request unauthorized.")
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	server.EnableHTTP2 = true
	certificate, err := tls.LoadX509KeyPair(f.Authority.Issue(t, "temporal.test"))
	require.NoError(t, err)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	if o.ClientCertificates {
		server.TLS.ClientAuth, server.TLS.ClientCAs = tls.RequireAndVerifyClientCert, f.Authority.pool
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	f.Address = server.Listener.Addr().String()
	return f
}

func denied(ends []string, path string) bool {
	for _, end := range ends {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// refuse responds with a status of gRPC and no message.
func refuse(w http.ResponseWriter, status, message string) {
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Grpc-Status", status)
	w.Header().Set("Grpc-Message", message)
	w.WriteHeader(http.StatusOK)
}

// Authority issues certificates.
type Authority struct {
	File        string // its certificate in PEM form
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pool        *x509.CertPool
	issued      atomic.Int64
}

// NewAuthority returns an authority that no system trusts.
func NewAuthority(t *testing.T) *Authority {
	t.Helper()
	a := &Authority{File: filepath.Join(t.TempDir(), "ca.pem"), pool: x509.NewCertPool()}
	var err error
	a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := a.template("authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	require.NoError(t, err)
	a.certificate, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	a.pool.AddCert(a.certificate)
	write(t, a.File, "CERTIFICATE", der)
	return a
}

func (a *Authority) template(name string) *x509.Certificate {
	const day = 24 * time.Hour
	return &x509.Certificate{
		SerialNumber: big.NewInt(a.issued.Add(1)), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-day), NotAfter: time.Now().Add(day),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// Issue writes a certificate for a name and its key, and returns their files.
func (a *Authority) Issue(t *testing.T, name string) (certificate, key string) {
	t.Helper()
	folder := t.TempDir()
	certificate, key = filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	a.IssueInto(t, name, certificate, key)
	return certificate, key
}

// IssueInto is Issue into files that may exist.
func (a *Authority) IssueInto(t *testing.T, name, certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, a.template(name), a.certificate, private.Public(), a.key)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	write(t, certificate, "CERTIFICATE", der)
	write(t, key, "PRIVATE KEY", encoded)
}

func write(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}
