package live

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// exchange is one call and its response.
type exchange struct {
	method string
	path   string // below the network's prefix
	status int
	header http.Header
	body   []byte
}

// recorder forwards calls to the networks and keeps the responses.
type recorder struct {
	url       string
	upstreams map[string]string // the API's URL by path prefix
	client    *http.Client
	server    *http.Server

	mu   sync.Mutex
	seen []exchange
}

// limits of a call through the recorder.
const (
	forwardTimeout = time.Minute
	longestBody    = 4 << 20
)

var errNoUpstream = errors.New("no network has this path")

// record starts a recorder on a free port.
func record(upstreams map[string]string) (*recorder, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it ends with the recorder
	if err != nil {
		return nil, err
	}
	r := &recorder{
		url: "http://" + listener.Addr().String(), upstreams: upstreams,
		client: &http.Client{
			Timeout:       forwardTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: forwardTimeout}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// close stops the recorder.
func (r *recorder) close() { _ = r.server.Close() }

// take returns the exchanges since the last call.
func (r *recorder) take() []exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	r.seen = nil
	return seen
}

// ServeHTTP forwards the call.
func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	one, err := r.forward(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	r.mu.Lock()
	r.seen = append(r.seen, one)
	r.mu.Unlock()
	for name, values := range one.header {
		if name != "Content-Length" && name != "Connection" && name != "Transfer-Encoding" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(one.status)
	_, _ = w.Write(one.body)
}

func (r *recorder) forward(request *http.Request) (exchange, error) {
	prefix := ""
	for candidate := range r.upstreams {
		if strings.HasPrefix(request.URL.Path, candidate) && len(candidate) > len(prefix) {
			prefix = candidate
		}
	}
	if prefix == "" {
		return exchange{}, errNoUpstream
	}
	rest := strings.TrimPrefix(request.URL.EscapedPath(), prefix)
	target := r.upstreams[prefix] + rest
	if request.URL.RawQuery != "" {
		target += "?" + request.URL.RawQuery
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return exchange{}, err
	}
	out, err := http.NewRequestWithContext(request.Context(), request.Method, target, bytes.NewReader(body))
	if err != nil {
		return exchange{}, err
	}
	out.Header = request.Header.Clone()
	out.Header.Del("Accept-Encoding")
	response, err := r.client.Do(out)
	if err != nil {
		return exchange{}, fmt.Errorf("forward to the network: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	received, err := io.ReadAll(io.LimitReader(response.Body, longestBody))
	if err != nil {
		return exchange{}, err
	}
	return exchange{
		method: request.Method, path: rest, status: response.StatusCode, header: response.Header, body: received,
	}, nil
}
