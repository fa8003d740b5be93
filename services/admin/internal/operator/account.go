package operator

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// Given holds credentials as an operator enters them. The tokens are secret.
type Given struct {
	Tokens channel.Credentials // see ParseTokens
	// ExpiresAt is the end of the access token, RFC 3339. It replaces that of Tokens unless it is empty.
	ExpiresAt string
	Variant   string // of the account's type; empty: the usual one
	ClientID  string // of the application that got the tokens; empty: the configured one
	Server    string // URL of the account's server, on a network of independent servers; empty: the usual one
}

// IsZero reports whether no credentials were entered.
func (g Given) IsZero() bool {
	return g.Tokens.AccessToken == "" && g.Tokens.RefreshToken == "" && g.ExpiresAt == "" && g.Variant == "" &&
		g.ClientID == "" && g.Server == ""
}

const longestToken = 8192

// credentials validates the credentials of a channel of the type. No message repeats any part of them.
func (f *faults) credentials(t channel.Type, g Given, now time.Time) channel.Credentials {
	c := g.Tokens
	if g.ExpiresAt != "" {
		c.ExpiresAt = f.instant(MemberExpiresAt, g.ExpiresAt, now)
	}
	if !g.IsZero() {
		c.StoredAt = now
	}
	c.Variant, c.Server = f.variant(t, g.Variant), f.server(t, g.Server)
	if g.ClientID != "" {
		c.ClientID = f.text(MemberApp, g.ClientID)
	}
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

// variant validates the way in which the account is connected.
func (f *faults) variant(t channel.Type, given string) channel.Variant {
	variants := connectors.Of(t.Network()).Account(t).VariantIDs()
	switch {
	case given == "" || slices.Contains(variants, channel.Variant(given)):
	case len(variants) == 0:
		f.add(MemberVariant, "is not used for %s channels, which are connected in one way", t)
	default:
		f.add(MemberVariant, "%q is not a way to connect a %s channel; choose %s", given, t, oneOf(variants))
	}
	return channel.Variant(given)
}

// server validates the URL of the account's server: https, without a path. Whether the server may be called is checked
// with every call.
func (f *faults) server(t channel.Type, given string) string {
	if given == "" {
		return ""
	}
	declared := connectors.Of(t.Network()).Account(t)
	if declared.IDHasServer {
		f.add(MemberServer, "is not used for %s channels, whose external id names the server", t)
		return ""
	}
	if !declared.HasServers {
		f.add(MemberServer, "is not used for %s channels, whose network has no independent servers", t)
		return ""
	}
	address, err := url.Parse(strings.TrimRight(given, "/"))
	if err != nil || address.Scheme != "https" || address.Hostname() == "" || address.User != nil ||
		address.Path+address.RawQuery+address.Fragment != "" {
		f.add(MemberServer, "%q is not the https URL of a server without a path, such as https://pds.example.com", given)
		return ""
	}
	address.Host = strings.ToLower(address.Host)
	return address.String()
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

// tokenStatus returns the token status of a channel that gets these credentials now.
func (o *Operator) tokenStatus(t channel.Type, c channel.Credentials, now time.Time) channel.TokenStatus {
	term := platform.OnUseTerm(c)
	if link, linked := o.networks.Link(channel.Channel{Type: t}); linked {
		term = link.Term(platform.Account{Type: t, Credentials: c})
	}
	return term.Status(now)
}
