package egress_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
)

func TestDownload(t *testing.T) {
	t.Parallel()

	type received struct {
		method, uri, host string
		header            http.Header
	}

	requests := make(chan received, 1)
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		requests <- received{r.Method, r.RequestURI, r.Host, r.Header.Clone()}

		w.Header().Set("Content-Type", "image/PNG; charset=x")
		w.Header().Set("Content-Length", "5")
		_, _ = io.WriteString(w, "hello")
	})

	download, err := newLoopbackDownloader(t, egress.DownloaderConfig{}).Get(t.Context(),
		server.URL+"/a%20b/cat.png?x=%20", 5)
	require.NoError(t, err)
	require.EqualValues(t, 5, download.Size)
	require.Equal(t, "image/png", download.ContentType)
	require.Equal(t, "cat.png", download.Name)

	content, err := io.ReadAll(download.Body)
	require.NoError(t, err)
	require.Equal(t, "hello", string(content))
	require.NoError(t, download.Body.Close())
	require.NoError(t, download.Body.Close(), "twice")

	request := <-requests
	require.Equal(t, http.MethodGet, request.method)
	require.Equal(t, "/a%20b/cat.png?x=%20", request.uri)
	require.Equal(t, hostOf(server.URL), request.host)
	require.Equal(t, http.Header{
		"User-Agent":      {"egress-test/1"},
		"Accept":          {"*/*"},
		"Accept-Encoding": {"identity"},
		"Connection":      {"close"},
	}, request.header)
}

// TestGzipDownload checks a server that compresses although the request forbids it.
func TestGzipDownload(t *testing.T) {
	t.Parallel()

	for _, coding := range []string{"gzip", "X-GZIP", "identity, gzip"} {
		packed := gzipped(t, "hel") + gzipped(t, "lo")
		server := serveRaw(t, say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s",
			coding, len(packed), packed)))

		download, err := newLoopbackDownloader(t, egress.DownloaderConfig{}).Get(t.Context(), server.url, 5)
		require.NoError(t, err)
		require.EqualValues(t, -1, download.Size, "the announced size is another one")

		content, err := io.ReadAll(download.Body)
		require.NoError(t, err)
		require.Equal(t, "hello", string(content))
		require.NoError(t, download.Body.Close())
		require.NoError(t, download.Body.Close(), "twice")

		_, err = download.Body.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	}
}

func TestDownloadWithoutSize(t *testing.T) {
	t.Parallel()

	server := serveRaw(t, say("HTTP/1.1 200 OK\r\nContent-Type: nonsense//\r\nContent-Encoding: identity\r\n\r\nhello"))

	download, err := newLoopbackDownloader(t, egress.DownloaderConfig{}).Get(t.Context(), server.url, 5)
	require.NoError(t, err)
	require.EqualValues(t, -1, download.Size)
	require.Empty(t, download.ContentType)
	require.Empty(t, download.Name)

	content, err := io.ReadAll(download.Body)
	require.NoError(t, err)
	require.Equal(t, "hello", string(content))
	require.NoError(t, download.Body.Close())
}

// TestDownloadAddresses downloads from every address of the table.
func TestDownloadAddresses(t *testing.T) {
	t.Parallel()

	refused := 0

	for _, test := range addressCases(t) {
		if test.verdict == "BLOCK" {
			refused++
		}

		t.Run(test.url, func(t *testing.T) {
			t.Parallel()

			destinations := &reached{}
			downloader := newDownloader(t, egress.DownloaderConfig{})
			egress.SetDownloadConnect(downloader, destinations.connect)

			_, err := downloader.Get(t.Context(), test.url, megabyte)
			if strings.HasSuffix(test.why, "first look-up only") {
				require.ErrorIs(t, err, errReached)

				destinations = &reached{}
				egress.SetDownloadConnect(downloader, destinations.connect)

				_, err = downloader.Get(t.Context(), test.url, megabyte)
			}

			if test.verdict == "ALLOW" {
				require.ErrorIs(t, err, errReached)
				require.NotEmpty(t, destinations.list())

				return
			}

			failure := new(egress.Error)
			require.ErrorAs(t, err, &failure)
			require.Equal(t, egress.Stage(test.stage), failure.Stage)
			require.Zero(t, destinations.attempts.Load(), "not even a socket")
			require.NotRegexp(t, `\d+\.\d+\.\d+|::`, err.Error())
		})
	}

	require.GreaterOrEqual(t, refused, 120)
}

func TestDownloadRequiresStatusOK(t *testing.T) {
	t.Parallel()

	for _, status := range []int{
		101, 201, 202, 203, 204, 205, 206, 207, 300, 304, 305, 306, 400, 401, 403, 404, 407, 410, 429, 500, 503, 599, 999,
	} {
		server := serveRaw(t, say(fmt.Sprintf("HTTP/1.1 %d x\r\nLocation: /next\r\nContent-Length: 2\r\n\r\nhi", status)))
		_, err := fetch(t, newLoopbackDownloader(t, egress.DownloaderConfig{}), server.url, megabyte)

		requireFailure(t, err, egress.ClassStatus)
		require.ErrorContains(t, err, fmt.Sprintf("status %d", status))

		failure := new(egress.Error)
		require.ErrorAs(t, err, &failure)
		require.Equal(t, status, failure.Status)
		require.EqualValues(t, 1, server.conns.Load())
	}
}

// TestDownloadsAfterDNSRebinding uses a name that is public for the first download and loopback afterwards. No
// connection of the first may serve the second.
func TestDownloadsAfterDNSRebinding(t *testing.T) {
	t.Parallel()

	var hits atomic.Int64
	server := serveHTTP(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	dns := newFakeDNS(internet())
	downloader := newDownloader(t, egress.DownloaderConfig{Resolver: dns})
	sockets := lead(downloader, map[string]string{"80": hostOf(server.URL)})

	_, err := fetch(t, downloader, "http://rebind.test/", megabyte)
	require.NoError(t, err)

	_, err = fetch(t, downloader, "http://rebind.test/", megabyte)
	requireFailure(t, err, egress.ClassBlockedAddress)
	requireStage(t, err, egress.StageDial)
	require.EqualValues(t, 1, hits.Load())
	require.EqualValues(t, 1, sockets.Load())
	require.Equal(t, 2, dns.count("rebind.test."), "one look-up for each request")
}

func TestDownloadUnderDevelopment(t *testing.T) {
	t.Parallel()

	server := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") })
	_, port, err := net.SplitHostPort(hostOf(server.URL))
	require.NoError(t, err)

	allowed := newPolicy(t, egress.PolicyConfig{
		Allow: prefixes("127.0.0.1/32"), OwnURLs: []string{"http://localhost:8080", server.URL},
	})
	_, err = fetch(t, newDownloader(t, egress.DownloaderConfig{Policy: allowed}), "http://localhost:"+port+"/", megabyte)
	requireFailure(t, err, egress.ClassBlockedURL)

	content, err := fetch(t, newLoopbackDownloader(t, egress.DownloaderConfig{}), "http://localhost:"+port+"/", megabyte)
	require.NoError(t, err)
	require.Equal(t, "x", content)

	_, err = fetch(t, newDownloader(t, egress.DownloaderConfig{}), server.URL, megabyte)
	require.Error(t, err, "the policy allows it, nothing else")
}

func TestCanceledDownload(t *testing.T) {
	t.Parallel()

	server := serveRaw(t, sayAndHang("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"))
	downloader := newLoopbackDownloader(t, egress.DownloaderConfig{})
	ctx, cancel := context.WithCancel(t.Context())

	download, err := downloader.Get(ctx, server.url, megabyte)
	require.NoError(t, err)

	_, err = io.ReadFull(download.Body, make([]byte, 3))
	require.NoError(t, err)
	cancel()

	_, err = download.Body.Read(make([]byte, 1))
	requireFailure(t, err, egress.ClassCanceled)
	require.NoError(t, download.Body.Close())

	_, err = downloader.Get(ctx, server.url, megabyte)
	requireFailure(t, err, egress.ClassCanceled)

	download, err = downloader.Get(t.Context(), server.url, megabyte)
	require.NoError(t, err)
	require.NoError(t, download.Body.Close())

	_, err = download.Body.Read(make([]byte, 1))
	requireFailure(t, err, egress.ClassCanceled)
}

func TestNewDownloaderRefuses(t *testing.T) {
	t.Parallel()

	good := egress.DownloaderConfig{Policy: newPolicy(t, egress.PolicyConfig{}), UserAgent: "x"}
	_, err := egress.NewDownloader(good)
	require.NoError(t, err)

	for name, breakIt := range map[string]func(*egress.DownloaderConfig){
		"no policy":            func(c *egress.DownloaderConfig) { c.Policy = nil },
		"no user agent":        func(c *egress.DownloaderConfig) { c.UserAgent = "" },
		"malformed user agent": func(c *egress.DownloaderConfig) { c.UserAgent = "a\nb" },
		"negative timeout":     func(c *egress.DownloaderConfig) { c.Timeout = -1 },
	} {
		config := good
		breakIt(&config)
		_, err := egress.NewDownloader(config)
		require.Error(t, err, name)
	}
}
