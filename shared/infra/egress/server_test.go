package egress_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/proctest"
)

// rawServer responds to connections with bytes of the test's choice.
type rawServer struct {
	url     string
	written atomic.Int64 // bytes passed to the sockets
	conns   atomic.Int64
}

// serveRaw accepts connections until the test ends. handle gets each connection and must not close it.
func serveRaw(t *testing.T, handle func(conn net.Conn)) *rawServer {
	t.Helper()

	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)

	server := &rawServer{url: "http://" + listener.Addr().String()}

	var (
		group sync.WaitGroup
		mu    sync.Mutex
		open  []net.Conn
	)

	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}

			server.conns.Add(1)
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()

			group.Go(func() {
				defer func() { _ = conn.Close() }()
				handle(&meteredConn{Conn: conn, written: &server.written})
			})
		}
	})

	t.Cleanup(func() {
		_ = listener.Close()

		mu.Lock()
		for _, conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()

		group.Wait()
	})

	return server
}

type meteredConn struct {
	net.Conn

	written *atomic.Int64
}

func (c *meteredConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))

	return n, err
}

// afterRequest reads one request and then writes.
func afterRequest(write func(conn net.Conn)) func(net.Conn) {
	return func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}

		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}

		write(conn)
	}
}

func say(text string) func(net.Conn) {
	return afterRequest(func(conn net.Conn) { _, _ = io.WriteString(conn, text) })
}

// sayAndHang writes and keeps the connection open until the other side closes it.
func sayAndHang(text string) func(net.Conn) {
	return afterRequest(func(conn net.Conn) {
		_, _ = io.WriteString(conn, text)
		_, _ = io.Copy(io.Discard, conn)
	})
}

// drip writes a header and then one piece every few milliseconds until the connection fails.
func drip(head, piece string) func(net.Conn) {
	return afterRequest(func(conn net.Conn) {
		_, _ = io.WriteString(conn, head)

		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()

		for range ticker.C {
			if _, err := io.WriteString(conn, piece); err != nil {
				return
			}
		}
	})
}

// flood writes a header and then pieces as fast as it can until the connection fails.
func flood(head, piece string) func(net.Conn) {
	return afterRequest(func(conn net.Conn) {
		_, _ = io.WriteString(conn, head)
		piece := bytes.Repeat([]byte(piece), 100)

		for {
			if _, err := conn.Write(piece); err != nil {
				return
			}
		}
	})
}

func post(t *testing.T, client *egress.Client, url string) (*egress.Response, error) {
	t.Helper()

	return client.Do(t.Context(), egress.Request{URL: url, Body: []byte(`{"id":1}`)})
}

// TestEndlessResponses sends to servers that would block a sender forever: all requests end with the total timeout.
func TestEndlessResponses(t *testing.T) {
	t.Parallel()

	const (
		total = 2 * time.Second // enough for the head on a busy machine
		// Less than the default timeout, so that a client which ignores its own fails; the rest is for a busy machine.
		late = 14 * time.Second
	)

	tests := map[string]struct {
		handle func(net.Conn)
		status int // if the header arrived
		scheme string
	}{
		"accepts and never answers": {handle: sayAndHang("")},
		"half a status line":        {handle: sayAndHang("HTTP/1.1 20")},
		"head without end":          {handle: sayAndHang("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n")},
		"head that drips":           {handle: drip("HTTP/1.1 200 OK\r\nX-Slow: ", "a")},
		"informational head drips":  {handle: drip("", "HTTP/1.1 102 Processing\r\n\r\n")},
		"body that drips":           {handle: drip("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n", "a"), status: 200},
		"chunks that drip":          {handle: drip("HTTP/1.1 204 x\r\n\r\nHTTP/1.1 200 OK\r\n", "a"), status: 204},
		"chunked body that drips": {
			handle: drip("HTTP/1.1 500 x\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"), status: 500,
		},
		"body that never comes":        {handle: sayAndHang("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), status: 200},
		"reads nothing at all":         {handle: func(conn net.Conn) { <-closedBy(conn) }},
		"accepts and never speaks TLS": {handle: func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }, scheme: "https"},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server := serveRaw(t, test.handle)
			client := newLoopbackClient(t, egress.Config{Timeout: total})

			url := server.url
			if test.scheme != "" {
				url = strings.Replace(url, "http", test.scheme, 1)
			}

			start := time.Now()
			response, err := post(t, client, url)
			elapsed := time.Since(start)

			if test.status == http.StatusNoContent {
				require.NoError(t, err, "204 has no body to wait for")
				require.Equal(t, test.status, response.Status)

				return
			}

			requireFailure(t, err, egress.ClassTimeout)
			require.GreaterOrEqual(t, elapsed, total)
			require.Less(t, elapsed, late)

			if test.status == 0 {
				require.Nil(t, response)
			} else {
				require.NotNil(t, response)
				require.Equal(t, test.status, response.Status, "the head is reported")
			}
		})
	}
}

// closedBy returns a channel that closes when the other side closes the connection; it reads only then.
func closedBy(conn net.Conn) <-chan struct{} {
	closed := make(chan struct{})

	go func() {
		defer close(closed)

		_, _ = io.Copy(io.Discard, conn)
	}()

	return closed
}

// TestOversizedResponses sends to servers that would exhaust a sender's memory or connection.
func TestOversizedResponses(t *testing.T) {
	t.Parallel()

	const socketBuffers = 16 << 20 // bytes that the kernel buffers without a reader

	// Two hundred members of a megabyte of zeros each form one gzip file of 200 MB.
	var member bytes.Buffer
	packer := gzip.NewWriter(&member)
	_, err := packer.Write(make([]byte, 1<<20))
	require.NoError(t, err)
	require.NoError(t, packer.Close())
	bomb := strings.Repeat(member.String(), 200)
	packed := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(bomb), bomb)

	tests := map[string]struct {
		handle    func(net.Conn)
		body      string
		truncated bool
		class     egress.Class
	}{
		"body without length": {
			handle: flood("HTTP/1.1 200 OK\r\n\r\n", "abcdefgh"), body: strings.Repeat("abcdefgh", 2048), truncated: true,
		},
		"chunked body without end": {
			handle: flood("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "4\r\nabcd\r\n"),
			body:   strings.Repeat("abcd", 4096), truncated: true,
		},
		"length of ten gigabytes": {
			handle: flood("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", "abcdefgh"),
			body:   strings.Repeat("abcdefgh", 2048), truncated: true,
		},
		"more than the length says": {
			handle: flood("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", "abcd"), body: strings.Repeat("abcd", 250),
		},
		"exactly the limit": {
			handle: say("HTTP/1.1 200 OK\r\nContent-Length: 16384\r\n\r\n" + strings.Repeat("a", 16384)),
			body:   strings.Repeat("a", 16384),
		},
		"one byte over the limit": {
			handle: say("HTTP/1.1 200 OK\r\nContent-Length: 16385\r\n\r\n" + strings.Repeat("a", 16385)),
			body:   strings.Repeat("a", 16384), truncated: true,
		},
		"gzip bomb": {handle: say(packed), body: bomb[:16384], truncated: true},
		"head of many lines": {
			handle: flood("HTTP/1.1 200 OK\r\n", "X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"), class: egress.ClassTooLarge,
		},
		"head of one line":        {handle: flood("HTTP/1.1 200 OK\r\nX-A: ", "aaaaaaaa"), class: egress.ClassTooLarge},
		"status line without end": {handle: flood("HTTP/1.1 200 ", "aaaaaaaa"), class: egress.ClassTooLarge},
		"informational heads for ever": {
			handle: flood("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), class: egress.ClassTooLarge,
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server := serveRaw(t, test.handle)
			response, err := post(t, newLoopbackClient(t, egress.Config{}), server.url)
			require.Less(t, server.written.Load(), int64(socketBuffers))

			if test.class != "" {
				requireFailure(t, err, test.class)
				require.Nil(t, response)

				return
			}

			require.NoError(t, err)
			require.Equal(t, http.StatusOK, response.Status)
			require.Equal(t, test.body, string(response.Body))
			require.Equal(t, test.truncated, response.Truncated)
		})
	}
}

func TestTruncatedResponses(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		handle func(net.Conn)
		class  egress.Class
		status int
		body   string
	}{
		"closes at once":            {handle: func(net.Conn) {}, class: egress.ClassConnectionReset},
		"closes after the request":  {handle: say(""), class: egress.ClassConnectionReset},
		"resets after the request":  {handle: afterRequest(reset), class: egress.ClassConnectionReset},
		"closes in the status line": {handle: say("HTTP/1.1 2"), class: egress.ClassProtocol},
		"closes in the head":        {handle: say("HTTP/1.1 200 OK\r\nX-A: b\r\n"), class: egress.ClassConnectionReset},
		"closes in the body": {
			handle: say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), class: egress.ClassConnectionReset, status: 200,
			body: "abc",
		},
		"closes in a chunk": {
			handle: say("HTTP/1.1 502 x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"), class: egress.ClassConnectionReset,
			status: 502, body: "abc",
		},
		"chunk length is no number": {
			handle: say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"), class: egress.ClassProtocol,
			status: 200,
		},
		"HTTP/0.9":            {handle: say("<html>hello</html>\r\n\r\n"), class: egress.ClassProtocol},
		"another protocol":    {handle: say("220 mail.test ESMTP\r\n"), class: egress.ClassProtocol},
		"status is no number": {handle: say("HTTP/1.1 abc OK\r\n\r\n"), class: egress.ClassProtocol},
		"length is no number": {
			handle: say("HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n"), class: egress.ClassProtocol,
		},
		"two lengths": {
			handle: say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), class: egress.ClassProtocol,
		},
		"header line without a colon": {handle: say("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), class: egress.ClassProtocol},
		"switches protocols unasked": {
			handle: sayAndHang("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
			class:  egress.ClassProtocol, status: 101,
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server := serveRaw(t, test.handle)
			response, err := post(t, newLoopbackClient(t, egress.Config{}), server.url)
			requireFailure(t, err, test.class)

			if test.status == 0 {
				require.Nil(t, response)

				return
			}

			require.Equal(t, test.status, response.Status)
			require.Equal(t, test.body, string(response.Body))
		})
	}
}

// reset closes a connection with RST.
func reset(conn net.Conn) {
	if metered, ok := conn.(*meteredConn); ok {
		if socket, ok := metered.Conn.(*net.TCPConn); ok {
			_ = socket.SetLinger(0)
			_ = socket.Close()
		}
	}
}

func TestNoListener(t *testing.T) {
	t.Parallel()

	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)

	for _, scheme := range []string{"http", "https"} {
		_, err = post(t, newLoopbackClient(t, egress.Config{}), scheme+"://"+address)
		requireFailure(t, err, egress.ClassConnectionRefused)
		requireStage(t, err, egress.StageDial)
		require.ErrorContains(t, errors.Unwrap(err), address, "the cause is for operators")
	}
}

func TestCanceledRequest(t *testing.T) {
	t.Parallel()

	received := make(chan struct{})
	server := serveRaw(t, afterRequest(func(conn net.Conn) {
		close(received)
		_, _ = io.Copy(io.Discard, conn)
	}))

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-received
		cancel()
	}()

	_, err := newLoopbackClient(t, egress.Config{}).Do(ctx, egress.Request{URL: server.url})
	requireFailure(t, err, egress.ClassCanceled)
	require.ErrorIs(t, err, context.Canceled)

	_, err = newLoopbackClient(t, egress.Config{}).Do(ctx, egress.Request{URL: server.url})
	requireFailure(t, err, egress.ClassCanceled)
}
