package httpcall_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// once fails the test if it is read after its end.
type once struct {
	io.Reader

	t     *testing.T
	ended bool
}

// Read reads until the end and fails the test after it.
func (o *once) Read(p []byte) (int, error) {
	if o.ended {
		o.t.Error("a file was read after its end")
	}
	n, err := o.Reader.Read(p)
	o.ended = errors.Is(err, io.EOF)
	return n, err
}

// TestBodyIsReadOnce checks that every read returns bytes or the end, that no file is read after its end, and that a
// complete body has no failure.
func TestBodyIsReadOnce(t *testing.T) {
	t.Parallel()

	files := make([]httpcall.Part, 0, 3)
	for _, content := range []string{"first", "", "third"} {
		files = append(files, (&file{Reader: &once{Reader: strings.NewReader(content), t: t}}).part(int64(len(content))))
	}
	body, err := httpcall.OpenStream(upload(files...))
	require.NoError(t, err)
	var all strings.Builder
	for buffer := make([]byte, 4<<10); ; {
		n, err := body.Read(buffer)
		all.Write(buffer[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.Positive(t, n)
	}
	require.Contains(t, all.String(), "\r\n\r\nfirst\r\n")
	require.Contains(t, all.String(), "\r\n\r\nthird\r\n")
	incomplete, fault := httpcall.Finish(body)
	require.False(t, incomplete)
	require.NoError(t, fault)
}

// TestFailedBodyReturnsNoMoreBytes checks that a body returns no bytes after a failure, even if the file could be read
// again, or after its end.
func TestFailedBodyReturnsNoMoreBytes(t *testing.T) {
	t.Parallel()

	broken, first := errors.New("disk"), true
	reader := readerFunc(func(p []byte) (int, error) {
		if first {
			first = false
			return 0, broken
		}
		return endless{}.Read(p)
	})
	body, err := httpcall.OpenStream(raw(&file{Reader: reader}, 100))
	require.NoError(t, err)
	for range 2 {
		n, err := body.Read(make([]byte, 10))
		require.Zero(t, n)
		require.ErrorIs(t, err, broken)
	}
	incomplete, fault := httpcall.Finish(body)
	require.True(t, incomplete)
	require.ErrorIs(t, fault, broken)

	body, err = httpcall.OpenStream(raw(zeros(100), 100))
	require.NoError(t, err)
	_, err = body.Read(make([]byte, 10))
	require.NoError(t, err)
	incomplete, fault = httpcall.Finish(body)
	require.True(t, incomplete)
	require.NoError(t, fault)
	n, err := body.Read(make([]byte, 10))
	require.Zero(t, n)
	require.Error(t, err)

	// A call that ended before its body reports why it ended. Any other error of the body is kept.
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := errors.New("the worker ends")
	cancel(ended)
	require.Equal(t, ended, httpcall.Because(ctx, err))
	require.Equal(t, broken, httpcall.Because(ctx, broken))
}

// TestProgressPreventsStallTimeout checks a piece that takes longer than the stall timeout, of which the file and
// the network each take a part. The response may take longer too.
func TestProgressPreventsStallTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const size, timeout, write, read = 256 << 10, 10 * time.Second, 8 * time.Second, 4 * time.Second
		b := setupPipe(func(conn net.Conn) {
			request, err := http.ReadRequest(bufio.NewReader(conn))
			if err != nil {
				t.Errorf("read the request: %v", err)
				return
			}
			if n, err := io.Copy(io.Discard, request.Body); n != size || err != nil {
				t.Errorf("read %d bytes of the body: %v", n, err)
			}
			<-time.After(2 * timeout) // the response may take longer than a piece
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		})
		dial := b.config.Dial
		b.config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			return &slowConn{Conn: conn, each: write}, err
		}
		b.config.StallTimeout, b.config.CallTimeout, b.config.CommitTimeout = timeout, time.Hour, time.Hour
		for _, call := range both(b.client(t)) {
			content := zeros(size)
			response, err := call(t.Context(), raw(&file{Reader: readerFunc(func(p []byte) (int, error) {
				<-time.After(read)
				return content.Read(p)
			})}, size))
			require.NoError(t, err)
			require.JSONEq(t, `{}`, string(response.Body))
		}
	})
}

// slowConn delays each write.
type slowConn struct {
	net.Conn

	each time.Duration
}

// Write waits and then writes.
func (c *slowConn) Write(p []byte) (int, error) {
	<-time.After(c.each)
	return c.Conn.Write(p)
}

// setupPipe returns a bundle whose connections are in-memory pipes to serve, for use in a synctest bubble.
func setupPipe(serve func(net.Conn)) *bundle {
	b := setupAt("http://network.test")
	b.config.Dial = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer func() { _ = theirs.Close() }()
			serve(theirs)
		}()
		return ours, nil
	}
	return b
}
