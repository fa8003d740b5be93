package bluesky

import (
	"regexp"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/rules"
)

// Environment locates the API.
type Environment struct {
	APIURL   string `env:"BLUESKY_API_URL" envDefault:"https://bsky.social" format:"http-url" desc:"Base address of the server of Bluesky accounts that name no other." example:"http://127.0.0.1:8090/bluesky"`
	VideoURL string `env:"BLUESKY_VIDEO_URL" envDefault:"https://video.bsky.app" format:"http-url" desc:"Base address of the video service of Bluesky." example:"http://127.0.0.1:8090/bluesky"`
	AppURL   string `env:"BLUESKY_APP_URL" envDefault:"https://bsky.app" format:"http-url" desc:"Base address of links to posts on Bluesky." example:"https://deer.social"`

	BlueskyInbox []string `env:"BLUESKY_INBOX" envDefault:"comments,mentions" format:"inbox-parts" desc:"What the inbox reads on Bluesky, separated by commas: comments (replies and quotes), mentions; off for nothing." example:"off"`

	oneServer bool
}

// didPattern matches the ids of accounts (atproto.com/specs/did).
var didPattern = regexp.MustCompile(`^did:[a-z]+:[A-Za-z0-9._:%-]{1,200}$`)

// plcPrefix begins the ids of most accounts, and of all on the sandbox network.
const plcPrefix = "did:plc:"

// Declare declares Bluesky.
func Declare(e *Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkBluesky,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.Bluesky, Title: "Bluesky", About: "An account, with an app password.",
			Figures: analytics.Coverage{
				Channel: []analytics.Figure{analytics.Followers},
				Posts:   []analytics.Figure{analytics.Likes, analytics.Comments, analytics.Shares, analytics.Saves},
			},
			IDFault: idFault, HasServers: true,
			Needs: "external id: the account's DID (did:plc:…). Tokens: the response of\n" +
				"com.atproto.server.createSession with an app password, or its accessJwt and refreshJwt. The access\n" +
				"token lives two hours. Server: the personal data server, if it is not hosted by Bluesky.",
		}},
		Tokens: network.Tokens{
			Lifetime: "two hours",
			Sandbox: func(name string) network.SandboxAccount {
				account := network.PlainAccount(channel.NetworkBluesky, name)
				account.ID = plcPrefix + name
				return account
			},
		},
		Codes: []string{
			CodeRefused, CodeAccount, CodePassword, CodeServerGone, CodeEmail, CodeProfile, httpcall.CodeGone,
			platform.CodeParentGone,
		},
		Reader: Reader{},
		UseSandbox: func(base string) {
			e.APIURL, e.VideoURL, e.AppURL, e.oneServer = base+"/bluesky", base+"/bluesky", base+"/bluesky", true
			e.BlueskyInbox = network.InboxOnSandbox(e.BlueskyInbox)
		},
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{
				Wire: httpcall.At(e.APIURL, w), VideoURL: e.VideoURL, AppURL: e.AppURL, Reach: w.Servers,
				OneServer: e.oneServer, Inbox: e.BlueskyInbox,
			})
			return []platform.Link{c}, err
		},
	}
}

func idFault(id string) string {
	if didPattern.MatchString(id) {
		return ""
	}
	return "is not a DID; give the account's id, which begins with did:, and not its handle"
}
