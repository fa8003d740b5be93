package threads

import (
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/rules"
)

// Environment locates the API.
type Environment struct {
	APIURL    string        `env:"THREADS_API_URL" envDefault:"https://graph.threads.net" format:"http-url" desc:"Base address of the Threads API." example:"http://127.0.0.1:8090/threads"`
	AppID     string        `env:"THREADS_APP_ID" desc:"Id of the Threads application registered at Meta." example:"123456789012345"`
	AppSecret config.Secret `env:"THREADS_APP_SECRET" desc:"Secret of that application." example:"from the developer portal"`

	ThreadsInbox   []string `env:"THREADS_INBOX" format:"inbox-parts" desc:"Parts of the inbox to read: comments (replies to posts). Set it after Meta has approved the permissions in docs/connect/threads.md; off or empty reads nothing." example:"comments"`
	ThreadsReplies bool     `env:"THREADS_REPLIES" envDefault:"false" desc:"Asks for the permissions for threads and first comments when accounts are connected. Set it after Meta has approved them (docs/connect/threads.md)." example:"true"`
}

// Declare declares Threads.
func Declare(e *Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkThreads,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.Threads, Title: "Threads", About: "A Threads profile.",
			Figures: analytics.Coverage{
				Channel: []analytics.Figure{analytics.Followers, analytics.Impressions, analytics.Engagements, analytics.ProfileViews, analytics.WebsiteClicks},
				Posts:   []analytics.Figure{analytics.Impressions, analytics.Likes, analytics.Comments, analytics.Shares},
			},
			IsNumbered: true,
			Needs:      "external id: the account's number. Access token: the long-lived one, renewed automatically.",
		}},
		Reader: comments.Reader{Of: channel.NetworkThreads},
		Tokens: network.Tokens{ //nolint:gosec // G101: texts about tokens
			NoRefreshToken: "is not used by Threads, whose long-lived access token is renewed automatically",
			Sandbox:        network.WithoutRefreshToken(channel.NetworkThreads),
		},
		Applications: []network.Application{
			{ID: "THREADS_APP_ID", Secret: "THREADS_APP_SECRET", Types: []channel.Type{channel.Threads}}, //nolint:gosec // G101: names of variables
		},
		Codes: append(comments.Codes(),
			CodeRefused, CodeTooMuchLink, CodeFeature, CodeAccount, CodeNotReady, CodeUnreachable,
			graph.CodeAppAccess, platform.CodeParentGone,
		),
		UseSandbox: func(base string) {
			e.ThreadsInbox, e.ThreadsReplies = network.InboxOnSandbox(e.ThreadsInbox), true
			e.APIURL = base + "/threads"
			network.Placeholder(&e.AppID, &e.AppSecret)
		},
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{
				Inbox: e.ThreadsInbox, Replies: e.ThreadsReplies,
				Wire: httpcall.At(e.APIURL, w), App: oauth.Application{ID: e.AppID, Secret: e.AppSecret.Reveal()},
			})
			return []platform.Link{c}, err
		},
	}
}
