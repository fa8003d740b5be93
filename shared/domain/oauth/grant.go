package oauth

import (
	"slices"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// Grant is a user's authorization of a client. All tokens issued from it form one family and are revoked together.
type Grant struct {
	ID          ident.Grant
	ClientID    string
	UserID      ident.User
	WorkspaceID ident.Workspace
	Scopes      []credential.Scope
	Resource    string // the audience of its tokens
	CreatedAt   time.Time
	RevokedAt   time.Time // zero: valid
}

// Narrow parses the scopes of a token request. It returns the scopes of the grant if none are requested, and refuses
// scopes that the grant does not have (RFC 6749, section 6). The error is an *Error.
func (g Grant) Narrow(scope string) ([]credential.Scope, error) {
	if scope == "" {
		return g.Scopes, nil
	}
	return ReadScope(scope, Client{Scopes: g.Scopes})
}

// For checks the resources of a token request, which may be the grant's resource or none (RFC 8707, section 2.2). The
// error is an *Error.
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

// Code is an authorization code as stored: for one grant and one use.
type Code struct {
	Grant       Grant
	RedirectURI string
	Challenge   string
	ExpiresAt   time.Time
	UsedAt      time.Time // zero: not used; also set by a failed use
}

// Redeem decides whether a client gets tokens for a code. The caller has looked up the code, has authenticated the
// client, and marks the code as used whatever the result, because a code can be tried only once. The error is an
// *Error. If revoke is true, the caller must revoke the family, because the code was used before (OAuth 2.1, section
// 4.1.3).
func (c Code) Redeem(client Client, redirectURI, verifier string, now time.Time) (revoke bool, err error) {
	const wrong = "The code is unknown, expired, already used, or belongs to another client."
	switch {
	case c.Grant.ClientID != client.ID:
		return false, Refuse(InvalidGrant, wrong)
	case !c.UsedAt.IsZero():
		return true, Refuse(InvalidGrant, wrong)
	case !c.Grant.RevokedAt.IsZero(), !now.Before(c.ExpiresAt):
		return false, Refuse(InvalidGrant, wrong)
	case redirectURI != c.RedirectURI:
		return false, Refuse(InvalidGrant, "The redirect_uri differs from the authorization request.")
	case !VerifyChallenge(c.Challenge, verifier):
		return false, Refuse(InvalidGrant, "The code_verifier does not match the code_challenge. The code is now invalid.")
	default:
		return false, nil
	}
}

// Refresh is a refresh token as stored.
type Refresh struct {
	Grant     Grant
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not used
	Seed      []byte    // seed from which the successor tokens were derived; empty: not used
	// SuccessorUsed reports whether one of the successor tokens has been used.
	SuccessorUsed bool
}

// Exchange is the result of presenting a refresh token.
type Exchange int

const (
	// Refused returns no tokens: the token is unknown, expired, or its family was revoked.
	Refused Exchange = iota
	// Rotated returns new tokens and invalidates the presented one.
	Rotated
	// Repeated returns the same successor tokens again: the client has not received the response.
	Repeated
	// Stolen returns no tokens and revokes the family: a token was presented after its exchange (RFC 9700, section
	// 4.14.2).
	Stolen
)

// Present decides the result of presenting the token.
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

// Access is an access token as stored.
type Access struct {
	Grant   Grant
	Program string // the client's title, for display
	Scopes  []credential.Scope
	// Person lists the permissions that the person who granted it has now. It is not nil.
	Person    []credential.Permission
	Channels  []ident.Channel // to which that person is limited; nil: every channel
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not used; only the first use is recorded
}

// Valid reports whether the token may be used.
func (a Access) Valid(now time.Time) bool {
	return a.Grant.RevokedAt.IsZero() && now.Before(a.ExpiresAt)
}

// IssuedAt returns when the token was issued.
func (a Access) IssuedAt() time.Time { return a.ExpiresAt.Add(-AccessTokenLife) }

// Allows reports whether the token has the scope.
func (a Access) Allows(scope credential.Scope) bool { return slices.Contains(a.Scopes, scope) }
