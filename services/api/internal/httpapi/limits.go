package httpapi

import (
	"bytes"
	"math"
	"net/netip"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"socialpub.internal/services/internal/app"
	"socialpub.internal/services/internal/proxied"
	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/ratelimit"
)

// Headers of every answer (decisions, section 3).
const (
	headerLimit     = "RateLimit-Limit"
	headerRemaining = "RateLimit-Remaining"
	headerReset     = "RateLimit-Reset"
)

// Limits of clients without a valid credential, by their address.
const (
	// publicPerMinute is for what needs no credential or was sent without one.
	publicPerMinute = 600
	// guessesPerMinute is for requests with a wrong credential, which somebody may be guessing.
	guessesPerMinute = 90
)

// limits decides how many requests a client may send.
type limits struct {
	limiter   *ratelimit.Limiter
	perMinute int // replaces what the plans allow; 0 leaves it to them
	proxies   []netip.Prefix
}

// of is the limit of an authenticated client.
func (l *limits) of(p app.Principal) ratelimit.Limit {
	perMinute := l.perMinute
	if perMinute == 0 {
		perMinute = p.Plan.Limits().RequestsPerMinute
	}
	return ratelimit.Limit{PerMinute: perMinute, Burst: perMinute}
}

// client charges a request to its credential; RATE_LIMITED when that has none left.
func (l *limits) client(e *exchange) error {
	return l.take(e, "key:"+e.principal.Key.ID.String(), l.of(e.principal))
}

// address charges a request that has no valid credential to where it came from.
func (l *limits) address(c *fiber.Ctx, e *exchange, guessed bool) error {
	from := origin(remoteAddress(c, l.proxies))
	if guessed {
		return l.take(e, "guess:"+from, ratelimit.Limit{PerMinute: guessesPerMinute, Burst: guessesPerMinute})
	}
	return l.take(e, "public:"+from, ratelimit.Limit{PerMinute: publicPerMinute, Burst: publicPerMinute})
}

func (l *limits) take(e *exchange, subject string, limit ratelimit.Limit) error {
	decision := l.limiter.Take(e, subject, limit)
	e.budget = &decision
	if decision.Allowed {
		return nil
	}
	return &apperr.Error{
		Code: apperr.RateLimited, RetryAfter: decision.RetryAfter,
		Message: "More than " + strconv.Itoa(limit.PerMinute) + " requests a minute. Wait as long as Retry-After says.",
	}
}

// charge writes the limit into an answer that has none yet: that of a request without a valid credential.
func (s *Server) charge(c *fiber.Ctx, e *exchange) {
	if e.budget == nil {
		guessed := e.credential && c.Response().StatusCode() == fiber.StatusUnauthorized
		if err := s.limits.address(c, e, guessed); err != nil {
			s.writeProblem(c, e, err)
		}
	}
	setBudget(c, *e.budget)
}

func setBudget(c *fiber.Ctx, d ratelimit.Decision) {
	c.Set(headerLimit, strconv.Itoa(d.Limit))
	c.Set(headerRemaining, strconv.Itoa(d.Remaining))
	c.Set(headerReset, strconv.Itoa(int(math.Ceil(d.Reset.Seconds()))))
}

// remoteAddress is where a request came from: the last address that is not one of our own proxies'.
func remoteAddress(c *fiber.Ctx, proxies []netip.Prefix) netip.Addr {
	from, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	// Proxies that add a line of their own count too.
	lines := c.Request().Header.PeekAll(fiber.HeaderXForwardedFor)
	return proxied.From(from, string(bytes.Join(lines, []byte(","))), proxies)
}

// origin is the subject of an address: the address itself or, of IPv6, the network that one customer has.
func origin(a netip.Addr) string {
	const customer = 64
	if a.Is6() {
		if network, err := a.WithZone("").Prefix(customer); err == nil {
			return network.String()
		}
	}
	return a.String()
}

// limitHeaders describes the headers that every answer has.
func limitHeaders() map[string]*huma.Header {
	describe := func(text string, example int) *huma.Header {
		return &huma.Header{Description: text, Schema: &huma.Schema{Type: huma.TypeInteger, Examples: []any{example}}}
	}
	return map[string]*huma.Header{
		headerLimit:     describe("Requests that the credential may send in a minute; without a valid credential, the address it comes from.", 600),
		headerRemaining: describe("Requests that it may still send at this moment.", 597),
		headerReset:     describe("Seconds until it has them all again.", 1),
	}
}
