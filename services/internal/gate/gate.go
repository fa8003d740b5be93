// Package gate authenticates requests and applies the rate limits (docs/contract.md, Rate limits). It reads the bearer
// token of a request and charges the request to its credential or, without a valid one, to its source address. A
// credential has one budget, wherever it is used.
package gate

import (
	"context"
	"errors"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/apperr"
)

// Headers of every response.
const (
	HeaderLimit     = "RateLimit-Limit"
	HeaderRemaining = "RateLimit-Remaining"
	HeaderReset     = "RateLimit-Reset"
)

// Limits of clients without a valid credential, per address.
const (
	// publicPerMinute limits requests without a credential.
	publicPerMinute = 600
	// guessesPerMinute limits requests with an invalid credential, which may be guesses.
	guessesPerMinute = 90
)

// Config configures a gate. Limiter is required.
type Config struct {
	Limiter *ratelimit.Limiter
	// RequestsPerMinute overrides the limits of the plans; zero keeps them.
	RequestsPerMinute int
}

// Gate charges requests to rate limits. It is safe for concurrent use.
type Gate struct {
	limiter   *ratelimit.Limiter
	perMinute int
}

// New returns a gate.
func New(c Config) (*Gate, error) {
	if c.Limiter == nil || c.RequestsPerMinute < 0 {
		return nil, errors.New("gate: a limiter is required, and a limit is not negative")
	}
	return &Gate{limiter: c.Limiter, perMinute: c.RequestsPerMinute}, nil
}

// Client charges a request to its credential. The error is RATE_LIMITED when the budget is exhausted.
func (g *Gate) Client(ctx context.Context, p app.Principal) (ratelimit.Decision, error) {
	perMinute := g.PerMinute(p)
	return g.Take(ctx, "key:"+p.Key.ID.String(), ratelimit.Limit{PerMinute: perMinute, Burst: perMinute})
}

// PerMinute returns how many requests a credential may send per minute.
func (g *Gate) PerMinute(p app.Principal) int {
	if g.perMinute > 0 {
		return g.perMinute
	}
	return p.Plan.Limits().RequestsPerMinute
}

// Address charges a request without a valid credential to its source address. Guessed reports that it had an invalid
// one. The error is RATE_LIMITED when the budget is exhausted.
func (g *Gate) Address(ctx context.Context, from netip.Addr, guessed bool) (ratelimit.Decision, error) {
	if guessed {
		return g.Take(ctx, "guess:"+hosts.Customer(from),
			ratelimit.Limit{PerMinute: guessesPerMinute, Burst: guessesPerMinute})
	}
	return g.Take(ctx, "public:"+hosts.Customer(from),
		ratelimit.Limit{PerMinute: publicPerMinute, Burst: publicPerMinute})
}

// Take charges a request to a subject. The error is RATE_LIMITED when the budget is exhausted.
func (g *Gate) Take(ctx context.Context, subject string, limit ratelimit.Limit) (ratelimit.Decision, error) {
	decision := g.limiter.Take(ctx, subject, limit)
	if decision.Allowed {
		return decision, nil
	}
	return decision, &apperr.Error{
		Code: apperr.RateLimited, RetryAfter: decision.RetryAfter,
		Message: "More than " + strconv.Itoa(limit.PerMinute) + " requests per minute. Wait the number of seconds in " +
			"Retry-After.",
	}
}

// SetBudget sets the rate-limit headers of a response.
func SetBudget(set func(name, value string), d ratelimit.Decision) {
	set(HeaderLimit, strconv.Itoa(d.Limit))
	set(HeaderRemaining, strconv.Itoa(d.Remaining))
	set(HeaderReset, strconv.Itoa(int(math.Ceil(d.Reset.Seconds()))))
}

// Bearer reads the token of a request from its Authorization headers (RFC 6750, section 2.1); it ignores tokens
// anywhere else. The error is UNAUTHENTICATED. Sent reports whether the request had a bearer token or several
// Authorization headers; the challenge then has the error invalid_token.
func Bearer(headers []string) (token string, sent bool, err error) {
	const scheme = "Bearer"
	switch len(headers) {
	case 0:
		return "", false, apperr.New(apperr.Unauthenticated,
			"The request has no credential. Send Authorization: Bearer <API key>.")
	case 1:
	default:
		return "", true, apperr.New(apperr.Unauthenticated, "The request has %d Authorization headers; send one.",
			len(headers))
	}
	name, token, _ := strings.Cut(headers[0], " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(name, scheme) || token == "" {
		return "", false, apperr.New(apperr.Unauthenticated,
			"The Authorization header has no bearer token. Send Authorization: Bearer <API key>.")
	}
	return token, true, nil
}
