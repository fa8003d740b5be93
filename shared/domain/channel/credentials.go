package channel

import (
	"cmp"
	"time"
)

// Credentials holds the tokens that a network accepts, an access token and, for some networks, a refresh token, with
// the facts that decide when they must be renewed. They are encrypted at rest and must not enter a log, an error or a
// workflow history.
type Credentials struct {
	AccessToken  string    `json:"accessToken"`
	RefreshToken string    `json:"refreshToken,omitempty"`
	ExpiresAt    time.Time `json:"expiresAt,omitzero"` // of the access token; zero: does not expire, or unknown

	IssuedAt         time.Time `json:"issuedAt,omitzero"`         // by the network; zero if unknown
	StoredAt         time.Time `json:"storedAt,omitzero"`         // by this service; zero for older connections
	RefreshExpiresAt time.Time `json:"refreshExpiresAt,omitzero"` // of the refresh token; zero: none or unknown
	DataAccessEndsAt time.Time `json:"dataAccessEndsAt,omitzero"` // of the user's consent (Facebook); zero if unknown
	Scope            string    `json:"scope,omitempty"`           // granted, separated by spaces; empty if unknown
	ClientID         string    `json:"clientId,omitempty"`        // of the application that got the tokens
	// ClientSecret is the secret of that application, if this service registered it at the account's server.
	ClientSecret string  `json:"clientSecret,omitempty"`
	Variant      Variant `json:"variant,omitempty"` // empty: the only or the usual one of the type
	// UserToken is the token of the person who gave access to the account, for networks at which the account has its own.
	// Some calls need it (Facebook Login); it ends earlier. Empty: unknown.
	UserToken string `json:"userToken,omitempty"`
	// Subject is the account of the tokens, if the network reports it only with them. It is not stored with a channel.
	Subject string `json:"subject,omitempty"`
	// Server is the base URL of the account's server on a network of independent servers. Empty: the usual one.
	Server string `json:"server,omitempty"`
	// Business is the ID of the business account that has the account, if calls need it (WhatsApp).
	Business string `json:"business,omitempty"`
}

// Variant is one of several ways in which accounts of one channel type are connected. It decides on the host that is
// called and on how the credentials are renewed.
type Variant string

// The variants of INSTAGRAM_PROFESSIONAL.
const (
	InstagramLogin Variant = "instagram_login" // the usual one: a user token of Instagram Login
	FacebookLogin  Variant = "facebook_login"  // the token of the Facebook Page that the account is linked to
)

// Renewed returns the credentials to store after a network exchanged c for fresh ones at the given time. It keeps all
// facts that the network's response did not contain. In particular, it never replaces a refresh token by an empty one,
// because networks omit a refresh token that stays valid.
func (c Credentials) Renewed(fresh Credentials, at time.Time) Credentials {
	fresh.RefreshToken = cmp.Or(fresh.RefreshToken, c.RefreshToken)
	fresh.Scope, fresh.ClientID = cmp.Or(fresh.Scope, c.Scope), cmp.Or(fresh.ClientID, c.ClientID)
	if fresh.ClientID == c.ClientID {
		fresh.ClientSecret = cmp.Or(fresh.ClientSecret, c.ClientSecret)
	}
	fresh.Variant, fresh.Server = cmp.Or(fresh.Variant, c.Variant), cmp.Or(fresh.Server, c.Server)
	fresh.UserToken, fresh.Business = cmp.Or(fresh.UserToken, c.UserToken), cmp.Or(fresh.Business, c.Business)
	if fresh.RefreshToken == c.RefreshToken && fresh.RefreshExpiresAt.IsZero() {
		fresh.RefreshExpiresAt = c.RefreshExpiresAt
	}
	if fresh.DataAccessEndsAt.IsZero() {
		fresh.DataAccessEndsAt = c.DataAccessEndsAt
	}
	if fresh.IssuedAt.IsZero() {
		fresh.IssuedAt = at
	}
	fresh.StoredAt = at
	return fresh
}

// Replaced returns the credentials to store after a person gave others for the same account. It keeps the application,
// the variant and the server that the person did not name, and the refresh token if none was given for the same
// application and variant: some networks return a refresh token at the first consent only.
func (c Credentials) Replaced(given Credentials, at time.Time) Credentials {
	same := cmp.Or(c.ClientID, given.ClientID) == cmp.Or(given.ClientID, c.ClientID) &&
		cmp.Or(c.Variant, given.Variant) == cmp.Or(given.Variant, c.Variant)
	given.ClientID, given.Variant = cmp.Or(given.ClientID, c.ClientID), cmp.Or(given.Variant, c.Variant)
	if given.ClientID == c.ClientID {
		given.ClientSecret = cmp.Or(given.ClientSecret, c.ClientSecret)
	}
	given.Server, given.Business = cmp.Or(given.Server, c.Server), cmp.Or(given.Business, c.Business)
	if same {
		given.UserToken = cmp.Or(given.UserToken, c.UserToken)
	}
	if given.RefreshToken == "" && same {
		given.RefreshToken = c.RefreshToken
		if given.RefreshExpiresAt.IsZero() {
			given.RefreshExpiresAt = c.RefreshExpiresAt
		}
	}
	given.StoredAt = at
	return given
}

// Known returns the time at which the access token existed for certain: its issue, or if that is unknown, the moment
// at which this service stored it. It is zero if neither is known.
func (c Credentials) Known() time.Time {
	if c.IssuedAt.IsZero() {
		return c.StoredAt
	}
	return c.IssuedAt
}

// Expired reports whether the access token has expired.
func (c Credentials) Expired(now time.Time) bool {
	return !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt)
}

// String hides the credentials from fmt and from logs.
func (Credentials) String() string { return "[redacted]" }

// GoString hides the credentials from %#v.
func (Credentials) GoString() string { return "[redacted]" }
