package lab_test

import (
	"bytes"
	"crypto/sha256"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
)

func open(t *testing.T) *lab.Receiver {
	t.Helper()
	r, err := lab.NewReceiver(t.Context())
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

func send(t *testing.T, url string, header http.Header, body []byte) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	require.NoError(t, err)
	request.Header = header
	response, err := (&http.Client{}).Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

func TestArrivals(t *testing.T) {
	t.Parallel()
	r, secret, body := open(t), webhook.NewSecret(), []byte(`{"id":"evt_1"}`)
	r.Serve("one", lab.Endpoint{Secret: secret})
	r.Serve("dead", lab.Endpoint{Secret: secret, Status: http.StatusInternalServerError})
	now := time.Now()
	for range 2 {
		require.Equal(t, http.StatusOK, send(t, r.URL("one"), webhook.Headers("evt_1", event.PostCreated, now, body, secret),
			body))
	}
	require.Equal(t, http.StatusInternalServerError,
		send(t, r.URL("dead"), webhook.Headers("evt_1", event.PostCreated, now, body, secret), body))
	n, _, err := r.Total()
	require.NoError(t, err)
	require.Equal(t, 2, n)
	got := r.Arrivals("one")
	require.Len(t, got, 1)
	require.Equal(t, sha256.Sum256(body), got["evt_1"].Hash)
	r.Reset()
	require.Empty(t, r.Arrivals("one"))
}

// TestInvalidSignatures sends requests that the receiver must not count.
func TestInvalidSignatures(t *testing.T) {
	t.Parallel()
	secret, body, now := webhook.NewSecret(), []byte(`{"id":"evt_1"}`), time.Now()
	signed := func() http.Header { return webhook.Headers("evt_1", event.PostCreated, now, body, secret) }
	without := func(name string) http.Header { h := signed(); h.Del(name); return h }
	for name, c := range map[string]struct {
		header http.Header
		body   []byte
	}{
		"another secret":   {webhook.Headers("evt_1", event.PostCreated, now, body, webhook.NewSecret()), body},
		"a different body": {signed(), []byte(`{"id":"evt_2"}`)},
		"one signature":    {without(webhook.HeaderStandardSignature), body},
		"the other one":    {without(webhook.HeaderSignature), body},
	} {
		r := open(t)
		r.Serve("one", lab.Endpoint{Secret: secret})
		require.Equal(t, http.StatusForbidden, send(t, r.URL("one"), c.header, c.body), name)
		n, _, err := r.Total()
		require.ErrorIs(t, err, webhook.ErrSignature, name)
		require.Zero(t, n, name)
	}
}

func TestChangedBodyIsDetected(t *testing.T) {
	t.Parallel()
	r := open(t)
	r.Serve("open", lab.Endpoint{})
	for _, body := range []string{"a", "b"} {
		require.Equal(t, http.StatusOK, send(t, r.URL("open"), http.Header{webhook.HeaderDelivery: {"evt_1"}}, []byte(body)))
	}
	_, _, err := r.Total()
	require.ErrorContains(t, err, "a different body")
}

func TestStandardDeliveries(t *testing.T) {
	t.Parallel()
	r, secret, body := open(t), webhook.NewSecret(), []byte(`{"id":"evt_1"}`)
	r.Serve("standard", lab.Endpoint{Secret: secret, Standard: true})
	r.Serve("ours", lab.Endpoint{Secret: secret})
	now := time.Now()
	header := http.Header{}
	header.Set(webhook.HeaderID, "evt_1")
	header.Set(webhook.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
	header.Set(webhook.HeaderStandardSignature, webhook.SignStandard("evt_1", now, body, secret))
	require.Equal(t, http.StatusOK, send(t, r.URL("standard"), header.Clone(), body))
	require.Contains(t, r.Arrivals("standard"), "evt_1")
	_, _, err := r.Total()
	require.NoError(t, err)

	require.Equal(t, http.StatusForbidden, send(t, r.URL("ours"), header.Clone(), body), "our own signature is missing")
	r.Reset()
	header.Set(webhook.HeaderStandardSignature, webhook.SignStandard("evt_1", now, body, webhook.NewSecret()))
	require.Equal(t, http.StatusForbidden, send(t, r.URL("standard"), header, body))
	_, _, err = r.Total()
	require.ErrorIs(t, err, webhook.ErrSignature)
}
