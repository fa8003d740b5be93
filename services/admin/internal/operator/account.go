package operator

import (
	"strings"
	"time"
	"unicode"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform/connectors"
)

// Given holds credentials as an operator enters them. All fields except ExpiresAt are secret.
type Given struct {
	Tokens channel.Credentials // AccessToken and RefreshToken; ExpiresAt is parsed from the field below
	// expiry of the access token, RFC 3339; empty when it does not expire or the expiry is unknown
	ExpiresAt string
}

// IsZero reports whether no credentials were entered.
func (g Given) IsZero() bool {
	return g.Tokens.AccessToken == "" && g.Tokens.RefreshToken == "" && g.ExpiresAt == ""
}

const (
	longestToken = 8192
	// soon is the remaining lifetime at which a token that cannot be renewed is EXPIRING (decisions, section 3a).
	soon = 7 * 24 * time.Hour
)

// credentials validates the credentials of a channel of the type. No message repeats any part of them.
func (f *faults) credentials(t channel.Type, g Given, now time.Time) channel.Credentials {
	c := g.Tokens
	c.ExpiresAt = f.instant(MemberExpiresAt, g.ExpiresAt, now)
	f.token(MemberAccessToken, c.AccessToken)
	f.token(MemberRefreshToken, c.RefreshToken)
	if c.AccessToken == "" && !g.IsZero() {
		f.add(MemberAccessToken, "is required with the other credentials")
	}
	tokens := connectors.Of(t.Network()).Tokens
	if tokens.Fault != nil && c.AccessToken != "" {
		if fault := tokens.Fault(c.AccessToken); fault != "" {
			f.add(MemberAccessToken, "%s", fault)
		}
	}
	if tokens.NoRefreshToken != "" && c.RefreshToken != "" {
		f.add(MemberRefreshToken, "%s", tokens.NoRefreshToken)
	}
	return c
}

func (f *faults) token(member, token string) {
	switch {
	case len(token) > longestToken:
		f.add(member, "has %d bytes; tokens have at most %d", len(token), longestToken)
	case strings.ContainsFunc(token, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		f.add(member, "has spaces, line breaks or control characters; give one token")
	}
}

// externalID validates the account's id on its network.
func (f *faults) externalID(t channel.Type, given string) string {
	id := f.text(MemberExternalID, given)
	account, fault := connectors.Of(t.Network()).Account(t), ""
	if account.IDFault != nil {
		fault = account.IDFault(id)
	}
	switch {
	case id == "": // reported already
	case fault != "":
		f.add(MemberExternalID, "%q %s", given, fault)
	case account.IsNumbered && strings.HasPrefix(id, "@"):
		f.add(MemberExternalID,
			"%q is a user name; give the account's id, which is a number on the real network, and the name as --%s",
			given, MemberUsername)
	case strings.ContainsFunc(id, unicode.IsSpace):
		f.add(MemberExternalID, "%q contains a space", given)
	}
	return id
}

// tokenStatus returns the initial token status of a channel with these credentials.
func tokenStatus(t channel.Type, c channel.Credentials, now time.Time) channel.TokenStatus {
	renewable := c.RefreshToken != "" || connectors.Of(t.Network()).Tokens.IsRenewable
	if !c.ExpiresAt.IsZero() && !renewable && c.ExpiresAt.Before(now.Add(soon)) {
		return channel.TokenExpiring
	}
	return channel.TokenHealthy
}
