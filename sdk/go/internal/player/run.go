package player

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Report has the requests of a run and their differences.
type Report struct {
	OK       bool     `json:"ok"`
	Failures []string `json:"failures"`
	Requests []seen   `json:"requests"`
}

// run is one play of a case, on a port of its own.
type run struct {
	exchanges []Exchange
	address   string

	mu       sync.Mutex
	open     []int // the exchanges that have not happened
	seen     map[int]seen
	failures []string
	server   *http.Server // nil while connections are refused
	retrying bool         // the SDK first waits after a failure, before its connection is refused
}

// start opens a port and plays the exchanges there.
func start(ctx context.Context, exchanges []Exchange) (*run, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &run{exchanges: exchanges, address: listener.Addr().String(), seen: map[int]seen{}}
	for i := range exchanges {
		r.open = append(r.open, i)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusesNext() {
		return r, listener.Close()
	}
	r.serve(listener)
	return r, nil
}

func (r *run) serve(listener net.Listener) {
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Minute, ConnContext: withConn}
	go func() { _ = r.server.Serve(listener) }() // ends when the run does
}

func (r *run) refusesNext() bool {
	return len(r.open) > 0 && r.exchanges[r.open[0]].Fault.Kind == FaultRefuse
}

// waited ends a refusal of connections: the SDK waits between two tries.
func (r *run) waited(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.server != nil || !r.refusesNext() {
		return nil
	}
	if r.retrying {
		r.retrying = false
		return nil
	}
	if r.open = r.open[1:]; r.refusesNext() {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", r.address)
	if err != nil {
		return err
	}
	r.serve(listener)
	return nil
}

func (r *run) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.server != nil {
		_ = r.server.Close()
	}
}

// report returns the differences between the expected exchanges and those that happened.
func (r *run) report() Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := Report{Failures: slices.Clone(r.failures), Requests: []seen{}}
	for i, exchange := range r.exchanges {
		if got, happened := r.seen[i]; happened {
			out.Requests = append(out.Requests, got)
		}
		last := i == len(r.exchanges)-1
		if slices.Contains(r.open, i) && (!last || exchange.Fault.Kind != FaultRefuse) { // no wait follows the last refusal
			out.Failures = append(out.Failures, fmt.Sprintf("exchange %d has not happened", i))
		}
	}
	if out.Failures == nil {
		out.Failures = []string{}
	}
	out.OK = len(out.Failures) == 0
	return out
}

type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

func (r *run) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	got := seen{
		Method: request.Method, Path: request.URL.EscapedPath(), Query: request.URL.Query(), Header: request.Header,
	}
	if r.unread(got) {
		r.take(request.Context(), got)
		reset(request.Context())
	}
	var err error
	if got.body, err = io.ReadAll(request.Body); err != nil { // the client ended the request
		return
	}
	exchange, last := r.take(request.Context(), got)
	if last || exchange.Fault.Kind != "" {
		w.Header().Set("Connection", "close") // so that a refusal or a reset concerns a new connection
	}
	switch exchange.Fault.Kind {
	case FaultResetAfter:
		reset(request.Context())
	case FaultGarbage:
		raw(w, "SSH-2.0-OpenSSH_9.6\r\nnot a response\r\n")
	case FaultCut:
		r.write(w, exchange.Response, exchange.Fault.Bytes)
	case FaultSlow:
		select {
		case <-request.Context().Done():
			return
		case <-time.After(time.Duration(exchange.Fault.Seconds * float64(time.Second))):
		}
		fallthrough
	default:
		r.write(w, exchange.Response, -1)
	}
}

// unread reports whether the connection is reset before the body of the request is read.
func (r *run) unread(got seen) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open) > 0 && r.exchanges[next(r.exchanges, r.open, got)].Fault.Kind == FaultResetBefore
}

// take checks a request against the next exchange. Refusing reports that new connections are refused from now on.
func (r *run) take(ctx context.Context, got seen) (exchange Exchange, refusing bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.open) == 0 {
		r.failures = append(r.failures, fmt.Sprintf("unexpected request %s %s after the last exchange", got.Method, got.Path))
		return unexpected(), false
	}
	at := next(r.exchanges, r.open, got)
	r.open = slices.DeleteFunc(r.open, func(i int) bool { return i == at })
	for _, wrong := range r.exchanges[at].Request.faults(got, r.seen) {
		r.failures = append(r.failures, fmt.Sprintf("exchange %d: %s", at, wrong))
	}
	r.seen[at] = got
	if r.refusesNext() {
		server := r.server
		r.server, r.retrying = nil, r.exchanges[at].fails()
		refuse(ctx, server)
		return r.exchanges[at], true
	}
	return r.exchanges[at], false
}

// fails reports whether the SDK tries again, after a wait.
func (e Exchange) fails() bool {
	return e.Fault.Kind != "" || e.Response.Status >= http.StatusBadRequest
}

// refuse closes the port at once; the running request still gets its response.
func refuse(ctx context.Context, server *http.Server) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_ = server.Shutdown(ended) // closes the listener first, and does not wait for the request
}

// unexpected is the response to a request that the case does not have: no SDK repeats it.
func unexpected() Exchange {
	return Exchange{Response: Response{
		Status: http.StatusTeapot, Text: "The case has no such request.", Headers: map[string]string{"Content-Type": "text/plain"},
	}}
}

// write sends a response; with a limit only so many bytes of its body.
func (r *run) write(w http.ResponseWriter, response Response, limit int) {
	body := []byte(response.Text)
	if response.Body != nil {
		body = response.Body
		w.Header().Set("Content-Type", "application/json")
		if response.Status >= http.StatusBadRequest {
			w.Header().Set("Content-Type", "application/problem+json")
		}
	}
	base := "http://" + r.address
	body = bytes.ReplaceAll(body, []byte("{{base}}"), []byte(base))
	for name, value := range response.Headers {
		w.Header().Set(name, strings.ReplaceAll(value, "{{base}}", base))
	}
	status := response.Status
	if status == 0 {
		status = http.StatusOK
	}
	if status != http.StatusNoContent && status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	if limit >= 0 {
		_, _ = w.Write(body[:min(limit, len(body))])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) //nolint:forbidigo // closes the connection
	}
	_, _ = w.Write(body)
}

// raw writes bytes that are no HTTP response.
func raw(w http.ResponseWriter, text string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = conn.Write([]byte(text))
	_ = conn.Close()
}

// reset ends the connection with RST instead of FIN.
func reset(ctx context.Context) {
	if conn, ok := ctx.Value(connKey{}).(*net.TCPConn); ok {
		_ = conn.SetLinger(0)
	}
	panic(http.ErrAbortHandler) //nolint:forbidigo // closes the connection
}
