package seed

import (
	"strings"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/network"
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
// of tenants (docs/contract.md, Seed).
func plans() []plan {
	return []plan{
		{
			name: "Acme Studio", plan: workspace.Growth, timezone: "Europe/Berlin", account: "acme", ideas: ideas(),
			page:     studioPage(),
			channels: everyChannel("Acme Studio"),
		},
		{
			name: "Corner Bakery", plan: workspace.Free, timezone: "America/New_York", account: "bakery", page: bakeryPage(),
			channels: []spec{{channel.TelegramChannel, "Corner Bakery Daily"}},
		},
	}
}

// slots is the posting schedule of every channel that can be published to.
const slots = "MONDAY 09:00, TUESDAY 09:00, TUESDAY 17:30, WEDNESDAY 09:00, THURSDAY 09:00, THURSDAY 17:30, FRIDAY " +
	"12:00, SATURDAY 10:00"

// newAccount returns an unused account name. The sandbox network keeps an account's posts and exchanged tokens even if
// the database is recreated.
func newAccount(prefix string) string {
	const length = 6
	return prefix + strings.ToLower(credential.RandomText(length))
}

// everyChannel returns a channel of every type. The names distinguish the types of one network.
func everyChannel(owner string) []spec {
	named := make(map[channel.Network]bool)
	channels := make([]spec, len(channel.Types()))
	for i, t := range channel.Types() {
		name := owner + " on " + t.Network().Name()
		if _, kind, _ := strings.Cut(string(t), "_"); named[t.Network()] {
			name += " (" + strings.ToLower(kind) + ")"
		}
		channels[i], named[t.Network()] = spec{t, name}, true
	}
	return channels
}

// on returns the input that connects the channel to the account. A channel's user name is its account's name in the
// sandbox's control API.
func (s spec) on(name, workspaceID string) operator.NewChannel {
	account := network.SandboxAccount{ID: name}
	if s.typ.Capabilities().Publish {
		account = connectors.Of(s.typ.Network()).SandboxAccount(s.typ, name+s.suffix())
	}
	c := operator.NewChannel{
		Workspace: workspaceID, Type: string(s.typ), Name: s.name, Username: account.ID, ExternalID: account.ID,
		SkipCheck: true, // every account exists on the sandbox network, which may not be running yet
	}
	c.Given.Tokens = account.Credentials
	return c
}

// suffix distinguishes the accounts of channel types of one network, which stores tokens and texts by account.
func (s spec) suffix() string {
	for _, t := range channel.Types() {
		if t == s.typ {
			break
		}
		if t.Network() == s.typ.Network() && t.Capabilities().Publish {
			return "co"
		}
	}
	return ""
}
