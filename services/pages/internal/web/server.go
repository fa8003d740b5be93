package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/kernel/apperr"
)

// Limits of the listener: a visitor sends one short request and gets a document from memory.
const (
	readTimeout  = 10 * time.Second // for a whole request, from its first byte
	writeTimeout = 30 * time.Second
	idleTimeout  = 30 * time.Second
	maxHeader    = 8 << 10 // also the memory of an idle connection
	writeBuffer  = 8 << 10 // most responses fit into one write
	maxBody      = 1 << 10 // requests need no body; a body is read and discarded
	connections  = 10_000
)

// Server returns the HTTP server of the site.
func (s *Site) Server() *fasthttp.Server {
	return &fasthttp.Server{
		Handler: s.Serve, ErrorHandler: s.misunderstood,
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		ReadBufferSize: maxHeader, WriteBufferSize: writeBuffer, MaxRequestBodySize: maxBody, GetOnly: true,
		Concurrency:           connections,
		NoDefaultServerHeader: true, NoDefaultContentType: true, DisablePreParseMultipartForm: true, CloseOnShutdown: true,
		Logger: quiet{s.Logger}, SecureErrorLogMessage: true,
	}
}

// misunderstood responds to a request that cannot be parsed. The connection is closed afterwards.
func (s *Site) misunderstood(ctx *fasthttp.RequestCtx, err error) {
	s.protect(ctx)
	var (
		violation *framing.Violation
		large     *fasthttp.ErrSmallBuffer
		network   net.Error
	)
	switch {
	case errors.As(err, &violation):
		refuseViolation(ctx, violation)
	case errors.Is(err, fasthttp.ErrGetOnly):
		s.refuse(ctx)
	case errors.As(err, &large):
		send(ctx, fasthttp.StatusRequestHeaderFieldsTooLarge, s.lost)
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		send(ctx, fasthttp.StatusRequestEntityTooLarge, s.refused)
	case errors.As(err, &network) && network.Timeout():
		send(ctx, fasthttp.StatusRequestTimeout, s.failed)
	default:
		send(ctx, fasthttp.StatusBadRequest, s.lost)
	}
	s.count("other", ctx.Response.StatusCode())
}

// refuseViolation responds to a request that breaks RFC 9112.
func refuseViolation(ctx *fasthttp.RequestCtx, violation *framing.Violation) {
	sendProblem(ctx, violation.Problem("", gate.RequestID("")))
}

// misdirected responds to a request for another host.
func misdirected(ctx *fasthttp.RequestCtx, err error) {
	document := problem.New(problem.KindOf(apperr.CodeOf(err)), problem.Occurrence{
		Path: string(ctx.Path()), RequestID: gate.RequestID(""), Detail: problem.Failure(err, "request").Message,
	})
	sendProblem(ctx, document)
}

// sendProblem writes a problem document, which is meant for programs.
func sendProblem(ctx *fasthttp.RequestCtx, document *problem.Problem) {
	set(ctx, gate.HeaderRequestID, document.RequestID)
	ctx.SetStatusCode(document.Status)
	ctx.SetContentType(problem.MediaType)
	_ = apiforms.Encode(ctx.Response.BodyWriter(), document) // writes to memory
}

// quiet logs the server's messages about clients at debug level.
type quiet struct{ log *slog.Logger }

// Printf logs a message at debug level.
func (q quiet) Printf(format string, args ...any) {
	q.log.Debug("the HTTP server", slog.String("message", fmt.Sprintf(format, args...)))
}
