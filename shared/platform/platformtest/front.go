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

// front stands between a connector and the sandbox. It passes everything on, until it is told to do something else
// with the irrevocable call.
type front struct {
	t        *testing.T
	upstream string
	commit   func(*http.Request) bool
	server   *httptest.Server
	commits  atomic.Int32 // irrevocable calls that arrived
	calls    atomic.Int32 // calls that arrived and were not irrevocable
	others   atomic.Int32 // calls that only a followed redirect makes

	mu       sync.Mutex
	onCommit func(w http.ResponseWriter, r *http.Request, pass func() answer)
	rewrite  func(body []byte) []byte // of every answer
	cutAt    int32                    // the number of the call whose connection ends without an answer; zero for none
	cutAfter bool                     // the sandbox gets that call
}

// answer is what the sandbox said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

const elsewhere = "/elsewhere"

func newFront(t *testing.T, upstream string, commit func(*http.Request) bool) *front {
	t.Helper()
	f := &front{t: t, upstream: upstream, commit: commit}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	return f
}

// mangle says what to do with the irrevocable call; pass hands it to the sandbox.
func (f *front) mangle(do func(w http.ResponseWriter, r *http.Request, pass func() answer)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onCommit = do
}

func (f *front) rewriting(rewrite func([]byte) []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rewrite = rewrite
}

// cutCall ends the connection of that call which is not irrevocable, counted from one, with or without passing it on.
func (f *front) cutCall(number int, passed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cutAt, f.cutAfter = int32(number), passed //nolint:gosec // a small number
}

// goAway refuses every further connection.
func (f *front) goAway() {
	f.server.CloseClientConnections()
	f.server.Close()
}

// ServeHTTP passes the request on.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.URL.Path == elsewhere {
		f.others.Add(1)
	}
	f.mu.Lock()
	mangle, rewrite, cutAt, cutAfter := f.onCommit, f.rewrite, f.cutAt, f.cutAfter
	f.mu.Unlock()
	pass := func() answer { return f.forward(r, body) }
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

// forward asks the sandbox; status zero says that it gave no answer.
func (f *front) forward(r *http.Request, body []byte) answer {
	target := f.upstream + r.URL.RequestURI()
	request, err := http.NewRequestWithContext(r.Context(), r.Method, target, bytes.NewReader(body))
	if err != nil {
		return answer{}
	}
	request.Header = r.Header.Clone()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return answer{}
	}
	defer func() { _ = response.Body.Close() }()
	received, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}
	}
	return answer{status: response.StatusCode, header: response.Header, body: received}
}

func (a answer) write(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// cut ends the connection after the given bytes.
func cut(w http.ResponseWriter, last []byte) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = conn.Write(last)
	_ = conn.Close()
}

// requireNoRedirect checks that nobody went where a redirect pointed.
func (f *front) requireNoRedirect(t *testing.T) {
	t.Helper()
	require.Zero(t, f.others.Load(), "a redirect was followed")
}
