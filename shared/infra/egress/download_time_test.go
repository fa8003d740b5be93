package egress_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
)

// These tests use the production limits: their clock advances when all goroutines wait.

// serveInside connects a downloader to a server within the test's synctest bubble.
func serveInside(t *testing.T, d *egress.Downloader, handle func(conn net.Conn)) {
	t.Helper()

	var group sync.WaitGroup
	t.Cleanup(group.Wait)
	egress.SetDownloadConnect(d, func(ctx context.Context, network, address string, gate egress.Gate) (net.Conn, error) {
		if err := gate(ctx, network, address, nil); err != nil {
			return nil, err
		}

		client, server := net.Pipe()
		group.Go(func() {
			defer func() { _ = server.Close() }()
			handle(server)
		})

		return client, nil
	})
}

// steady responds with a header and then with one piece per period, up to a number of pieces.
func steady(head string, piece []byte, every time.Duration, pieces int) func(net.Conn) {
	return func(conn net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
			return
		}

		if _, err := io.WriteString(conn, head); err != nil {
			return
		}

		for range pieces {
			<-time.After(every)

			if _, err := conn.Write(piece); err != nil {
				return
			}
		}

		if pieces == 0 {
			_, _ = io.Copy(io.Discard, conn)
		}
	}
}

// mute reads and never responds.
func mute(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// dripHandshake announces a handshake record and sends its bytes one by one.
func dripHandshake(conn net.Conn) {
	hello := make([]byte, 256)
	if _, err := conn.Read(hello); err != nil {
		return
	}

	for piece := []byte("\x16\x03\x03\x40\x00"); ; piece = []byte{0} {
		if _, err := conn.Write(piece); err != nil {
			return
		}

		<-time.After(time.Second)
	}
}

func TestTooSlowDownloads(t *testing.T) {
	t.Parallel()

	const (
		forever = 1 << 30
		second  = time.Second
	)

	head := "HTTP/1.1 200 OK\r\n\r\n"
	one := []byte("a")

	tests := map[string]struct {
		url    string
		handle func(net.Conn)
		after  time.Duration
		reason string
	}{
		"never answers": {handle: mute, after: 10 * second},
		"half a head":   {handle: steady("HTTP/1.1 200 OK\r\nX-A: b", nil, 0, 0), after: 10 * second},
		"head that drips": {
			handle: steady("HTTP/1.1 200 OK\r\nX-A: ", one, second, forever), after: 10 * second,
		},
		"informational heads": {
			handle: steady("", []byte("HTTP/1.1 102 Processing\r\n\r\n"), second, forever), after: 10 * second,
		},
		"never shakes hands":    {url: "https://ok.test/", handle: mute, after: 5 * second},
		"handshake that drips":  {url: "https://ok.test/", handle: dripHandshake, after: 5 * second},
		"body that never comes": {handle: steady(head, nil, 0, 0), after: 10 * second, reason: "too slowly"},
		"body that drips": {
			handle: steady(head, one, second, forever), after: 10 * second, reason: "too slowly",
		},
		"chunks that drip": {
			handle: steady("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", []byte("1\r\na\r\n"), second, forever),
			after:  10 * second, reason: "too slowly",
		},
		"half the rate": {
			handle: steady(head, make([]byte, 16<<10), second, forever), after: 19 * second, reason: "too slowly",
		},
		"nearly the rate": {
			handle: steady(head, make([]byte, 30<<10), second, forever), after: 144 * second, reason: "too slowly",
		},
		"quick start": {
			handle: steady(head+strings.Repeat("a", 8*megabyte), one, second, forever), after: 10 * second,
			reason: "too slowly",
		},
		"bursts too far apart": {
			handle: steady(head, make([]byte, megabyte), 11*second, forever), after: 10 * second, reason: "too slowly",
		},
		"the rate, but without an end": {
			handle: steady(head, make([]byte, 40<<10), second, forever), after: 300 * second, reason: "in time",
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				downloader := newDownloader(t, egress.DownloaderConfig{})
				serveInside(t, downloader, test.handle)

				if test.url == "" {
					test.url = "http://ok.test/"
				}

				start := time.Now()
				_, err := fetch(t, downloader, test.url, 1<<40)

				requireFailure(t, err, egress.ClassTimeout)
				require.ErrorContains(t, err, test.reason)
				require.InDelta(t, test.after.Seconds(), time.Since(start).Seconds(), 1.1)
			})
		})
	}
}

func TestSlowDownloadsWithinLimits(t *testing.T) {
	t.Parallel()

	head := "HTTP/1.1 200 OK\r\n\r\n"

	tests := map[string]struct {
		handle func(net.Conn)
		pause  time.Duration // of the reader, after each read
	}{
		"at the rate":                   {handle: steady(head, make([]byte, 32<<10), time.Second, 250)},
		"bursts with pauses":            {handle: steady(head, make([]byte, megabyte), 9*time.Second, 20)},
		"small, and a pause at the end": {handle: steady(head, []byte("a"), 9*time.Second, 1)},
		"reader that takes its time": {
			handle: steady(head, make([]byte, 32<<10), time.Millisecond, 10), pause: 20 * time.Second,
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				downloader := newDownloader(t, egress.DownloaderConfig{})
				serveInside(t, downloader, test.handle)

				download, err := downloader.Get(t.Context(), "http://ok.test/", 1<<40)
				require.NoError(t, err)

				buffer := make([]byte, 64<<10)
				for err == nil {
					_, err = download.Body.Read(buffer)
					<-time.After(test.pause)
				}

				require.Equal(t, io.EOF, err)
				require.NoError(t, download.Body.Close())
			})
		})
	}
}

func TestDownloadTimeout(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		downloader := newDownloader(t, egress.DownloaderConfig{Timeout: 3 * time.Second})
		serveInside(t, downloader, steady("HTTP/1.1 200 OK\r\n\r\n", make([]byte, 64<<10), time.Second, 100))

		start := time.Now()
		_, err := fetch(t, downloader, "http://ok.test/", 1<<40)
		requireFailure(t, err, egress.ClassTimeout)
		require.Equal(t, 3*time.Second, time.Since(start))
	})
}

// TestConnectTimeout uses a name with many addresses, none of which responds.
func TestConnectTimeout(t *testing.T) {
	t.Parallel()

	many := []string{"93.184.216.34", "93.184.216.35", "93.184.216.36", "2606:4700:4700::1111"}

	for name, resolver := range map[string]egress.Resolver{
		"addresses": newFakeDNS(map[string][][]string{"ok.test.": {many}}),
		"names":     slowDNS{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				downloader := newDownloader(t, egress.DownloaderConfig{Resolver: resolver})
				egress.SetDownloadConnect(downloader, func(ctx context.Context, _, _ string, _ egress.Gate) (net.Conn, error) {
					<-ctx.Done()

					return nil, errors.New("no response")
				})

				for _, scheme := range []string{"http", "https"} {
					start := time.Now()
					_, err := fetch(t, downloader, scheme+"://ok.test/", megabyte)
					requireFailure(t, err, egress.ClassTimeout)
					require.Equal(t, 5*time.Second, time.Since(start))
				}
			})
		})
	}
}

// TestSlowRedirects uses redirects that each stay within their limits.
func TestSlowRedirects(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		downloader := newDownloader(t, egress.DownloaderConfig{Timeout: 20 * time.Second})
		serveInside(t, downloader, func(conn net.Conn) {
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
				return
			}

			<-time.After(9 * time.Second)
			_, _ = io.WriteString(conn, "HTTP/1.1 302 x\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
		})

		start := time.Now()
		_, err := fetch(t, downloader, "http://ok.test/", megabyte)
		requireFailure(t, err, egress.ClassTimeout)
		require.Equal(t, 20*time.Second, time.Since(start), "one time for all of them")
	})
}
