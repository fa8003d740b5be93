package framingtest

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hosts sends GET requests to the address. The program must serve the host, and respond to every other host with
// MISDIRECTED_REQUEST.
func Hosts(t *testing.T, address, host string, header http.Header) {
	t.Helper()
	for _, served := range []string{host, host + ":443", host + "."} {
		status, _ := get(t, address, served, header)
		require.Equal(t, http.StatusOK, status, served)
	}
	for _, other := range []string{"other.example", "127.0.0.1", "localhost:8080", "x" + host, host + ":444"} {
		status, body := get(t, address, other, header)
		require.Equal(t, http.StatusMisdirectedRequest, status, other)
		var document struct{ Code, Detail string }
		require.NoError(t, json.Unmarshal(body, &document))
		require.Equal(t, "MISDIRECTED_REQUEST", document.Code)
		require.NotEmpty(t, document.Detail)
	}
}

func get(t *testing.T, address, host string, header http.Header) (status int, body []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	r.Host, r.Header = host, header.Clone()
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	body, err = io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, body
}
