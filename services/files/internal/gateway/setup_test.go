package gateway_test

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/files/internal/gateway"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/kernel/clock"
)

const (
	png     = "image/png"
	picture = "0123456789"
)

// door is a listening gateway in front of a store.
type door struct {
	url      string
	gateway  *gateway.Gateway
	registry *prometheus.Registry
	calls    atomic.Int64 // requests that reached the store
}

// counting counts the requests of the door whose transport it is.
type counting struct {
	http.RoundTripper

	calls *atomic.Int64
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.calls.Add(1)
	return c.RoundTripper.RoundTrip(r)
}

func openDoor(t *testing.T, cfg gateway.Config) *door {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	d := &door{url: "http://" + listener.Addr().String(), registry: prometheus.NewRegistry()}
	if cfg.PublicEndpoint == "" {
		cfg.PublicEndpoint = d.url
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.System()
	}
	if cfg.Transport == nil {
		cfg.Transport = transport(t)
	}
	cfg.Transport = counting{cfg.Transport, &d.calls}
	cfg.Logger, cfg.Registerer = slog.New(slog.DiscardHandler), d.registry
	handler, err := gateway.New(cfg)
	require.NoError(t, err)
	d.gateway = handler
	server := httptest.NewUnstartedServer(handler)
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.Config.DisableGeneralOptionsHandler = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	t.Cleanup(server.Close)
	return d
}

// transport returns a transport with shorter timeouts than the gateway's own.
func transport(t *testing.T) *http.Transport {
	t.Helper()
	created := objectstore.NewTransport(nil)
	created.ResponseHeaderTimeout, created.ExpectContinueTimeout = 5*time.Second, time.Second
	t.Cleanup(created.CloseIdleConnections)
	return created
}

// openBucket returns a door to a new bucket, and a store that signs for the door.
func openBucket(t *testing.T, change ...func(*gateway.Config)) (*door, *objectstore.Store) {
	t.Helper()
	config := objectstoretest.Config(t)
	cfg := gateway.Config{Endpoint: config.Endpoint, Bucket: config.Bucket}
	for _, apply := range change {
		apply(&cfg)
	}
	d := openDoor(t, cfg)
	config.PublicEndpoint = d.url
	return d, objectstoretest.New(t, config)
}

// openFake returns a door to a store implemented by a function, and a store that signs for the door.
func openFake(t *testing.T, handler http.HandlerFunc, change ...func(*gateway.Config)) (*door, *objectstore.Store) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	cfg := gateway.Config{Endpoint: server.URL, Bucket: "media"}
	for _, apply := range change {
		apply(&cfg)
	}
	d := openDoor(t, cfg)
	return d, signer(t, d.url)
}

// signer returns a store that signs but is never connected to.
func signer(t *testing.T, public string) *objectstore.Store {
	t.Helper()
	return objectstoretest.New(t, objectstore.Config{
		Endpoint: "http://store.example.com", PublicEndpoint: public, Bucket: "media", AccessKey: "key",
		SecretKey: "hunter2-hunter2",
	})
}

func signPut(t *testing.T, store *objectstore.Store, key string, size int64) objectstore.SignedPut {
	t.Helper()
	signed, err := store.PresignPut(objectstore.PutTerms{Key: key, ContentType: png, Size: size, Expires: time.Hour})
	require.NoError(t, err)
	return signed
}

func signGet(t *testing.T, store *objectstore.Store, key string) string {
	t.Helper()
	signed, err := store.PresignGet(objectstore.GetTerms{Key: key, Inline: true, Expires: time.Hour})
	require.NoError(t, err)
	return signed.URL
}

func put(t *testing.T, store *objectstore.Store, key, contentType, content string) {
	t.Helper()
	_, err := store.Put(t.Context(), objectstore.PutRequest{
		Key: key, Body: strings.NewReader(content), Size: int64(len(content)), ContentType: contentType,
	})
	require.NoError(t, err)
}

func content(t *testing.T, store *objectstore.Store, key string) string {
	t.Helper()
	reader, err := store.Open(t.Context(), key, objectstore.Range{})
	require.NoError(t, err)
	defer func() { require.NoError(t, reader.Close()) }()
	all, err := io.ReadAll(reader)
	require.NoError(t, err)
	return string(all)
}

func requireAbsent(t *testing.T, store *objectstore.Store, key string) {
	t.Helper()
	_, err := store.Stat(t.Context(), key)
	require.ErrorIs(t, err, objectstore.ErrNotFound)
}

// httpResponse is the response that a client received.
type httpResponse struct {
	status int
	header http.Header
	body   string
}

func read(t *testing.T, response *http.Response) httpResponse {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	got := httpResponse{response.StatusCode, response.Header, string(body)}
	requireProtected(t, got)
	return got
}

// send sends a request as a client does.
func send(t *testing.T, method, address, body string, change func(*http.Request)) httpResponse {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	require.NoError(t, err)
	if change != nil {
		change(request)
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	return read(t, response)
}

func upload(t *testing.T, signed objectstore.SignedPut, body string, change func(*http.Request)) httpResponse {
	t.Helper()
	return send(t, http.MethodPut, signed.URL, body, func(r *http.Request) {
		r.Header = signed.Header.Clone()
		if change != nil {
			change(r)
		}
	})
}

// requireProtected requires the headers that every response has, and the absence of forbidden ones.
func requireProtected(t *testing.T, got httpResponse) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options":       "nosniff",
		"Content-Security-Policy":      "default-src 'none'; media-src 'self'; sandbox",
		"Cross-Origin-Resource-Policy": "cross-origin",
		"Referrer-Policy":              "no-referrer",
		"Access-Control-Allow-Origin":  "*",
	} {
		require.Equal(t, []string{want}, got.header[name], name)
	}
	for name := range got.header {
		lower := strings.ToLower(name)
		require.False(t, strings.HasPrefix(lower, "x-amz-") || strings.HasPrefix(lower, "x-minio-"), name)
		require.NotContains(t, []string{
			"Server", "Set-Cookie", "Location", "Www-Authenticate", "Access-Control-Allow-Credentials",
		}, name)
	}
	if got.header.Get("Content-Length") != "0" && got.status != http.StatusNoContent &&
		got.status != http.StatusNotModified {
		require.NotEmpty(t, got.header.Get("Content-Type"))
	}
	require.NotContains(t, got.body, "<Error>")
}

// requireRefused requires a problem document.
func requireRefused(t *testing.T, got httpResponse, status int, code string) {
	t.Helper()
	require.Equal(t, status, got.status, got.body)
	require.Equal(t, "application/problem+json", got.header.Get("Content-Type"))
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	problem := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(got.body), &problem))
	require.Equal(t, code, problem["code"])
	require.InDelta(t, status, problem["status"], 0)
	require.NotEmpty(t, problem["detail"])
	require.Equal(t, "about:blank", problem["type"])
	require.NotEmpty(t, problem["title"])
}

// raw sends the text unmodified on a new connection.
func raw(t *testing.T, d *door, text string) *bufio.Reader {
	t.Helper()
	_, reader := dial(t, d, text)
	return reader
}

func dial(t *testing.T, d *door, text string) (*net.TCPConn, *bufio.Reader) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", parse(t, d.url).Host)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	tcp, ok := conn.(*net.TCPConn)
	require.True(t, ok)
	return tcp, bufio.NewReader(conn)
}

// head returns the start of a hand-written request.
func head(t *testing.T, method, address string) string {
	t.Helper()
	parsed := parse(t, address)
	return method + " " + parsed.RequestURI() + " HTTP/1.1\r\nHost: " + parsed.Host + "\r\n"
}

func readRaw(t *testing.T, reader *bufio.Reader) httpResponse {
	t.Helper()
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	return read(t, response)
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	return parsed
}

func query(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		values := r.URL.Query()
		values.Set(name, value)
		r.URL.RawQuery = values.Encode()
	}
}

// metric returns the value of a counter or gauge, summed over the labels that are not given.
func (d *door) metric(t *testing.T, name string, labels map[string]string) float64 {
	t.Helper()
	families, err := d.registry.Gather()
	require.NoError(t, err)
	sum := 0.0
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, metric := range family.GetMetric() {
			matching := 0
			for _, label := range metric.GetLabel() {
				if labels[label.GetName()] == label.GetValue() {
					matching++
				}
			}
			if matching == len(labels) {
				sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// requireMetric waits for the value, because an exchange is counted after its response.
func (d *door) requireMetric(t *testing.T, want float64, name string, labels map[string]string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.InDelta(c, want, d.metric(t, name, labels), 0)
	}, 10*time.Second, 10*time.Millisecond)
}
