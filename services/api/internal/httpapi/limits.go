package httpapi

import (
	"bytes"
	"net/netip"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/infra/ratelimit"
)

// spend stores the rate-limit decision for the response headers.
func (e *exchange) spend(d ratelimit.Decision, err error) error {
	e.budget = &d
	return err
}

// charge sets the rate-limit headers. A request without a valid credential is charged to its address first.
func (s *Server) charge(c *fiber.Ctx, e *exchange) {
	if e.budget == nil {
		guessed := e.credential && c.Response().StatusCode() == fiber.StatusUnauthorized
		if err := e.spend(s.gate.Address(e, s.remoteAddress(c), guessed)); err != nil {
			s.writeProblem(c, e, err)
		}
	}
	gate.SetBudget(c.Set, *e.budget)
}

// remoteAddress returns the source address of a request: the last address that is not one of our own proxies.
func (s *Server) remoteAddress(c *fiber.Ctx) netip.Addr {
	from, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	// Includes proxies that add a header line of their own.
	lines := c.Request().Header.PeekAll(fiber.HeaderXForwardedFor)
	return hosts.Client(from, string(bytes.Join(lines, []byte(","))), s.proxies)
}

// limitHeaders documents the rate-limit headers of every response.
func limitHeaders() map[string]*huma.Header {
	describe := func(text string, example int) *huma.Header {
		return &huma.Header{Description: text, Schema: &huma.Schema{Type: huma.TypeInteger, Examples: []any{example}}}
	}
	return map[string]*huma.Header{
		gate.HeaderLimit: describe("Requests per minute that the credential may send, or the client's IP address when "+
			"the request has no valid credential.", 600),
		gate.HeaderRemaining: describe("Requests that remain at this moment.", 597),
		gate.HeaderReset:     describe("Seconds until the full limit is available again.", 1),
	}
}
