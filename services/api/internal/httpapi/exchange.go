package httpapi

import (
	"context"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"socialpub.internal/services/internal/app"
	"socialpub.internal/services/internal/gate"
	"socialpub.internal/shared/infra/ratelimit"
	"socialpub.internal/shared/infra/telemetry"
	"socialpub.internal/shared/kernel/apperr"
)

// exchange is one request on its way. It is the request's context: with its deadline, and with what is found out about it.
type exchange struct {
	context.Context //nolint:containedctx // it is one itself, and lives as long as the request

	server    *Server
	requestID string
	path      string
	route     *route // nil until the request has found one
	principal app.Principal
	body      []byte         // of the request, as it was read; it belongs to the connection
	onceKey   string         // the client's Idempotency-Key, where the operation takes one
	ifMatch   []int          // the revisions of which the client accepts one, where the operation takes If-Match; none: any
	replay    *app.Answer    // the kept answer to an earlier request with the same key
	unknown   []apperr.Field // parameters of the query that the operation does not have
	budget    *ratelimit.Decision
	// credential is set when a bearer token was sent, right or wrong.
	credential bool
}

type exchangeKey struct{}

// Value gives the exchange itself to those who look for it through contexts made from it.
func (e *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return e
	}
	return e.Context.Value(key)
}

// begin makes the exchange of a request; end releases its timer.
func (s *Server) begin(c *fiber.Ctx) (e *exchange, end context.CancelFunc) {
	e = &exchange{server: s, requestID: gate.RequestID(c.Get(gate.HeaderRequestID)), path: string(c.Request().URI().PathOriginal())}
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	e.Context = telemetry.With(ctx, slog.String("request_id", e.requestID))
	c.SetUserContext(e)
	return e, cancel
}

// exchangeOf finds the exchange of a request; nil when it failed before it got one.
func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}
