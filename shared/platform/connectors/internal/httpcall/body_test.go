package httpcall_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// file counts how often it is opened and closed.
type file struct {
	io.Reader

	openFailure    error
	opened, closed atomic.Int32
}

func (f *file) open() (io.ReadCloser, error) {
	if f.openFailure != nil {
		return nil, f.openFailure
	}
	f.opened.Add(1)
	return f, nil
}

// Close counts the call.
func (f *file) Close() error {
	f.closed.Add(1)
	if closer, ok := f.Reader.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

func (f *file) requireClosed(t *testing.T) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Equal(c, f.opened.Load(), f.closed.Load()) },
		5*time.Second, time.Millisecond)
}

func fileOf(content string) *file { return &file{Reader: strings.NewReader(content)} }

// zeros returns a file of the given size that is generated while it is read.
func zeros(size int64) *file { return &file{Reader: io.LimitReader(endless{}, size)} }

type endless struct{}

// Read fills p with zeros.
func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func (f *file) part(size int64) httpcall.Part {
	return httpcall.Part{Field: "photo", FileName: "photo.jpg", ContentType: "image/jpeg", Size: size, Open: f.open}
}

func upload(parts ...httpcall.Part) httpcall.Request {
	request := post()
	request.JSON, request.Multipart = nil, &httpcall.Multipart{Fields: [][2]string{{"caption", "grüße"}}, Files: parts}
	return request
}

func raw(f *file, size int64) httpcall.Request {
	request := post()
	request.Method, request.JSON = http.MethodPut, nil
	request.Body = &httpcall.Body{Reader: f.open, Size: size, ContentType: "video/mp4"}
	return request
}

// both returns the two kinds of calls.
func both(client *httpcall.Client) map[string]func(context.Context, httpcall.Request) (httpcall.Response, error) {
	return map[string]func(context.Context, httpcall.Request) (httpcall.Response, error){
		"call": client.Call, "commit": client.CommitCall,
	}
}

// received is a request as the server received it.
type received struct {
	*http.Request

	body []byte
}

// part is one part of a form.
type part struct{ field, name, kind, content string }

// parts reads the form.
func (r received) parts(t *testing.T) []part {
	t.Helper()
	require.Empty(t, r.TransferEncoding)
	require.Len(t, r.body, int(r.ContentLength))
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	require.NoError(t, err)
	reader := multipart.NewReader(bytes.NewReader(r.body), parameters["boundary"])
	var parts []part
	for {
		p, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return parts
		}
		require.NoError(t, err)
		content, err := io.ReadAll(p)
		require.NoError(t, err)
		parts = append(parts, part{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(content)})
	}
}

func TestMultipartArrives(t *testing.T) {
	t.Parallel()

	seen := make(chan received, 1)
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen <- received{r, body}
		_, _ = w.Write([]byte(`{}`))
	})
	for name, call := range both(b.client(t)) {
		first, second, empty := fileOf("first\r\n--"), fileOf("second"), fileOf("")
		request := upload(first.part(9), second.part(6), empty.part(0))
		request.Multipart.Fields = append(request.Multipart.Fields, [2]string{`a"; name="b`, "x\r\ny"},
			[2]string{"empty", ""})
		request.Multipart.Files[1].FileName = "ä\"; filename=\"b\\c\r\nX-Evil: 1\x00\u202e.jpg"
		request.Multipart.Files[1].ContentType = "text/html\r\nX-Evil: 1"
		_, err := call(t.Context(), request)
		require.NoError(t, err, name)
		require.Equal(t, []part{
			{"caption", "", "", "grüße"},
			{"a%22; name=%22b", "", "", "x\r\ny"},
			{"empty", "", "", ""},
			{"photo", "photo.jpg", "image/jpeg", "first\r\n--"},
			{"photo", "ä%22; filename=%22b%5Cc%0D%0AX-Evil: 1__.jpg", "application/octet-stream", "second"},
			{"photo", "photo.jpg", "image/jpeg", ""},
		}, (<-seen).parts(t), name)
		for _, f := range []*file{first, second, empty} {
			f.requireClosed(t)
		}
	}
}

// TestInvalidContentType checks that an invalid content type is sent as application/octet-stream.
func TestInvalidContentType(t *testing.T) {
	t.Parallel()

	kinds := make(chan string, 1)
	b := setup(t, func(_ http.ResponseWriter, r *http.Request) { kinds <- r.Header.Get("Content-Type") })
	client := b.client(t)
	for given, want := range map[string]string{
		"Video/MP4; codecs=avc1": "video/mp4; codecs=avc1", "": "application/octet-stream",
		"video": "application/octet-stream", "video/mp4; codecs": "application/octet-stream",
	} {
		request := raw(fileOf("a"), 1)
		request.Body.ContentType = given
		_, err := client.Call(t.Context(), request)
		require.NoError(t, err)
		require.Equal(t, want, <-kinds, given)
	}
}

func TestRawBodyIsSent(t *testing.T) {
	t.Parallel()

	for name, size := range map[string]int64{"empty": 0, "one byte": 1, "large": 9 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var received atomic.Int64
			b := setup(t, func(_ http.ResponseWriter, r *http.Request) {
				n, _ := io.Copy(io.Discard, r.Body)
				received.Store(n)
				if r.ContentLength != size || r.Header.Get("Content-Type") != "video/mp4" || r.Method != http.MethodPut {
					t.Errorf("%s %d %s", r.Method, r.ContentLength, r.Header.Get("Content-Type"))
				}
			})
			for _, call := range both(b.client(t)) {
				f := zeros(size)
				_, err := call(t.Context(), raw(f, size))
				require.NoError(t, err)
				require.Equal(t, size, received.Swap(-1))
				f.requireClosed(t)
			}
		})
	}
}

func TestInvalidBodies(t *testing.T) {
	t.Parallel()

	b := setup(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	two := raw(fileOf("a"), 1)
	two.Form = map[string][]string{}
	nameless, fieldless := upload(fileOf("a").part(1)), upload(fileOf("a").part(1))
	nameless.Multipart.Files[0].Field = ""
	fieldless.Multipart.Fields[0][0] = ""
	for name, request := range map[string]httpcall.Request{
		"two bodies": two, "no opener": upload(httpcall.Part{Field: "a"}), "no size": upload(fileOf("a").part(-1)),
		"file without a field": nameless, "field without a name": fieldless,
	} {
		for _, call := range both(b.client(t)) {
			_, err := call(t.Context(), request)
			require.Equal(t, httpcall.CodeRequestInvalid, failureOf(t, err, platform.ClassRejected).Code, name)
		}
	}
}

// TestUnreadableFiles checks that no connection is made, and that the file's own failure is returned.
func TestUnreadableFiles(t *testing.T) {
	t.Parallel()

	gone := &platform.Failure{Class: platform.ClassRejected, Code: "GONE", Message: "The file is gone."}
	blind := &platform.Failure{Class: platform.ClassUnknown, Code: "BLIND", Message: "?"}
	for name, test := range map[string]struct {
		failure error
		class   platform.Class
		code    string
	}{
		"own failure":     {errors.Join(errors.New("x"), gone), platform.ClassRejected, "GONE"},
		"any error":       {errors.New("no " + secret), platform.ClassTransient, platform.CodeMediaUnreadable},
		"unknown failure": {blind, platform.ClassTransient, platform.CodeMediaUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setupAt("http://example.com")
			b.config.Dial = func(context.Context, string, string) (net.Conn, error) {
				t.Error("it connected")
				return nil, io.EOF
			}
			for _, call := range both(b.client(t)) {
				first := fileOf("a")
				_, err := call(t.Context(), upload(first.part(1), (&file{openFailure: test.failure}).part(1)))
				require.Equal(t, test.code, failureOf(t, err, test.class).Code)
				require.Equal(t, int32(1), first.closed.Load())
			}
		})
	}
}

// accepted counts complete requests, as a correct server does.
func accepted(count *atomic.Int32) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			count.Add(1)
		}
		_, _ = w.Write([]byte(`{}`))
	}
}

// TestIncompleteBodies checks that nothing was published if the network did not receive the complete body, even if
// most bytes were sent.
func TestIncompleteBodies(t *testing.T) {
	t.Parallel()

	const size = 4 << 20
	gone := &platform.Failure{Class: platform.ClassRejected, Code: "GONE", Message: "The file is gone."}
	for name, test := range map[string]struct {
		file  func() io.Reader
		class platform.Class
		code  string
	}{
		"at once": {
			func() io.Reader { return failing(0, errors.New("disk")) }, platform.ClassTransient, platform.CodeMediaUnreadable,
		},
		"midway": {
			func() io.Reader { return failing(size/2, errors.New("disk "+secret)) }, platform.ClassTransient,
			platform.CodeMediaUnreadable,
		},
		"midway, own failure": {func() io.Reader { return failing(size/2, gone) }, platform.ClassRejected, "GONE"},
		"before the last": {
			func() io.Reader { return failing(size-1, errors.New("disk")) }, platform.ClassTransient,
			platform.CodeMediaUnreadable,
		},
		"at its end": {
			func() io.Reader { return failing(size, errors.New("checksum")) }, platform.ClassTransient,
			platform.CodeMediaUnreadable,
		},
		"too short": {
			func() io.Reader { return zeros(size - 1) }, platform.ClassTransient, platform.CodeMediaUnreadable,
		},
		"too long": {
			func() io.Reader { return zeros(size + 1) }, platform.ClassTransient, platform.CodeMediaUnreadable,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var whole atomic.Int32
			b := setup(t, accepted(&whole))
			for _, call := range both(b.client(t)) {
				for _, request := range []func(*file) httpcall.Request{
					func(f *file) httpcall.Request { return raw(f, size) },
					func(f *file) httpcall.Request { return upload(f.part(size)) },
				} {
					f := &file{Reader: test.file()}
					_, err := call(t.Context(), request(f))
					require.Equal(t, test.code, failureOf(t, err, test.class).Code)
					f.requireClosed(t)
				}
			}
			require.Zero(t, whole.Load())
		})
	}
}

func failing(after int64, err error) io.Reader {
	return io.MultiReader(io.LimitReader(endless{}, after), iotest.ErrReader(err))
}

// TestNetworkResetsDuringBody checks a connection that ends while the body is sent.
func TestNetworkResetsDuringBody(t *testing.T) {
	t.Parallel()

	const size = 64 << 20
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, size/2)
		hangUp(t, w, "")
	})
	client := b.client(t)
	f := zeros(size)
	_, err := client.CommitCall(t.Context(), raw(f, size))
	requireFailure(t, err, platform.ClassTransient)
	_, err = client.Call(t.Context(), raw(zeros(size), size))
	requireFailure(t, err, platform.ClassTransient)
	f.requireClosed(t)
}

// TestLastByteDecidesOutcome checks that the outcome is unknown once the last byte was handed over, and transient before
// that.
func TestLastByteDecidesOutcome(t *testing.T) {
	t.Parallel()

	const size = 100_000
	for name, test := range map[string]struct {
		accepts int
		class   platform.Class
	}{
		"nothing":  {0, platform.ClassTransient},
		"the head": {1, platform.ClassTransient},
		"half":     {size / 2, platform.ClassTransient},
		// The last piece was handed over. How much of it left the process is unknown.
		"all but little": {size, platform.ClassUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, func(_ http.ResponseWriter, r *http.Request) {
				if _, err := io.Copy(io.Discard, r.Body); err == nil {
					t.Error("a whole request arrived")
				}
			})
			b.config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
				return &shortConn{Conn: conn, remaining: test.accepts}, err
			}
			_, err := b.client(t).CommitCall(t.Context(), raw(zeros(size), size))
			requireFailure(t, err, test.class)
		})
	}
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		hangUp(t, w, "")
	})
	_, err := b.client(t).CommitCall(t.Context(), raw(zeros(size), size))
	requireFailure(t, err, platform.ClassUnknown)
}

// shortConn accepts a limited number of bytes in total.
type shortConn struct {
	net.Conn

	remaining int
}

// Write accepts up to the remaining number of bytes.
func (c *shortConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p[:min(len(p), c.remaining)])
	c.remaining -= n
	if err == nil && n < len(p) {
		err = errors.New("broken pipe")
	}
	return n, err
}

// TestEarlyResponse checks that a network may refuse a body without reading it.
func TestEarlyResponse(t *testing.T) {
	t.Parallel()

	const size = 64 << 20
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		_ = http.NewResponseController(w).Flush()
		_, _ = io.Copy(io.Discard, r.Body) // as servers do that want their response to be read
	})
	for _, call := range both(b.client(t)) {
		response, err := call(t.Context(), raw(zeros(size), size))
		require.NoError(t, err)
		require.Equal(t, http.StatusRequestEntityTooLarge, response.Status)
	}
	b = setup(t, func(w http.ResponseWriter, _ *http.Request) {
		hangUp(t, w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
	})
	_, err := b.client(t).CommitCall(t.Context(), raw(zeros(1<<10), 1<<10))
	requireFailure(t, err, platform.ClassUnknown)
}

// TestBrokenEarlyResponseIsUnknown checks a network that responds before it has read the body. An
// incomplete body then does not prove that nothing was published.
func TestBrokenEarlyResponseIsUnknown(t *testing.T) {
	t.Parallel()

	const size = 64 << 20 // more than the buffers of both sides hold
	released := make(chan struct{})
	b := setup(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Errorf("hijack: %v", err)
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"))
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // a full close could discard the response
		}
		<-released
	})
	_, err := b.client(t).CommitCall(t.Context(), raw(zeros(size), size))
	close(released)
	requireFailure(t, err, platform.ClassUnknown)
}

// TestStalledTransferTimesOut checks transfers stalled by the network and by the service's own file.
func TestStalledTransferTimesOut(t *testing.T) {
	t.Parallel()

	const size = 64 << 20
	release := make(chan struct{})
	b := setup(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) }) // runs before the server is closed
	b.config.StallTimeout = 50 * time.Millisecond
	b.config.CallTimeout, b.config.CommitTimeout = time.Minute, time.Minute
	for _, call := range both(b.client(t)) {
		_, err := call(t.Context(), raw(zeros(size), size))
		requireFailure(t, err, platform.ClassTransient)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "stalled")

		reader, writer := io.Pipe()
		t.Cleanup(func() { _ = writer.Close() })
		_, err = call(t.Context(), raw(&file{Reader: reader}, size))
		requireFailure(t, err, platform.ClassTransient)
		require.ErrorContains(t, err, "stalled")
	}
}

// TestSlowTransferDoesNotTimeOut checks a transfer that takes longer than the stall timeout and the call timeout, with
// a response that takes longer too.
func TestSlowTransferDoesNotTimeOut(t *testing.T) {
	t.Parallel()

	const pieces, piece, each, timeout = 16, 64 << 10, 100 * time.Millisecond, time.Second
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-time.After(timeout + each):
		case <-r.Context().Done():
		}
		_, _ = w.Write([]byte(`{}`))
	})
	b.config.StallTimeout, b.config.CallTimeout, b.config.CommitTimeout = timeout, timeout, timeout
	for name, call := range both(b.client(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			reader, writer := io.Pipe()
			go func() {
				for range pieces {
					<-time.After(each)
					_, _ = writer.Write(make([]byte, piece))
				}
				_ = writer.Close()
			}()
			_, err := call(t.Context(), raw(&file{Reader: reader}, pieces*piece))
			require.NoError(t, err)
		})
	}
}

// TestBodyIsNeverSentTwice checks that neither a closed idle connection nor a redirect makes net/http send the body
// again.
func TestBodyIsNeverSentTwice(t *testing.T) {
	t.Parallel()

	var requests, connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		requests.Add(1)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := setupAt(server.URL).client(t)
	for range 3 {
		f := fileOf("abc")
		response, err := client.Call(t.Context(), raw(f, 3))
		require.NoError(t, err)
		require.Equal(t, http.StatusTemporaryRedirect, response.Status)
		require.Equal(t, int32(1), f.opened.Load())
	}
	require.Equal(t, int32(3), requests.Load())
	require.Equal(t, int32(3), connections.Load(), "each has a connection of its own")
}

// TestSendWindowAppliesToBodies checks that the send window and the caller's cancellation apply until the first byte, and
// not after it.
func TestSendWindowAppliesToBodies(t *testing.T) {
	t.Parallel()

	const size = 8 << 20
	var whole atomic.Int32
	b := setup(t, accepted(&whole))
	f := zeros(size)
	_, err := b.client(t).CommitCall(platform.WithSendBy(t.Context(), start().Add(-time.Second)), raw(f, size))
	require.Equal(t, platform.CodeSendWindowClosed, failureOf(t, err, platform.ClassTransient).Code)
	f.requireClosed(t)

	ctx, cancel := context.WithCancel(t.Context())
	reader := readerFunc(func(p []byte) (int, error) { cancel(); return endless{}.Read(p) })
	_, err = b.client(t).CommitCall(ctx, raw(&file{Reader: io.LimitReader(reader, size)}, size))
	require.NoError(t, err)
	require.Equal(t, int32(1), whole.Load())

	_, err = b.client(t).CommitCall(ctx, raw(zeros(size), size))
	requireFailure(t, err, platform.ClassTransient)
	require.Equal(t, int32(1), whole.Load())
}

type readerFunc func([]byte) (int, error)

// Read calls f.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestBodiesOverTLS checks that the behavior is the same over TLS.
func TestBodiesOverTLS(t *testing.T) {
	t.Parallel()

	const size = 8 << 20
	var whole atomic.Int32
	server := httptest.NewTLSServer(accepted(&whole))
	t.Cleanup(server.Close)
	b := setupAt(server.URL)
	transport, ok := server.Client().Transport.(*http.Transport)
	require.True(t, ok)
	b.config.RootCAs = transport.TLSClientConfig.RootCAs
	for _, call := range both(b.client(t)) {
		_, err := call(t.Context(), upload(zeros(size).part(size)))
		require.NoError(t, err)
		_, err = call(t.Context(), upload(zeros(size-1).part(size)))
		requireFailure(t, err, platform.ClassTransient)
	}
	require.Equal(t, int32(2), whole.Load())
}
