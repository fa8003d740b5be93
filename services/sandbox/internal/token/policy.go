package token

import (
	"slices"
	"time"
)

// Policy holds a network's rules for the tokens of one kind of account.
type Policy struct {
	// Role follows the account's name in its tokens, after an @. It is empty for the usual kind of account.
	Role string
	// Access and Refresh are the lifetimes of the tokens. Zero means that a token has no end.
	Access, Refresh time.Duration
	// DataAccess is the time after which an account must be connected again although its token has no end (Facebook).
	DataAccess time.Duration
	// NoRefresh means that the network issues no refresh tokens.
	NoRefresh bool
	// FixedRefresh means that a renewal keeps the end of the refresh token. Otherwise it extends it.
	FixedRefresh bool
	// Rotates means that a renewal replaces the refresh token.
	Rotates bool
	// Revokes means that a renewal revokes older access tokens.
	Revokes bool
	// Youngest is the minimum age of an access token that is renewed without a refresh token (Instagram, Threads).
	Youngest time.Duration
	// RenewalScope is the scope without which tokens are not renewed. It is empty if there is none.
	RenewalScope string
	// Scopes are all scopes that an account can grant.
	Scopes []string
}

// issue returns a token of the account issued at a time.
func (p Policy) issue(account string, generation int, at time.Time) Grant {
	end := func(life time.Duration) time.Time {
		if life == 0 {
			return time.Time{}
		}
		return at.Add(life)
	}
	return Grant{
		Account: account, Role: p.Role, Generation: generation, Scopes: p.Scopes, IssuedAt: at, ExpiresAt: end(p.Access),
		RefreshExpiresAt: end(p.Refresh), DataExpiresAt: end(p.DataAccess),
	}
}

// Grant is a pair of tokens: who it is for, what it allows, and how long.
type Grant struct {
	Account    string   `json:"account"`
	Role       string   `json:"role,omitempty"`
	Generation int      `json:"generation"`
	App        string   `json:"app,omitempty"` // the application's client id; empty until an application renews the tokens
	Scopes     []string `json:"scopes,omitempty"`
	// The times are zero for what has no end.
	IssuedAt         time.Time `json:"issuedAt,omitzero"`
	ExpiresAt        time.Time `json:"expiresAt,omitzero"`
	RefreshExpiresAt time.Time `json:"refreshExpiresAt,omitzero"`
	DataExpiresAt    time.Time `json:"dataExpiresAt,omitzero"`
}

// Has reports whether all the scopes were granted.
func (g Grant) Has(scopes ...string) bool {
	return !slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(g.Scopes, scope) })
}

// Seconds returns the number of whole seconds until the time.
func Seconds(from, until time.Time) int64 { return int64(until.Sub(from) / time.Second) }

// over reports whether the end, if there is one, has passed.
func over(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }
