package httpcall_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// TestRequestURLReplacesBaseURL checks that an address is called unchanged, with a certificate of its own host.
func TestRequestURLReplacesBaseURL(t *testing.T) {
	t.Parallel()

	requested := make(chan string, 4)
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requested <- r.Host + r.RequestURI
	}))
	t.Cleanup(server.Close)
	b := setupAt("https://127.0.0.1:1/base")
	transport, ok := server.Client().Transport.(*http.Transport)
	require.True(t, ok)
	b.config.RootCAs = transport.TLSClientConfig.RootCAs
	b.config.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	}
	const rest = "/a%2Fb;c?x=%41&y=1+2/3&z"
	for _, build := range []func() httpcall.Request{
		func() httpcall.Request { return httpcall.Request{Operation: "upload", Method: http.MethodPut} },
		func() httpcall.Request { return raw(fileOf("abc"), 3) },
	} {
		for _, call := range both(b.client(t)) {
			right, wrong := build(), build()
			right.Path, right.Address = []string{"unused"}, "https://example.com"+rest
			_, err := call(t.Context(), right)
			require.NoError(t, err)
			require.Equal(t, "example.com"+rest, <-requested)
			wrong.Address = "https://example.org" + rest // the certificate is not for this host
			_, err = call(t.Context(), wrong)
			requireFailure(t, err, platform.ClassTransient)
		}
	}
	for _, address := range []string{"/a", "ftp://example.com/", "https://", "https://user@example.com/", "https://a b/"} {
		_, err := b.client(t).Call(t.Context(), httpcall.Request{Operation: "upload", Address: address})
		require.Equal(t, httpcall.CodeRequestInvalid, failureOf(t, err, platform.ClassRejected).Code, address)
	}
}

func TestPlainHTTPURLIsAllowed(t *testing.T) {
	t.Parallel()

	b := setup(t, func(http.ResponseWriter, *http.Request) {})
	address := b.config.BaseURL
	b.config.BaseURL = "https://127.0.0.1:1"
	_, err := b.client(t).Call(t.Context(), httpcall.Request{Operation: "upload", Address: address})
	require.NoError(t, err)
}
