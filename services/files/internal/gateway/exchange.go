package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"fencepost.internal/shared/infra/objectstore"
)

const allowedMethods = "GET, HEAD, OPTIONS, PUT"

var (
	errStoreStalled = errors.New("the store stopped the transfer")
	errBrokenOff    = errors.New("the client aborted the upload")
)

// exchange is one request and its response.
type exchange struct {
	gateway *Gateway
	in      *http.Request
	out     *response
	control *http.ResponseController
	dog     *watchdog
	began   time.Time

	key     string // "" when the request is for no object
	grant   grant
	outcome string
	lingers bool         // after a refusal, because the client may still be sending
	sent    atomic.Int64 // bytes of the body that the client sent
	cut     atomic.Bool  // the client's body ended early
	slow    atomic.Bool  // because the client was too slow
}

// ServeHTTP handles one request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, dog := watch(r.Context(), g.stall)
	x := &exchange{
		gateway: g, in: r, control: http.NewResponseController(w), dog: dog, began: g.clock.Now(),
		key: g.addresses.key(r), outcome: outcomeBrokenOff, // until the outcome is known
	}
	x.out = &response{ResponseWriter: w, control: x.control, pace: newPace(g.clock, g.stall)}
	g.metrics.open.Inc()
	defer x.end(ctx)
	x.out.renew()
	if r.ContentLength != 0 {
		x.boundRest()
	}
	switch refused := x.check(); {
	case refused != nil:
		x.refuse(ctx, refused)
	case r.Method == http.MethodOptions:
		x.preflight()
	default:
		x.pass(ctx)
	}
}

// check returns the reason why a request must not reach the store, or nil if it may.
func (x *exchange) check() *refusal {
	switch {
	case !x.gateway.addresses.named(x.in):
		return misdirected
	case x.key == "":
		return notFound
	case x.in.Method == http.MethodOptions:
		return nil
	case !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPut}, x.in.Method):
		return methodNotAllowed
	}
	var signed bool
	if x.grant, signed = readGrant(x.in.Method, x.in.URL.RawQuery); !signed {
		return linkRefused
	}
	if x.expired() {
		return linkExpired
	}
	return x.checkBody()
}

func (x *exchange) expired() bool { return x.gateway.clock.Now().After(x.grant.expires) }

func (x *exchange) checkBody() *refusal {
	length, types := x.in.ContentLength, len(x.in.Header["Content-Type"])
	switch {
	case x.in.Method != http.MethodPut && length != 0, x.in.Method == http.MethodPut && types > 1:
		return malformed
	case x.in.Method != http.MethodPut:
		return nil
	case length < 0, length == 0 && x.in.Header.Get("Content-Length") == "":
		return lengthRequired
	case length > objectstore.MaxSize:
		return tooLarge
	}
	return nil
}

// preflight handles a CORS preflight request. Every origin is allowed: the signed address is the permission, and the
// gateway uses no cookie or other credential.
func (x *exchange) preflight() {
	const day = 24 * time.Hour
	header := x.out.Header()
	header.Set("Allow", allowedMethods)
	header.Set("Access-Control-Allow-Methods", "GET, HEAD, PUT")
	header.Set("Access-Control-Allow-Headers", allowedHeaders(x.in.Header))
	header.Set("Access-Control-Max-Age", strconv.Itoa(int(day.Seconds())))
	x.out.WriteHeader(http.StatusNoContent)
	x.outcome = outcomePreflight
}

// allowedHeaders returns the headers that a script may send: those that the gateway reads, and all that were asked for.
// Widgets for uploads send headers of their own, such as X-Requested-With, and a browser stops an upload whose headers
// are not all allowed. The gateway makes its own request to the store, without them.
func allowedHeaders(in http.Header) string {
	const (
		longest = 64
		named   = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz" // RFC 9110, 5.6.2
	)
	allowed := []string{"Content-Type", "If-Modified-Since", "If-None-Match", "If-Range", "Range"}
	for _, list := range in.Values("Access-Control-Request-Headers") {
		for name := range strings.SplitSeq(list, ",") {
			name = http.CanonicalHeaderKey(strings.TrimSpace(name))
			valid := name != "" && strings.Trim(strings.ToLower(name), named) == ""
			if valid && len(allowed) < longest && !slices.Contains(allowed, name) {
				allowed = append(allowed, name)
			}
		}
	}
	return strings.Join(allowed, ", ")
}

// pass forwards the request to the store.
func (x *exchange) pass(ctx context.Context) {
	request := x.in.WithContext(ctx)
	if x.in.Method == http.MethodPut && x.in.ContentLength > 0 {
		request.Body = &upload{exchange: x, body: x.in.Body, pace: newPace(x.gateway.clock, x.gateway.stall)}
	}
	x.outcome = outcomeOK // unless a hook sets another outcome
	proxy := &httputil.ReverseProxy{
		Rewrite: x.rewrite, ModifyResponse: x.modify, ErrorHandler: x.fail, Transport: x.gateway.transport,
		BufferPool: x.gateway.buffers, ErrorLog: slog.NewLogLogger(x.gateway.log.Handler(), slog.LevelDebug),
	}
	completed := false
	defer func() {
		// the proxy panics to break the connection, so that a client does not take a partial file for a complete one
		if !completed {
			x.outcome = outcomeBrokenOff
		}
	}()
	proxy.ServeHTTP(x.out, request)
	completed = true
}

// rewrite builds the request to the store from checked parts only.
func (x *exchange) rewrite(p *httputil.ProxyRequest) {
	p.Out.URL = &url.URL{
		Scheme: x.gateway.store.Scheme, Host: x.gateway.store.Host,
		Path: x.gateway.addresses.prefix + x.key, RawQuery: x.grant.query,
	}
	p.Out.Host = x.in.Host
	p.Out.Header = requestHeader(x.in)
	p.Out.Trailer = nil
	if p.Out.Method == http.MethodHead {
		p.Out.Method = http.MethodGet // the signature is for GET; the response's body is dropped
	}
	x.dog.rest() // the transport has its own limits until the response starts
}

// modify builds the response from the parts that clients may see.
func (x *exchange) modify(res *http.Response) error {
	if refused := x.judge(res); refused != nil {
		return refused
	}
	res.Header = responseHeader(x.in.Method, res)
	res.Trailer = nil
	if x.in.Method == http.MethodGet {
		res.Body = &download{body: res.Body, dog: x.dog, limit: x.gateway.stall}
		return nil
	}
	_ = res.Body.Close()
	res.Body = http.NoBody
	return nil
}

// fail responds to a request for which the store sent no response, or none that clients may see.
func (x *exchange) fail(_ http.ResponseWriter, r *http.Request, err error) {
	var refused *refusal
	switch cause := context.Cause(r.Context()); {
	case errors.As(err, &refused):
	case x.slow.Load():
		refused = stalled
	case x.cut.Load(), errors.Is(err, errBrokenOff):
		refused = incomplete
	case x.in.Context().Err() != nil:
		refused = incomplete // not read, because the client is gone
	default:
		refused = unavailable
		x.gateway.log.WarnContext(r.Context(), "the object store did not respond", slog.Any("error", errors.Join(err, cause)))
	}
	x.refuse(r.Context(), refused)
}

func (x *exchange) refuse(ctx context.Context, refused *refusal) {
	x.outcome = refused.outcome()
	if x.in.ContentLength != 0 {
		// Without full duplex, the server waits for the start of the body before it responds.
		_ = x.control.EnableFullDuplex()
		x.lingers = true
	}
	err := refused.send(x.out, x.in.Method, x.lingers)
	if err == nil {
		err = x.control.Flush()
	}
	if err != nil {
		x.gateway.log.DebugContext(ctx, "error response of the store not read", slog.Any("error", err))
	}
}

// linger reads on for a limited time after an upload was refused. Closing the connection at once would reset it, and a
// client that is still sending would never read the refusal.
func (x *exchange) linger() {
	const most = 64 << 20
	x.boundRest()
	_, _ = io.CopyN(io.Discard, x.in.Body, most)
}

// boundRest sets a deadline for reading the rest of a body that is not needed.
func (x *exchange) boundRest() {
	const timeout = 2 * time.Second
	_ = x.control.SetReadDeadline(x.gateway.clock.Now().Add(timeout))
}

// end logs and measures the exchange, and sets the deadline for the last bytes of the response.
func (x *exchange) end(ctx context.Context) {
	x.dog.end()
	x.out.renew()
	elapsed := x.gateway.clock.Now().Sub(x.began)
	x.gateway.metrics.record(x)
	x.gateway.log.InfoContext(ctx, "request handled",
		slog.String("method", methodLabel(x.in.Method)), slog.String("key", x.key), slog.Int("status", x.out.status),
		slog.String("outcome", x.outcome), slog.Int64("bytes_in", x.sent.Load()), slog.Int64("bytes_out", x.out.written),
		slog.Float64("duration_ms", float64(elapsed.Microseconds())/1000))
	if x.lingers {
		x.linger()
	}
}
