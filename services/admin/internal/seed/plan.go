package seed

import (
	"strings"

	"socialpub.internal/services/admin/internal/operator"
	"socialpub.internal/shared/base62"
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/workspace"
)

// plan describes one workspace of the seed.
type plan struct {
	name     string
	plan     workspace.Plan
	timezone string
	account  string // how its accounts on the sandbox network begin
	channels []spec
}

type spec struct {
	typ  channel.Type
	name string
}

// plans are the seeded workspaces: one with a channel of every kind this build publishes to and of every kind that refuses
// to be published to, and a small one beside it, so that tenants can be told apart.
func plans() []plan {
	return []plan{
		{
			name: "Acme Studio", plan: workspace.Growth, timezone: "Europe/Berlin", account: "acme",
			channels: []spec{
				{channel.Twitter, "Acme Studio on X"},
				{channel.Threads, "Acme Studio on Threads"},
				{channel.TelegramChannel, "Acme Studio News"},
				{channel.TelegramBusiness, "Acme Studio Inbox"},
				{channel.WhatsAppBusiness, "Acme Studio Support"},
				{channel.FacebookGroup, "Friends of Acme Studio"},
				{channel.InstagramPersonal, "Acme Studio behind the scenes"},
			},
		},
		{
			name: "Corner Bakery", plan: workspace.Free, timezone: "America/New_York", account: "bakery",
			channels: []spec{{channel.TelegramChannel, "Corner Bakery Daily"}},
		},
	}
}

// newAccount makes a name that the sandbox network has not seen: it remembers what an account published and which of its
// tokens were exchanged, also when the database is made anew.
func newAccount(prefix string) string {
	const length = 6
	return prefix + strings.ToLower(base62.Random(length))
}

// on connects the channel to the account. A channel's user name is its account's name in the sandbox's control API.
func (s spec) on(account, workspaceID string) operator.NewChannel {
	c := operator.NewChannel{
		Workspace: workspaceID, Type: string(s.typ), Name: s.name, Username: account, ExternalID: account,
	}
	if s.typ == channel.TelegramChannel {
		c.Username, c.ExternalID = "@"+account, "@"+account
	}
	c.Given.Tokens = map[channel.Type]channel.Credentials{ // nothing is published to the others
		channel.Twitter:         {AccessToken: "sandbox-x-" + account, RefreshToken: "sandbox-refresh-" + account},
		channel.Threads:         {AccessToken: "sandbox-threads-" + account},
		channel.TelegramChannel: {AccessToken: botID + ":sandbox-" + account},
	}[s.typ]
	return c
}

// botID begins the tokens of the sandbox's bots; any number does.
const botID = "100200300"
