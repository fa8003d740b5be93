package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/problem"
)

// newFiber returns the Fiber application with the handlers around every request.
func (s *Server) newFiber() *fiber.App {
	f := fiber.New(fiber.Config{
		// Otherwise the strings of a request change when the next request arrives on the connection.
		Immutable: true,
		// Each resource has exactly one URL.
		CaseSensitive: true, StrictRouting: true,
		BodyLimit: maxBody, ReadBufferSize: maxHeader,
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		DisablePreParseMultipartForm: true,
		DisableStartupMessage:        true,
		ErrorHandler:                 s.handleError,
	})
	server := f.Server()
	server.CloseOnShutdown = true
	// Fiber itself responds to unknown methods, in plain text, before any handler runs.
	routed := server.Handler
	server.Handler = func(ctx *fasthttp.RequestCtx) {
		if knownMethod(string(ctx.Method())) {
			routed(ctx)
			return
		}
		c := f.AcquireCtx(ctx)
		defer f.ReleaseCtx(c)
		c.Set(fiber.HeaderAllow, "GET, HEAD, POST, PUT, PATCH, DELETE")
		_ = s.handleError(c, fiber.ErrMethodNotAllowed)
	}
	server.ErrorHandler = s.unreadable(f, server.ErrorHandler)
	f.Use(s.observe)
	return f
}

// unreadable responds to violations of RFC 9112, and leaves all other unreadable requests to Fiber.
func (s *Server) unreadable(f *fiber.App, others func(*fasthttp.RequestCtx, error)) func(*fasthttp.RequestCtx, error) {
	return func(ctx *fasthttp.RequestCtx, err error) {
		violation := new(framing.Violation)
		if !errors.As(err, &violation) {
			others(ctx, err)
			return
		}
		c := f.AcquireCtx(ctx)
		defer f.ReleaseCtx(c)
		_ = s.handleError(c, violation)
	}
}

func knownMethod(method string) bool {
	for _, known := range fiber.DefaultMethods {
		if method == known {
			return true
		}
	}
	return false
}

// observe wraps every request: it assigns an id and a deadline, writes the error response, and records the request.
func (s *Server) observe(c *fiber.Ctx) error {
	start := s.clock.Now()
	e, end := s.begin(c)
	defer end()
	s.setHeaders(c, e)
	err := s.hosts.Check(string(c.Request().Host()))
	if err == nil {
		err = s.proceed(c)
	}
	if to := withoutSlash(c, e, err); to != "" {
		err = c.Redirect(to, fiber.StatusPermanentRedirect)
	}
	if err != nil {
		s.writeProblem(c, e, err)
	}
	if e.route != nil && e.route.unchanged {
		notModified(c)
	}
	if e.replay != nil && c.Response().StatusCode() < fiber.StatusBadRequest {
		replay(c, *e.replay)
	}
	s.announce(c, e)
	s.charge(c, e)
	if name := splitHeader(c); name != "" {
		s.writeProblem(c, e, fmt.Errorf("the header %q would split the response", name))
	}
	s.record(c, e, s.clock.Now().Sub(start))
	return nil
}

func (s *Server) setHeaders(c *fiber.Ctx, e *exchange) {
	c.Set(gate.HeaderRequestID, e.requestID)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderCacheControl, "no-store") // static assets override it
	if s.secure {
		c.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000")
	}
	if e.budget != nil {
		gate.SetBudget(c.Set, *e.budget)
	}
}

// proceed calls the next handler and converts a panic to an error.
func (*Server) proceed(c *fiber.Ctx) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return c.Next()
}

// withoutSlash returns the address of an unknown path of the API that ends with a slash, without the slash, and otherwise
// "". Clients add the slash by habit.
func withoutSlash(c *fiber.Ctx, e *exchange, err error) string {
	unknown, ok := errors.AsType[*fiber.Error](err)
	path := strings.TrimSuffix(e.path, "/")
	if !ok || unknown.Code != fiber.StatusNotFound || path == e.path || strings.Contains(path, "//") ||
		!strings.HasPrefix(path, pathAPI+"/") {
		return ""
	}
	if query := string(c.Request().URI().QueryString()); query != "" {
		path += "?" + query
	}
	return path
}

// handleError responds to requests that fail before observe: invalid HTTP, too large, or too slow.
func (s *Server) handleError(c *fiber.Ctx, err error) error {
	e, end := s.begin(c)
	defer end()
	s.setHeaders(c, e)
	s.writeProblem(c, e, err)
	s.charge(c, e)
	s.record(c, e, 0)
	if conn, ok := c.Context().Conn().(*framing.Conn); ok {
		conn.Linger()
	}
	return nil
}

// writeProblem replaces the response with a problem document.
func (s *Server) writeProblem(c *fiber.Ctx, e *exchange, err error) {
	p := e.problemOf(e, err)
	allow := string(c.Response().Header.Peek(fiber.HeaderAllow))
	c.Response().Reset()
	s.setHeaders(c, e)
	if allow != "" && p.Status == fiber.StatusMethodNotAllowed {
		c.Set(fiber.HeaderAllow, allow)
	}
	for name, values := range p.GetHeaders() {
		c.Set(name, values[0])
	}
	c.Set(fiber.HeaderContentType, problem.MediaType)
	c.Status(p.Status)
	if err := apiforms.Encode(c.Response().BodyWriter(), p); err != nil {
		c.Status(fiber.StatusInternalServerError) // cannot happen: the document has only strings and numbers
	}
}

// splitHeader returns the name of a response header that contains a line break or NUL. Fasthttp writes Location and
// cookies unescaped.
func splitHeader(c *fiber.Ctx) string {
	for name, value := range c.Response().Header.All() {
		if bytes.ContainsAny(value, "\r\n\x00") || bytes.ContainsAny(name, "\r\n\x00") {
			return string(name)
		}
	}
	return ""
}
