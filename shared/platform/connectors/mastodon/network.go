package mastodon

import (
	"strings"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/rules"
)

// Environment locates the API.
type Environment struct {
	APIURL string `env:"MASTODON_API_URL" envDefault:"https://mastodon.social" format:"http-url" desc:"Base address of the Mastodon server of accounts whose id names none." example:"http://127.0.0.1:8090/mastodon"`

	MastodonInbox []string `env:"MASTODON_INBOX" envDefault:"comments,mentions" format:"inbox-parts" desc:"What the inbox reads on Mastodon, separated by commas: comments (replies), mentions; off for nothing. Accounts grant read:notifications for it when they are connected." example:"off"`

	sandbox bool
}

// sandboxHost is the usual server on the sandbox network.
const sandboxHost = "mastodon.sandbox.test"

// sandboxAt returns the address at which the sandbox network plays a server, given the address of the usual one.
func sandboxAt(usual string) func(server string) string {
	return func(server string) string {
		return strings.TrimRight(usual, "/") + "-at/" + strings.TrimPrefix(server, "https://")
	}
}

// Declare declares Mastodon.
func Declare(e *Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkMastodon,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.Mastodon, Title: "Mastodon", About: "An account on any server.",
			Figures: analytics.Coverage{
				Channel: []analytics.Figure{analytics.Followers},
				Posts:   []analytics.Figure{analytics.Likes, analytics.Comments, analytics.Shares},
			},
			IDFault: idFault, IDHasServer: true,
			Needs: "external id: the account's server and its id (not its name), like mastodon.social/109302436954721982.\n" +
				"Access token: of an application of the account (Preferences, Development), with the scopes\n" +
				"profile (before Mastodon 4.3 read:accounts), read:statuses, write:statuses, write:media, and for the\n" +
				"inbox read:notifications.",
		}},
		Tokens: network.Tokens{ //nolint:gosec // G101: texts about tokens
			NoRefreshToken: "is not used by Mastodon, whose access tokens work until they are revoked",
			Sandbox: func(name string) network.SandboxAccount {
				account := network.WithoutRefreshToken(channel.NetworkMastodon)(name)
				user, host, qualified := strings.Cut(name, "@")
				if !qualified {
					host = sandboxHost
				}
				account.ID = host + "/" + user
				return account
			},
		},
		Codes: []string{
			CodeRefused, CodeAccount, CodeServerName, CodeServerDown, CodeServerOther, httpcall.CodeGone,
			platform.CodeParentGone, platform.CodeParentNotShown,
		},
		Reader: Reader{},
		UseSandbox: func(base string) {
			e.APIURL, e.sandbox, e.MastodonInbox = base+"/mastodon", true, network.InboxOnSandbox(e.MastodonInbox)
		},
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{
				Wire: httpcall.At(e.APIURL, w), Reach: w.Servers, Sandbox: e.sandbox, Inbox: e.MastodonInbox, Registrations: w.Registrations,
			})
			return []platform.Link{c}, err
		},
	}
}

func idFault(id string) string {
	if accountPattern.MatchString(id) && strings.Contains(id, "/") {
		return ""
	}
	return "is not a server and the id of an account on it, like mastodon.social/109302436954721982"
}
