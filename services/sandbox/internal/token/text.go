package token

import (
	"regexp"
	"strconv"
	"strings"
)

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
