// Package oauth has the rules of the authorization server: which clients it takes, what an authorization request may ask, how a
// code is redeemed, how refresh tokens follow one another, and what the server says of itself (OAuth 2.1; RFC 6749, 7591, 7636,
// 8414, 8707, 9207; Client ID Metadata Documents). It knows no HTTP server and no database.
package oauth

import "time"

// Lifetimes (decisions, section 3; OAuth 2.1, sections 4.1.2 and 4.3).
const (
	RequestLife      = 10 * time.Minute    // from the authorization endpoint to the decision
	CodeLife         = time.Minute         // one use
	AccessTokenLife  = time.Hour           // not longer than its grant
	RefreshTokenLife = 30 * 24 * time.Hour // one use each
	// RefreshGrace is how long a refresh token may be sent again by a client that did not hear the answer: it gets the same
	// tokens once more, as long as nobody has used them.
	RefreshGrace = 30 * time.Second
	// UnusedClientLife is how long a registered client is kept that was never authorized (RFC 7591, section 5).
	UnusedClientLife = 90 * 24 * time.Hour
)

// The paths of the endpoints under the issuer.
const (
	PathMetadata   = "/.well-known/oauth-authorization-server"
	PathAuthorize  = "/oauth/authorize"
	PathToken      = "/oauth/token"
	PathRevoke     = "/oauth/revoke"
	PathIntrospect = "/oauth/introspect"
	PathRegister   = "/oauth/register"
)

// The values that are supported, and no others.
const (
	ResponseTypeCode       = "code"
	GrantAuthorizationCode = "authorization_code"
	GrantRefreshToken      = "refresh_token"
	ChallengeS256          = "S256"
)
