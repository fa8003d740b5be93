package oauth

import (
	"slices"
	"time"

	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/kernel/ident"
)

// Grant is what a person allowed a client: all tokens that come of it are one family, and end together.
type Grant struct {
	ID          ident.Grant
	ClientID    string
	UserID      ident.User
	WorkspaceID ident.Workspace
	Scopes      []credential.Scope
	Resource    string // whom its tokens are for
	CreatedAt   time.Time
	RevokedAt   time.Time // zero: valid
}

// Narrow reads the scopes of a token request: those of the grant when none are named, and never more than those (RFC 6749,
// section 6). The error is an *Error.
func (g Grant) Narrow(scope string) ([]credential.Scope, error) {
	if scope == "" {
		return g.Scopes, nil
	}
	return ReadScope(scope, Client{Scopes: g.Scopes})
}

// For reports whether a token request may name these resources: the one of the grant, or none (RFC 8707, section 2.2). The error
// is an *Error.
func (g Grant) For(rules Rules, resources []string) error {
	if len(resources) == 0 {
		return nil
	}
	resource, err := rules.Resource(resources)
	if err == nil && resource != g.Resource {
		return Refuse(InvalidTarget, "The grant is for another resource.")
	}
	return err
}

// Code is an authorization code as it is stored: of one grant, for one use.
type Code struct {
	Grant       Grant
	RedirectURI string
	Challenge   string
	ExpiresAt   time.Time
	UsedAt      time.Time // zero: not used; also set by a failed use
}

// Redeem decides whether a client gets tokens for a code. The caller has found the code, knows the client, and marks the code as
// used whatever comes of it: a code is tried once. The error is an *Error; revoke says that the family ends with it, since
// somebody else has used the code before (OAuth 2.1, section 4.1.3).
func (c Code) Redeem(client Client, redirectURI, verifier string, now time.Time) (revoke bool, err error) {
	const wrong = "The code is unknown, expired, used, or of another client."
	switch {
	case c.Grant.ClientID != client.ID:
		return false, Refuse(InvalidGrant, wrong)
	case !c.UsedAt.IsZero():
		return true, Refuse(InvalidGrant, wrong)
	case !c.Grant.RevokedAt.IsZero(), !now.Before(c.ExpiresAt):
		return false, Refuse(InvalidGrant, wrong)
	case redirectURI != c.RedirectURI:
		return false, Refuse(InvalidGrant, "The redirect_uri is not the one of the authorization request.")
	case !VerifyChallenge(c.Challenge, verifier):
		return false, Refuse(InvalidGrant, "The code_verifier does not belong to the code_challenge; the code is void now.")
	default:
		return false, nil
	}
}

// Refresh is a refresh token as it is stored.
type Refresh struct {
	Grant     Grant
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not used
	Seed      []byte    // what the tokens were derived with that it was exchanged for; empty: not used
	// SuccessorUsed says that one of the tokens that it was exchanged for has been used.
	SuccessorUsed bool
}

// Exchange is what becomes of a refresh token that is presented.
type Exchange int

const (
	// Refused gives nothing: the token is unknown, expired, or of a family that has ended.
	Refused Exchange = iota
	// Rotated gives new tokens and uses the token up.
	Rotated
	// Repeated gives the tokens again that it was exchanged for a moment ago: the client has not heard of them.
	Repeated
	// Stolen gives nothing and ends the family: somebody uses a token that has been exchanged (RFC 9700, section 4.14.2).
	Stolen
)

// Present decides it.
func (r Refresh) Present(client Client, now time.Time) Exchange {
	switch {
	case r.Grant.ClientID != client.ID, !r.Grant.RevokedAt.IsZero(), !now.Before(r.ExpiresAt):
		return Refused
	case r.UsedAt.IsZero():
		return Rotated
	case !r.SuccessorUsed && now.Before(r.UsedAt.Add(RefreshGrace)):
		return Repeated
	default:
		return Stolen
	}
}

// Access is an access token as it is stored.
type Access struct {
	Grant     Grant
	Program   string // the client's title, for people
	Scopes    []credential.Scope
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not used; the first use alone is noted
}

// Valid reports whether the token may be used.
func (a Access) Valid(now time.Time) bool {
	return a.Grant.RevokedAt.IsZero() && now.Before(a.ExpiresAt)
}

// IssuedAt is when the token was given.
func (a Access) IssuedAt() time.Time { return a.ExpiresAt.Add(-AccessTokenLife) }

// Allows reports whether the token carries the scope.
func (a Access) Allows(scope credential.Scope) bool { return slices.Contains(a.Scopes, scope) }
