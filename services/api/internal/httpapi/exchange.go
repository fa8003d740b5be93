package httpapi

import (
	"context"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/infra/telemetry/traces"
	"fencepost.internal/shared/kernel/apperr"
)

// exchange is the state of one request. It is also the request's context and has its deadline.
type exchange struct {
	context.Context //nolint:containedctx // exchange is itself a context and lives as long as the request

	server    *Server
	requestID string
	path      string
	route     *route // nil until the request was routed
	principal app.Principal
	body      []byte         // of the request, unparsed; it belongs to the connection
	onceKey   string         // the client's Idempotency-Key, if the operation takes one
	ifMatch   []string       // entity tags that the client accepts, if the operation takes If-Match; none: any
	replay    *app.Response  // stored response to an earlier request with the same key
	unknown   []apperr.Field // unknown, repeated and empty query parameters
	budget    *ratelimit.Decision
	span      traces.Request
	problem   string // code of the problem in the response; empty: none
	// credential reports that a bearer token was sent, valid or not.
	credential bool
}

type exchangeKey struct{}

// Value returns the exchange itself for exchangeKey, also through derived contexts.
func (e *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return e
	}
	return e.Context.Value(key)
}

// begin creates the exchange of a request. The returned function releases its timer.
func (s *Server) begin(c *fiber.Ctx) (e *exchange, end context.CancelFunc) {
	e = &exchange{
		server: s, requestID: gate.RequestID(c.Get(gate.HeaderRequestID)), path: string(c.Request().URI().PathOriginal()),
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	ctx, e.span = traces.Receive(ctx, c.Get(traces.Header))
	e.Context = telemetry.With(ctx, slog.String("request_id", e.requestID))
	c.SetUserContext(e)
	return e, cancel
}

// exchangeOf returns the exchange of a request, or nil when the request failed before it had one.
func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}
