package platform

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
)

const (
	// endsSoon is the remaining time at which a connection that only a person can extend is EXPIRING
	// (docs/contract.md, Token status).
	endsSoon = 7 * 24 * time.Hour
	// lateAfter is the time for which a renewal may be overdue before the connection counts as one that only a person can extend.
	lateAfter = 48 * time.Hour
)

// Term says how long the credentials of an account work without a person.
type Term struct {
	// RenewBefore is the time by which the credentials must be renewed even if no call is made until then. Zero: calls
	// renew them in time, or they need no renewal.
	RenewBefore time.Time
	// EndsAt is the time at which the connection ends, unless it is renewed or a person extends it. Zero: none is known.
	EndsAt time.Time
	// Extends reports that a renewal moves EndsAt. Otherwise only a person can.
	Extends bool
}

// Status returns the token status of a connection with this term that works now.
func (t Term) Status(now time.Time) channel.TokenStatus {
	renewed := t.Extends && now.Before(t.RenewBefore.Add(lateAfter))
	if !t.EndsAt.IsZero() && t.EndsAt.Before(now.Add(endsSoon)) && !renewed {
		return channel.TokenExpiring
	}
	return channel.TokenHealthy
}

// Renewer is a link that renews credentials of an account that makes no calls in another way than Refresh does.
type Renewer interface {
	// Renew returns the credentials with later ends, or with ends that the network now reports. A Failure of
	// ClassReconnect means that only a user can restore the connection.
	Renew(ctx context.Context, account Account) (channel.Credentials, error)
}

// FixedTerm returns the term of an access token that cannot be renewed. The renewal at its end fails for good and
// thereby reports the lost connection.
func FixedTerm(c channel.Credentials) Term {
	return Term{RenewBefore: c.ExpiresAt, EndsAt: c.ExpiresAt}
}

// OnUseTerm returns the term of a connection whose refresh token does not expire while it is used.
func OnUseTerm(c channel.Credentials) Term {
	if c.RefreshToken == "" {
		return FixedTerm(c)
	}
	return Term{EndsAt: c.RefreshExpiresAt}
}

// RotatingTerm returns the term of a connection whose renewal also replaces the refresh token. It is renewed at half
// the life of the refresh token, so that weeks are left for further tries. The parameter life is the documented life of
// a refresh token whose end is unknown. A renewal after which the end is still near has not moved it.
func RotatingTerm(c channel.Credentials, life time.Duration) Term {
	const least = time.Hour
	if c.RefreshToken == "" {
		return FixedTerm(c)
	}
	since, end := c.Known(), c.RefreshExpiresAt
	if since.IsZero() { // connected before times were stored: renew at once
		return Term{RenewBefore: since.Add(least), EndsAt: end}
	}
	if end.IsZero() {
		end = since.Add(life)
	}
	remaining := end.Sub(since)
	return Term{RenewBefore: since.Add(max(remaining/2, least)), EndsAt: end, Extends: remaining > 2*endsSoon} //nolint:mnd // halves
}
