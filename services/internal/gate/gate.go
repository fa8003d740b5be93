// Package gate decides who may ask, and how often (decisions, section 3): it reads the bearer token of a request and charges
// the request to its credential or, without a valid one, to the address it came from. The same credential has one budget,
// wherever it is used.
package gate

import (
	"context"
	"errors"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"socialpub.internal/services/internal/app"
	"socialpub.internal/services/internal/clientip"
	"socialpub.internal/shared/infra/ratelimit"
	"socialpub.internal/shared/kernel/apperr"
)

// Headers of every answer.
const (
	HeaderLimit     = "RateLimit-Limit"
	HeaderRemaining = "RateLimit-Remaining"
	HeaderReset     = "RateLimit-Reset"
)

// Limits of clients without a valid credential, by their address.
const (
	// publicPerMinute is for what needs no credential or was sent without one.
	publicPerMinute = 600
	// guessesPerMinute is for requests with a wrong credential, which somebody may be guessing.
	guessesPerMinute = 90
)

// Config says how a gate decides. Limiter is required.
type Config struct {
	Limiter *ratelimit.Limiter
	// RequestsPerMinute replaces what the plans allow; 0 leaves it to them.
	RequestsPerMinute int
}

// Gate charges requests. It is safe for concurrent use.
type Gate struct {
	limiter   *ratelimit.Limiter
	perMinute int
}

// New makes a gate.
func New(c Config) (*Gate, error) {
	if c.Limiter == nil || c.RequestsPerMinute < 0 {
		return nil, errors.New("gate: a limiter is required, and a limit is not negative")
	}
	return &Gate{limiter: c.Limiter, perMinute: c.RequestsPerMinute}, nil
}

// Client charges a request to its credential. The error is RATE_LIMITED when that has none left.
func (g *Gate) Client(ctx context.Context, p app.Principal) (ratelimit.Decision, error) {
	perMinute := g.PerMinute(p)
	return g.Take(ctx, "key:"+p.Key.ID.String(), ratelimit.Limit{PerMinute: perMinute, Burst: perMinute})
}

// PerMinute is how many requests a credential may send in a minute.
func (g *Gate) PerMinute(p app.Principal) int {
	if g.perMinute > 0 {
		return g.perMinute
	}
	return p.Plan.Limits().RequestsPerMinute
}

// Address charges a request that has no valid credential to where it came from; guessed: it had a wrong one. The error is
// RATE_LIMITED.
func (g *Gate) Address(ctx context.Context, from netip.Addr, guessed bool) (ratelimit.Decision, error) {
	if guessed {
		return g.Take(ctx, "guess:"+clientip.Customer(from), ratelimit.Limit{PerMinute: guessesPerMinute, Burst: guessesPerMinute})
	}
	return g.Take(ctx, "public:"+clientip.Customer(from), ratelimit.Limit{PerMinute: publicPerMinute, Burst: publicPerMinute})
}

// Take charges a request to a subject. The error is RATE_LIMITED when that has none left.
func (g *Gate) Take(ctx context.Context, subject string, limit ratelimit.Limit) (ratelimit.Decision, error) {
	decision := g.limiter.Take(ctx, subject, limit)
	if decision.Allowed {
		return decision, nil
	}
	return decision, &apperr.Error{
		Code: apperr.RateLimited, RetryAfter: decision.RetryAfter,
		Message: "More than " + strconv.Itoa(limit.PerMinute) + " requests a minute. Wait as long as Retry-After says.",
	}
}

// SetBudget writes what is left into the headers of an answer.
func SetBudget(set func(name, value string), d ratelimit.Decision) {
	set(HeaderLimit, strconv.Itoa(d.Limit))
	set(HeaderRemaining, strconv.Itoa(d.Remaining))
	set(HeaderReset, strconv.Itoa(int(math.Ceil(d.Reset.Seconds()))))
}

// Bearer reads the token of a request from its Authorization headers (RFC 6750, section 2.1); tokens anywhere else are not looked
// for. The error is UNAUTHENTICATED; sent tells whether there was a credential of any kind, which the challenge then refuses.
func Bearer(headers []string) (token string, sent bool, err error) {
	const scheme = "Bearer"
	switch len(headers) {
	case 0:
		return "", false, apperr.New(apperr.Unauthenticated, "The request has no credential. Send Authorization: Bearer <API key>.")
	case 1:
	default:
		return "", true, apperr.New(apperr.Unauthenticated, "The request has %d Authorization headers; send one.", len(headers))
	}
	name, token, _ := strings.Cut(headers[0], " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(name, scheme) || token == "" {
		return "", false, apperr.New(apperr.Unauthenticated, "The Authorization header has no bearer token. Send Authorization: Bearer <API key>.")
	}
	return token, true, nil
}
