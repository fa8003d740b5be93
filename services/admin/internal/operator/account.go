package operator

import (
	"regexp"
	"strings"
	"time"
	"unicode"

	"socialpub.internal/shared/domain/channel"
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

// telegramToken and telegramChat match the only formats that the Bot API accepts. Without this check, the first post
// would be the first to fail.
var (
	telegramToken = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{1,128}$`)
	telegramChat  = regexp.MustCompile(`^(@[A-Za-z0-9_]{1,64}|-?[0-9]{1,20})$`)
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
	if t.Network() == channel.NetworkTelegram && c.AccessToken != "" && !telegramToken.MatchString(c.AccessToken) {
		f.add(MemberAccessToken, "is not a bot token, which looks like 123456789:AAH4…; @BotFather shows it")
	}
	if why := withoutRefreshToken(t); c.RefreshToken != "" && why != "" {
		f.add(MemberRefreshToken, "%s", why)
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

// withoutRefreshToken explains why the type's network issues no refresh tokens. It returns "" if the network issues
// them.
func withoutRefreshToken(t channel.Type) string {
	return map[channel.Network]string{
		channel.NetworkThreads:  "is not used by Threads, whose long-lived access token is renewed automatically",
		channel.NetworkTelegram: "is not used by Telegram, whose bot tokens work until they are revoked",
		channel.NetworkFacebook: "is not used by Facebook, whose Page tokens work until access is revoked",
	}[t.Network()]
}

// externalID validates the account's id on its network.
func (f *faults) externalID(t channel.Type, given string) string {
	id := f.text(MemberExternalID, given)
	chat, numbered := t == channel.TelegramChannel, t == channel.Twitter || t == channel.Threads || t == channel.FacebookPage || t == channel.InstagramProfessional
	switch {
	case id == "": // reported already
	case chat && !telegramChat.MatchString(id):
		f.add(MemberExternalID, "%q is not a Telegram chat; give its @name or its number, such as -1001234567890", given)
	case numbered && strings.HasPrefix(id, "@"):
		f.add(MemberExternalID, "%q is a user name; give the account's id (a number on the real network), and the name with --%s",
			given, MemberUsername)
	case strings.ContainsFunc(id, unicode.IsSpace):
		f.add(MemberExternalID, "%q contains a space", given)
	}
	return id
}

// tokenStatus returns the initial token status of a channel with these credentials.
func tokenStatus(t channel.Type, c channel.Credentials, now time.Time) channel.TokenStatus {
	renewable := c.RefreshToken != "" || t.Network() == channel.NetworkThreads
	if !c.ExpiresAt.IsZero() && !renewable && c.ExpiresAt.Before(now.Add(soon)) {
		return channel.TokenExpiring
	}
	return channel.TokenHealthy
}
