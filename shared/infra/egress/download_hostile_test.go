package egress_test

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
)

func gzipped(t *testing.T, content string) string {
	t.Helper()

	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	_, err := packer.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, packer.Close())

	return packed.String()
}

// bomb returns a gzip file of two hundred megabytes of zeros.
func bomb(t *testing.T) string {
	t.Helper()

	return strings.Repeat(gzipped(t, strings.Repeat("\x00", megabyte)), 200)
}

// TestOversizedDownloads downloads from servers that would exhaust the memory, the store or the connection.
func TestOversizedDownloads(t *testing.T) {
	t.Parallel()

	const (
		limit         = 100_000
		socketBuffers = 16 << 20 // bytes that the kernel buffers without a reader
	)

	packed := bomb(t)
	ok := "HTTP/1.1 200 OK\r\n"
	whole := strings.Repeat("a", limit)

	tests := map[string]struct {
		handle func(net.Conn)
		body   string
		class  egress.Class
		reason string
	}{
		"body without length and end": {
			handle: flood(ok+"\r\n", "a"), body: whole, class: egress.ClassTooLarge, reason: "the file",
		},
		"chunked body without end": {
			handle: flood(ok+"Transfer-Encoding: chunked\r\n\r\n", "4\r\naaaa\r\n"), body: whole, class: egress.ClassTooLarge,
			reason: "the file",
		},
		"tiny chunks without end": {
			handle: flood(ok+"Transfer-Encoding: chunked\r\n\r\n", "1;"+strings.Repeat("x", 100)+"\r\na\r\n"),
			class:  egress.ClassProtocol,
		},
		"trailers without end": {
			handle: flood(ok+"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", "X-A: b\r\n"), body: "a",
			class: egress.ClassProtocol,
		},
		"length of ten gigabytes": {
			handle: flood(ok+"Content-Length: 10000000000\r\n\r\n", "a"), class: egress.ClassTooLarge, reason: "the file",
		},
		"length one over the limit": {
			handle: flood(ok+"Content-Length: 100001\r\n\r\n", "a"), class: egress.ClassTooLarge, reason: "the file",
		},
		"length of the limit":        {handle: say(ok + "Content-Length: 100000\r\n\r\n" + whole), body: whole},
		"the limit without a length": {handle: say(ok + "\r\n" + whole), body: whole},
		"one byte more without length": {
			handle: say(ok + "\r\n" + whole + "a"), body: whole, class: egress.ClassTooLarge, reason: "the file",
		},
		"more than the length says": {handle: flood(ok+"Content-Length: 1000\r\n\r\n", "a"), body: whole[:1000]},
		"less than the length says": {
			handle: say(ok + "Content-Length: 1000\r\n\r\nabc"), body: "abc", class: egress.ClassProtocol,
			reason: "the response ended before it was complete",
		},
		"ends within a chunk": {
			handle: say(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc"), body: "abc", class: egress.ClassProtocol,
			reason: "the response ended before it was complete",
		},
		"ends without the last chunk": {
			handle: say(ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), body: "abc", class: egress.ClassProtocol,
			reason: "the response ended before it was complete",
		},
		"chunk length is no number": {
			handle: say(ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), class: egress.ClassProtocol,
		},
		"two lengths": {
			handle: say(ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"), class: egress.ClassProtocol,
		},
		"negative length": {handle: say(ok + "Content-Length: -1\r\n\r\nab"), class: egress.ClassProtocol},
		"resets within the body": {
			handle: afterRequest(func(conn net.Conn) {
				_, _ = conn.Write([]byte(ok +
					"Content-Length: 10\r\n\r\n"))
				reset(conn)
			}),
			class: egress.ClassConnectionReset,
		},
		"closes without an answer": {handle: say(""), class: egress.ClassConnectionReset},
		"HTTP/0.9":                 {handle: say("<html>hello</html>\r\n\r\n"), class: egress.ClassProtocol},
		"another protocol":         {handle: say("220 mail.test ESMTP\r\n"), class: egress.ClassProtocol},
		"head of many lines": {
			handle: flood(ok, "X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"), class: egress.ClassTooLarge, reason: "the head",
		},
		"head of one line": {handle: flood(ok+"X-A: ", "a"), class: egress.ClassTooLarge, reason: "the head"},
		"informational heads for ever": {
			handle: flood("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), class: egress.ClassTooLarge,
			reason: "the head",
		},
		"head of a redirect": {
			handle: flood("HTTP/1.1 302 x\r\nLocation: ", "a"), class: egress.ClassTooLarge, reason: "the head",
		},
		"body of a redirect": {
			handle: flood("HTTP/1.1 302 x\r\nLocation: file:///etc/passwd\r\n\r\n", "a"), class: egress.ClassBlockedURL,
		},
		"body of an error": {handle: flood("HTTP/1.1 500 x\r\n\r\n", "a"), class: egress.ClassStatus},
		"gzip bomb": {
			handle: say(ok + "Content-Encoding: gzip\r\n\r\n" + packed), body: strings.Repeat("\x00", limit),
			class: egress.ClassTooLarge, reason: "the file",
		},
		"gzip bomb with its length": {
			handle: say(fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", ok, len(packed), packed)),
			class:  egress.ClassTooLarge, reason: "the file",
		},
		"gzip members without end and content": {
			handle: flood(ok+"Content-Encoding: gzip\r\n\r\n", gzipped(t, "")), class: egress.ClassTooLarge, reason: "the file",
		},
		"gzip of the limit": {
			handle: say(ok + "Content-Encoding: gzip\r\n\r\n" + gzipped(t, whole)), body: whole,
		},
		"gzip of one byte more": {
			handle: say(ok + "Content-Encoding: gzip\r\n\r\n" + gzipped(t, whole+"a")), body: whole, class: egress.ClassTooLarge,
			reason: "the file",
		},
		"gzip that ends early": {
			handle: say(ok + "Content-Encoding: gzip\r\n\r\n" + gzipped(t, "abc")[:20]), class: egress.ClassProtocol,
			reason: "the response ended before it was complete",
		},
		"gzip that is none": {
			handle: say(ok + "Content-Encoding: gzip\r\n\r\nabcdefghijklmnop"), class: egress.ClassProtocol, reason: "said to be gzip",
		},
		"gzip with a wrong sum": {
			handle: say(ok + "Content-Encoding: gzip\r\n\r\n" + strings.Repeat(gzipped(t, "abc")[:23]+"\x00\x00\x00\x00\x00", 2)),
			class:  egress.ClassProtocol, reason: "said to be gzip",
		},
		"gzip of gzip": {
			handle: say(ok + "Content-Encoding: gzip, gzip\r\n\r\nx"), class: egress.ClassProtocol, reason: "compressed",
		},
		"gzip bomb of the transfer": {
			handle: say(ok + "Transfer-Encoding: gzip, chunked\r\n\r\n" + packed), class: egress.ClassProtocol,
		},
		"gzip bomb as a file": {
			handle: say(ok + "\r\n" + packed), body: packed[:limit], class: egress.ClassTooLarge, reason: "the file",
		},
		"two codings": {
			handle: say(ok + "Content-Encoding: identity, br\r\n\r\nx"), class: egress.ClassProtocol, reason: "compressed",
		},
		"page that calls itself PNG": {
			handle: say(ok + "Content-Type: image/png\r\nContent-Length: 6\r\n\r\n<html>"), body: "<html>",
		},
		"no bytes": {handle: say(ok + "Content-Length: 0\r\n\r\n")},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server := serveRaw(t, test.handle)
			content, err := fetch(t, newLoopbackDownloader(t, egress.DownloaderConfig{}), server.url, limit)
			require.Less(t, server.written.Load(), int64(socketBuffers))

			if test.class == "" {
				require.NoError(t, err)
			} else {
				requireFailure(t, err, test.class)
				require.ErrorContains(t, err, test.reason)
				require.Equal(t, test.reason == "the file", errors.Is(err, egress.ErrLimit))
			}

			if name != "tiny chunks without end" && name != "gzip with a wrong sum" && name != "gzip that ends early" {
				require.Equal(t, test.body, content)
			}
		})
	}
}

func TestDownloadWithoutSpace(t *testing.T) {
	t.Parallel()

	for _, head := range []string{"Content-Length: 1\r\n", ""} {
		server := serveRaw(t, say("HTTP/1.1 200 OK\r\n"+head+"\r\na"))
		for _, limit := range []int64{0, -1} {
			content, err := fetch(t, newLoopbackDownloader(t, egress.DownloaderConfig{}), server.url, limit)
			requireFailure(t, err, egress.ClassTooLarge)
			require.ErrorIs(t, err, egress.ErrLimit)
			require.Empty(t, content)
		}
	}
}

func TestDownloadOverTLS(t *testing.T) {
	t.Parallel()

	trusted, untrusted := newAuthority(t), newAuthority(t)

	tests := map[string]struct {
		certificate tls.Certificate
		minimum     uint16
		maximum     uint16
		passes      bool
	}{
		"good":      {certificate: trusted.issue(t, unchanged), passes: true},
		"untrusted": {certificate: untrusted.issue(t, unchanged)},
		"expired": {
			certificate: trusted.issue(t, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }),
		},
		"wrong name": {certificate: trusted.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"other.test"} })},
		"TLS 1.1":    {certificate: trusted.issue(t, unchanged), minimum: tls.VersionTLS10, maximum: tls.VersionTLS11},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server, hits := serveTLS(t, &tls.Config{
				Certificates: []tls.Certificate{test.certificate},
				MinVersion:   test.minimum,
				MaxVersion:   test.maximum,
			})
			downloader := newDownloader(t, egress.DownloaderConfig{RootCAs: trusted.pool()})
			lead(downloader, map[string]string{"443": server.Listener.Addr().String()})

			content, err := fetch(t, downloader, "https://ok.test/a.jpg", megabyte)
			if test.passes {
				require.NoError(t, err)
				require.Equal(t, "hello", content)

				return
			}

			requireFailure(t, err, egress.ClassTLS)
			require.Zero(t, hits.Load())
		})
	}

	self, hits := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{trusted.issue(t, unchanged)}})
	_, err := fetch(t, newLoopbackDownloader(t, egress.DownloaderConfig{}), self.URL, megabyte)
	requireFailure(t, err, egress.ClassTLS)
	require.Zero(t, hits.Load(), "the authorities of the system do not know it")
}
