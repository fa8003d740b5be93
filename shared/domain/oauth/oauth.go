// Package oauth contains the rules of the authorization server: accepted clients, authorization requests, redemption of
// codes, rotation of refresh tokens, and server metadata (OAuth 2.1; RFC 6749, 7591, 7636, 8414, 8707, 9207; Client ID
// Metadata Documents). It depends on no HTTP server and no database.
package oauth

import "time"

// Lifetimes (docs/oauth.md, Tokens; OAuth 2.1, sections 4.1.2 and 4.3).
const (
	RequestLife      = 10 * time.Minute    // from the authorization endpoint to the decision
	CodeLife         = time.Minute         // one use
	AccessTokenLife  = time.Hour           // not longer than its grant
	RefreshTokenLife = 30 * 24 * time.Hour // one use each
	// RefreshGrace is the time in which a client that did not receive the response may send a refresh token again. The
	// client gets the same tokens again, as long as they are unused.
	RefreshGrace = 30 * time.Second
	// UnusedClientLife is the lifetime of a registered client without any authorization (RFC 7591, section 5).
	UnusedClientLife = 90 * 24 * time.Hour
)

// Paths of the endpoints below the issuer.
const (
	PathMetadata   = "/.well-known/oauth-authorization-server"
	PathAuthorize  = "/oauth/authorize"
	PathToken      = "/oauth/token"
	PathRevoke     = "/oauth/revoke"
	PathIntrospect = "/oauth/introspect"
	PathRegister   = "/oauth/register"
)

// Supported values. Others are refused.
const (
	ResponseTypeCode       = "code"
	GrantAuthorizationCode = "authorization_code"
	GrantRefreshToken      = "refresh_token"
	ChallengeS256          = "S256"
)
