package token

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
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

const refreshPrefix = "sandbox-refresh-"

func accessPrefix(network string) string { return "sandbox-" + network + "-" }

// Access returns the access token of the grant.
func (g Grant) Access(network string) string { return accessPrefix(network) + g.name() }

// Refresh returns the refresh token of the grant.
func (g Grant) Refresh() string { return refreshPrefix + g.name() }

// HasRefresh reports whether the network issues a refresh token with the grant.
func (t *Tokens) HasRefresh(network string, grant Grant) bool {
	policy, ok := t.policy(network, grant.Role)
	return ok && !policy.NoRefresh
}

// name returns the part of a token that names the grant: the account, its role and the generation.
func (g Grant) name() string {
	name := g.Account
	if g.Role != "" {
		name += "@" + g.Role
	}
	return name + "." + strconv.Itoa(g.Generation)
}

// Bot returns the name in a bot's token. It returns false if the token has another format.
func Bot(token string) (string, bool) {
	number, rest, _ := strings.Cut(token, ":")
	name, ok := strings.CutPrefix(rest, "sandbox-")
	if _, err := strconv.ParseUint(number, 10, 64); err != nil || !ok || !accountPattern.MatchString(name) {
		return "", false
	}
	return name, true
}

var accountPattern = regexp.MustCompile(`^[A-Za-z0-9_@.-]{1,100}$`)

// parse returns the account, the role and the generation in a token. Only the network's roles are roles.
func (t *Tokens) parse(network, prefix, token string) (Grant, Policy, bool) {
	account, ok := strings.CutPrefix(token, prefix)
	if !ok {
		return Grant{}, Policy{}, false
	}
	grant := Grant{Account: account}
	if at := strings.LastIndexByte(account, '.'); at > 0 {
		if number, err := strconv.ParseUint(account[at+1:], 10, 31); err == nil {
			grant.Account, grant.Generation = account[:at], int(number)
		}
	}
	if at := strings.LastIndexByte(grant.Account, '@'); at > 0 {
		if _, known := t.policy(network, grant.Account[at+1:]); known {
			grant.Account, grant.Role = grant.Account[:at], grant.Account[at+1:]
		}
	}
	policy, known := t.policy(network, grant.Role)
	return grant, policy, known && accountPattern.MatchString(grant.Account)
}

// policy returns the network's policy for accounts of the role.
func (t *Tokens) policy(network, role string) (Policy, bool) {
	for _, policy := range t.policies[network] {
		if policy.Role == role {
			return policy, true
		}
	}
	return Policy{}, false
}

// RoleOf returns the first of the roles whose accounts can grant all the scopes; nil: the usual role. It returns false if
// there is none.
func (t *Tokens) RoleOf(network string, roles, scopes []string) (string, bool) {
	if roles == nil {
		roles = []string{""}
	}
	for _, role := range roles {
		if policy, ok := t.policy(network, role); ok && (Grant{Scopes: policy.Scopes}).Has(scopes...) {
			return role, true
		}
	}
	return "", false
}
