package harness

import (
	"net/http/httptest"
	"testing"

	fencepost "fencepost.internal/sdk/go"
)

// ClientOf returns the client of a system whose API is the server.
func ClientOf(t *testing.T, server *httptest.Server) *fencepost.Client {
	t.Helper()
	return (&System{t: t, APIURL: server.URL, HTTP: server.Client()}).Client("svc_test_x")
}
