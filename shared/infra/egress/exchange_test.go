package egress_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
)

// serveHTTP starts an ordinary server on the loopback address.
func serveHTTP(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()

	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)

	return server
}

func TestRequestAndResponse(t *testing.T) {
	t.Parallel()

	body := "{\"text\":\"Grüße 🎉 </script>\",\"id\":9007199254740993}\n"

	type received struct {
		method, uri, host, body string
		header                  http.Header
	}

	requests := make(chan received, 1)
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		requests <- received{r.Method, r.RequestURI, r.Host, string(content), r.Header.Clone()}

		w.Header().Set("Set-Cookie", "session=x; Path=/")
		w.Header().Set("X-Answer", "yes")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "thanks")
	})

	client := newLoopbackClient(t, egress.Config{})
	response, err := client.Do(t.Context(), egress.Request{
		URL: server.URL + "/hook/%2F?a=%20b",
		Header: http.Header{
			"Content-Type":        {"application/json"},
			"X-Service-Signature": {"t=1,v1=00"},
			"x-many":              {"1", "2"},
			"User-Agent":          {"another client"},
			"Cookie":              {"a=b"},
			"Referer":             {"https://ok.test/"},
			"Host":                {"evil.test"},
			"Transfer-Encoding":   {"chunked"},
			"Content-Length":      {"1"},
			"Expect":              {"100-continue"},
			"Upgrade":             {"h2c"},
			"Accept-Encoding":     {"gzip"},
		},
		Body: []byte(body),
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, response.Status)
	require.Equal(t, "yes", response.Header.Get("X-Answer"))
	require.Equal(t, "thanks", string(response.Body))
	require.False(t, response.Truncated)

	got := <-requests
	require.Equal(t, http.MethodPost, got.method)
	require.Equal(t, "/hook/%2F?a=%20b", got.uri)
	require.Equal(t, strings.TrimPrefix(server.URL, "http://"), got.host)
	require.Equal(t, body, got.body, "the bytes that were signed are the bytes that are sent")
	require.Equal(t, http.Header{
		"Content-Type":        {"application/json"},
		"X-Service-Signature": {"t=1,v1=00"},
		"X-Many":              {"1", "2"},
		"User-Agent":          {"egress-test/1"},
		"Content-Length":      {"56"},
		"Connection":          {"close"},
	}, got.header)

	_, err = client.Do(t.Context(), egress.Request{Method: http.MethodGet, URL: server.URL})
	require.NoError(t, err)

	got = <-requests
	require.Equal(t, http.MethodGet, got.method)
	require.NotContains(t, got.header, "Cookie", "the cookie of the first answer is not kept")
}

func TestMalformedRequest(t *testing.T) {
	t.Parallel()

	client := newLoopbackClient(t, egress.Config{})
	for name, request := range map[string]egress.Request{
		"method":       {Method: "GET /"},
		"header name":  {Header: http.Header{"X A": {"b"}}},
		"header value": {Header: http.Header{"X-A": {"b\r\nX-B: c"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			request.URL = "http://127.0.0.1:9/"
			_, err := client.Do(t.Context(), request)
			require.Error(t, err)
			require.Empty(t, egress.ClassOf(err), "no fault of the destination")
			require.NotContains(t, err.Error(), "X-B")
		})
	}
}

// TestRedirectsAreNotFollowed sends signed bodies to servers that redirect elsewhere.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()

	var hits atomic.Int64
	inner := serveHTTP(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(inner.URL, "http://"))
	require.NoError(t, err)

	client := newLoopbackClient(t, egress.Config{})

	for _, status := range []string{"301", "302", "303", "304", "307", "308", "300", "399"} {
		for _, location := range []string{
			inner.URL, "http://localhost:" + port + "/", "//127.0.0.1:" + port + "/", "/again",
			"http://169.254.169.254/latest/meta-data/", "file:///etc/passwd", "gopher://127.0.0.1:6379/_INFO",
			"http://user:pass@127.0.0.1:" + port + "/", "", "http://[", "\x01",
		} {
			t.Run(status+" to "+location, func(t *testing.T) {
				t.Parallel()

				server := serveRaw(t, say("HTTP/1.1 "+status+" x\r\nLocation: "+location+"\r\nContent-Length: 0\r\n\r\n"))
				response, err := post(t, client, server.url+"/hook")

				if location == "\x01" && err != nil {
					requireFailure(t, err, egress.ClassProtocol)
				} else {
					require.NoError(t, err)
					require.Equal(t, location, response.Header.Get("Location"))
				}

				require.EqualValues(t, 1, server.conns.Load())
				require.Zero(t, hits.Load())
			})
		}
	}
}

func TestEnvironmentProxyIsIgnored(t *testing.T) {
	var hits atomic.Int64
	proxy := serveHTTP(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })

	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")

	// A proxy is never used for loopback addresses, so the destination must look public.
	destinations := &reached{}
	client := newClient(t, egress.Config{Profile: egress.Import, Resolver: newFakeDNS(internet())})
	egress.SetConnect(client, destinations.connect)

	for _, url := range []string{"http://ok.test/", "https://ok.test/"} {
		_, err := client.Do(t.Context(), egress.Request{URL: url})
		require.ErrorIs(t, err, errReached)
	}

	require.Equal(t, []string{"93.184.216.34:80", "93.184.216.34:443"}, destinations.list())
	require.Zero(t, hits.Load())
}

// TestDNSRebindingBetweenRequests uses a name that is public for the first request and loopback afterwards. No
// connection of the first may serve the second.
func TestDNSRebindingBetweenRequests(t *testing.T) {
	t.Parallel()

	var hits atomic.Int64
	server := serveHTTP(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	dns := newFakeDNS(internet())
	client := newClient(t, egress.Config{Profile: egress.Import, Resolver: dns})

	egress.SetConnect(client, func(ctx context.Context, network, address string, gate egress.Gate) (net.Conn, error) {
		if err := gate(ctx, network, address, nil); err != nil {
			return nil, err
		}

		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(server.URL, "http://"))
	})

	response, err := client.Do(t.Context(), egress.Request{URL: "http://rebind.test/"})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.Status)

	_, err = client.Do(t.Context(), egress.Request{URL: "http://rebind.test/"})
	requireFailure(t, err, egress.ClassBlockedAddress)
	requireStage(t, err, egress.StageDial)
	require.EqualValues(t, 1, hits.Load())
	require.Equal(t, 2, dns.count("rebind.test."), "one look-up for each request")
}

// TestSecondAddressIsUsed uses a name whose first address refuses connections.
func TestSecondAddressIsUsed(t *testing.T) {
	t.Parallel()

	server := serveHTTP(t, func(http.ResponseWriter, *http.Request) {})
	client := newClient(t, egress.Config{Profile: egress.Import, Resolver: newFakeDNS(internet())})

	refuse := &reached{}
	egress.SetConnect(client, func(ctx context.Context, network, address string, gate egress.Gate) (net.Conn, error) {
		if network == "tcp6" {
			return refuse.connect(ctx, network, address, gate)
		}

		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(server.URL, "http://"))
	})

	_, err := client.Do(t.Context(), egress.Request{URL: "http://dual.test/"})
	require.NoError(t, err)
	require.Equal(t, []string{"[2606:4700:4700::1111]:80"}, refuse.list())
}

func TestNewClientRefuses(t *testing.T) {
	t.Parallel()

	policy := newPolicy(t, egress.PolicyConfig{})
	good := egress.Config{Policy: policy, Profile: egress.Webhook, UserAgent: "x"}
	_, err := egress.NewClient(good)
	require.NoError(t, err)

	for name, breakIt := range map[string]func(*egress.Config){
		"no policy":            func(c *egress.Config) { c.Policy = nil },
		"no profile":           func(c *egress.Config) { c.Profile = 0 },
		"unknown profile":      func(c *egress.Config) { c.Profile = 7 },
		"no user agent":        func(c *egress.Config) { c.UserAgent = "" },
		"malformed user agent": func(c *egress.Config) { c.UserAgent = "a\nb" },
		"negative timeout":     func(c *egress.Config) { c.Timeout = -1 },
		"negative body":        func(c *egress.Config) { c.MaxBody = -1 },
	} {
		config := good
		breakIt(&config)
		_, err := egress.NewClient(config)
		require.Error(t, err, name)
	}

	_, err = policy.ParseGate(0, "https://ok.test/")
	requireFailure(t, err, egress.ClassBlockedURL)
	require.Equal(t, "profile 7", egress.Profile(7).String())
}

// slowDNS responds only when the context ends.
type slowDNS struct{}

func (slowDNS) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()

	return nil, &net.DNSError{Err: "i/o timeout", Server: "10.0.0.53:53", IsTimeout: true}
}

func TestResolution(t *testing.T) {
	t.Parallel()

	client := newClient(t, egress.Config{Resolver: newFakeDNS(internet())})
	for _, url := range []string{"https://unknown.test/", "https://none.test/"} {
		_, err := client.Do(t.Context(), egress.Request{URL: url})
		requireFailure(t, err, egress.ClassDNS)
		requireStage(t, err, egress.StageResolve)
	}

	slow := newClient(t, egress.Config{Resolver: slowDNS{}, Timeout: 50 * time.Millisecond})
	_, err := slow.Do(t.Context(), egress.Request{URL: "https://ok.test/"})
	requireFailure(t, err, egress.ClassTimeout)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = slow.Do(ctx, egress.Request{URL: "https://ok.test/"})
	requireFailure(t, err, egress.ClassCanceled)
}

// TestRealResolver queries the machine's resolver for a name that does not exist.
func TestRealResolver(t *testing.T) {
	t.Parallel()

	_, err := newClient(t, egress.Config{Timeout: time.Second}).Do(t.Context(),
		egress.Request{URL: "https://nothing.invalid/"})
	failure := new(egress.Error)
	require.ErrorAs(t, err, &failure)
	require.Contains(t, []egress.Class{egress.ClassDNS, egress.ClassTimeout}, failure.Class)
}
