package seed

import (
	"strings"

	"socialpub.internal/services/admin/internal/operator"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/workspace"
	"socialpub.internal/shared/kernel/base62"
)

// plan describes one workspace of the seed.
type plan struct {
	name     string
	plan     workspace.Plan
	timezone string
	account  string // prefix of its account names on the sandbox network
	channels []spec
	ideas    []operator.NewIdea // cards of its idea board
	page     page               // its link page
}

type spec struct {
	typ  channel.Type
	name string
}

// plans returns the seeded workspaces: one with a channel of every type, and a small second one to test the separation
// of tenants (decisions, section 9).
func plans() []plan {
	return []plan{
		{
			name: "Acme Studio", plan: workspace.Growth, timezone: "Europe/Berlin", account: "acme", ideas: ideas(), page: studioPage(),
			channels: []spec{
				{channel.Twitter, "Acme Studio on X"},
				{channel.Threads, "Acme Studio on Threads"},
				{channel.TelegramChannel, "Acme Studio News"},
				{channel.LinkedInProfile, "Ada of Acme Studio"},
				{channel.LinkedInPage, "Acme Studio on LinkedIn"},
				{channel.FacebookPage, "Acme Studio on Facebook"},
				{channel.GoogleBusiness, "Acme Studio, Berlin"},
				{channel.InstagramProfessional, "Acme Studio on Instagram"},
				{channel.YouTube, "Acme Studio Videos"},
				{channel.TikTokPersonal, "Ada on TikTok"},
				{channel.TikTokBusiness, "Acme Studio on TikTok"},
				{channel.Pinterest, "Acme Studio Boards"},
				{channel.TelegramBusiness, "Acme Studio Inbox"},
				{channel.WhatsAppBusiness, "Acme Studio Support"},
				{channel.FacebookGroup, "Friends of Acme Studio"},
				{channel.InstagramPersonal, "Acme Studio behind the scenes"},
			},
		},
		{
			name: "Corner Bakery", plan: workspace.Free, timezone: "America/New_York", account: "bakery", page: bakeryPage(),
			channels: []spec{{channel.TelegramChannel, "Corner Bakery Daily"}},
		},
	}
}

// slots is the posting schedule of every channel that can be published to.
const slots = "MONDAY 09:00, TUESDAY 09:00, TUESDAY 17:30, WEDNESDAY 09:00, THURSDAY 09:00, THURSDAY 17:30, FRIDAY 12:00, SATURDAY 10:00"

// newAccount returns an unused account name. The sandbox network keeps an account's posts and exchanged tokens even if
// the database is recreated.
func newAccount(prefix string) string {
	const length = 6
	return prefix + strings.ToLower(base62.Random(length))
}

// on returns the input that connects the channel to the account. A channel's user name is its account's name in the
// sandbox's control API.
func (s spec) on(account, workspaceID string) operator.NewChannel {
	switch s.typ { //nolint:exhaustive // the other types use the account's name
	// a network stores tokens and texts by account: two channels need two accounts
	case channel.LinkedInPage, channel.TikTokBusiness:
		account += "co"
	case channel.TelegramChannel:
		account = "@" + account
	}
	c := operator.NewChannel{
		Workspace: workspaceID, Type: string(s.typ), Name: s.name, Username: account, ExternalID: account,
		SkipCheck: true, // every account exists on the sandbox network, which may not be running yet
	}
	c.Given.Tokens = s.tokens(account)
	return c
}

// tokens returns tokens that the sandbox network accepts for the account.
func (s spec) tokens(account string) channel.Credentials {
	if !s.typ.Capabilities().Publish {
		return channel.Credentials{}
	}
	access := channel.Credentials{AccessToken: "sandbox-" + string(s.typ.Network()) + "-" + account}
	switch s.typ { //nolint:exhaustive // the other types have a refresh token
	case channel.TelegramChannel:
		access.AccessToken = botID + ":sandbox-" + strings.TrimPrefix(account, "@")
	case channel.Threads, channel.FacebookPage, channel.InstagramProfessional: // have no refresh token
	default:
		access.RefreshToken = "sandbox-refresh-" + account
	}
	return access
}

// botID is the prefix of the sandbox's bot tokens. Any number works.
const botID = "100200300"
