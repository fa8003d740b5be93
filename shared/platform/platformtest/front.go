package platformtest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// front is a proxy between a connector and the sandbox. It forwards every request unless a test changes its handling.
type front struct {
	t        *testing.T
	upstream string
	commit   func(*http.Request) bool
	server   *httptest.Server
	commits  atomic.Int32 // irrevocable calls received
	calls    atomic.Int32 // other calls received
	others   atomic.Int32 // calls that only a followed redirect makes

	mu       sync.Mutex
	onCommit func(w http.ResponseWriter, r *http.Request, pass func() frontResponse)
	rewrite  func(body []byte) []byte // applied to every response
	cutAt    int32                    // number of the call whose connection is closed without a response; zero for none
	cutAfter bool                     // forward that call to the sandbox first
}

// frontResponse is the sandbox's response.
type frontResponse struct {
	status int
	header http.Header
	body   []byte
}

const redirected = "/elsewhere"

func newFront(t *testing.T, upstream string, commit func(*http.Request) bool) *front {
	t.Helper()
	f := &front{t: t, upstream: upstream, commit: commit}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	return f
}

// mangle sets the handler of the irrevocable call. Its pass function forwards the call to the sandbox.
func (f *front) mangle(do func(w http.ResponseWriter, r *http.Request, pass func() frontResponse)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onCommit = do
}

func (f *front) rewriting(rewrite func([]byte) []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rewrite = rewrite
}

// cutCall closes the connection of the call with this number, counted from one over the calls that are not irrevocable.
// If passed is true, the call is forwarded first.
func (f *front) cutCall(number int, passed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cutAt, f.cutAfter = int32(number), passed //nolint:gosec // a small number
}

// goAway closes the server, so that every further connection is refused.
func (f *front) goAway() {
	f.server.CloseClientConnections()
	f.server.Close()
}

// ServeHTTP forwards the request.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.URL.Path == redirected {
		f.others.Add(1)
	}
	f.mu.Lock()
	mangle, rewrite, cutAt, cutAfter := f.onCommit, f.rewrite, f.cutAt, f.cutAfter
	f.mu.Unlock()
	pass := func() frontResponse { return f.forward(r, body) }
	if !f.commit(r) {
		if f.calls.Add(1) == cutAt {
			if cutAfter {
				_ = pass()
			}
			cut(w, nil)
			return
		}
	} else {
		f.commits.Add(1)
		if mangle != nil {
			mangle(w, r, pass)
			return
		}
	}
	a := pass()
	if a.status == 0 {
		cut(w, nil)
		return
	}
	if rewrite != nil {
		a.body = rewrite(a.body)
		a.header.Del("Content-Length")
	}
	a.write(w)
}

// forward sends the request to the sandbox. A zero status means that there was no response.
func (f *front) forward(r *http.Request, body []byte) frontResponse {
	target := f.upstream + r.URL.RequestURI()
	request, err := http.NewRequestWithContext(r.Context(), r.Method, target, bytes.NewReader(body))
	if err != nil {
		return frontResponse{}
	}
	request.Header, request.Host = r.Header.Clone(), r.Host // the sandbox's addresses are then those of the front
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return frontResponse{}
	}
	defer func() { _ = response.Body.Close() }()
	received, err := io.ReadAll(response.Body)
	if err != nil {
		return frontResponse{}
	}
	return frontResponse{status: response.StatusCode, header: response.Header, body: received}
}

func (a frontResponse) write(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// cut writes the given bytes and closes the connection.
func cut(w http.ResponseWriter, last []byte) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = conn.Write(last)
	_ = conn.Close()
}

// requireNoRedirect checks that the connector followed no redirect.
func (f *front) requireNoRedirect(t *testing.T) {
	t.Helper()
	require.Zero(t, f.others.Load(), "a redirect was followed")
}
