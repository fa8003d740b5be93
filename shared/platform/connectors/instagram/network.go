package instagram

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
	APIURL  string `env:"INSTAGRAM_API_URL" envDefault:"https://graph.instagram.com" format:"http-url" desc:"Base address of the Instagram API, for INSTAGRAM_PROFESSIONAL channels." example:"http://127.0.0.1:8090/instagram"`
	PageURL string `env:"INSTAGRAM_FACEBOOK_API_URL" envDefault:"https://graph.facebook.com" format:"http-url" desc:"Base address of the Instagram API for channels with Facebook Login." example:"http://127.0.0.1:8090/instagram-facebook"`
	Version string `env:"INSTAGRAM_VERSION" envDefault:"v26.0" desc:"Version of the Instagram API; Meta ends each about two years after its release." example:"v26.0"`

	AppID     string        `env:"INSTAGRAM_APP_ID" desc:"Id of the Instagram application registered at Meta, needed to connect accounts with Instagram Login; it is not the id of the Facebook application." example:"123456789012345"`
	AppSecret config.Secret `env:"INSTAGRAM_APP_SECRET" desc:"Secret of that application." example:"from the developer portal"`

	InstagramInbox         []string `env:"INSTAGRAM_INBOX" format:"inbox-parts" desc:"Parts of the inbox to read: comments (comments below posts). Set it after Meta has approved the permissions in docs/connect/instagram.md; off or empty reads nothing." example:"comments"`
	InstagramFirstComments bool     `env:"INSTAGRAM_FIRST_COMMENTS" envDefault:"false" desc:"Asks for the permission for first comments when accounts are connected. Set it after Meta has approved it (docs/connect/instagram.md)." example:"true"`
}

// Declare declares Instagram. The application of Facebook connects accounts with Facebook Login, and reads the dates of
// their tokens.
func Declare(e *Environment, app graph.App) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkInstagram,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.InstagramProfessional, Title: "Instagram", About: "A business or creator account.",
			Figures: analytics.Coverage{
				Channel: []analytics.Figure{analytics.Followers, analytics.Impressions, analytics.Reach, analytics.Engagements, analytics.ProfileViews, analytics.WebsiteClicks},
				Posts:   []analytics.Figure{analytics.Impressions, analytics.Reach, analytics.Likes, analytics.Comments, analytics.Shares, analytics.Saves, analytics.VideoViews},
				Late:    2,
			},
			IsNumbered: true,
			Needs: "external id: the professional account's number (user_id). Access token: the long-lived one of\n" +
				"Instagram Login, renewed automatically; or with --variant facebook_login that of the Facebook Page\n" +
				"which the account is linked to.",
			Variants: []network.Variant{{ID: channel.InstagramLogin}, {
				ID: channel.FacebookLogin, Title: "Instagram through Facebook",
				About: "Accounts that are linked to Pages that you manage.",
			}},
		}},
		Reader:   comments.Reader{Of: channel.NetworkInstagram},
		Tokens:   network.Tokens{Sandbox: network.WithoutRefreshToken(channel.NetworkInstagram)},
		Versions: []network.Version{graph.Version("INSTAGRAM_VERSION", e.Version)},
		Applications: []network.Application{
			{ID: "INSTAGRAM_APP_ID", Secret: "INSTAGRAM_APP_SECRET", Types: []channel.Type{channel.InstagramProfessional}}, //nolint:gosec // G101: names of variables
			{ //nolint:gosec // G101: names of variables
				ID: "FACEBOOK_APP_ID", Secret: "FACEBOOK_APP_SECRET", Types: []channel.Type{channel.InstagramProfessional},
				Variant: channel.FacebookLogin,
			},
		},
		Codes: append(append(comments.Codes(), comments.FirstCodes()...),
			CodeRefused, CodeCaption, CodeUnreachable, CodeAccount, CodeNotReady, CodeStale, graph.CodeAppAccess,
		),
		UseSandbox: func(base string) {
			e.InstagramInbox, e.InstagramFirstComments = network.InboxOnSandbox(e.InstagramInbox), true
			e.APIURL, e.PageURL = base+"/instagram", base+"/instagram-facebook"
			network.Placeholder(&e.AppID, &e.AppSecret)
			network.Placeholder(app.ID, app.Secret)
		},
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{
				Inbox: e.InstagramInbox, FirstComments: e.InstagramFirstComments,
				Wire: httpcall.At(e.APIURL, w), FacebookURL: e.PageURL, Version: e.Version,
				AppToken: graph.AppToken(*app.ID, app.Secret.Reveal()),
				App:      oauth.Application{ID: e.AppID, Secret: e.AppSecret.Reveal()},
				Facebook: oauth.Application{ID: *app.ID, Secret: app.Secret.Reveal()},
			})
			return []platform.Link{c}, err
		},
	}
}
