package facebook

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
	APIURL    string `env:"FACEBOOK_API_URL" envDefault:"https://graph.facebook.com" format:"http-url" desc:"Base address of the Graph API for Facebook Pages." example:"http://127.0.0.1:8090/facebook"`
	UploadURL string `env:"FACEBOOK_UPLOAD_URL" envDefault:"https://rupload.facebook.com" format:"http-url" desc:"Base address of the host that receives the bytes of reels and of stories." example:"http://127.0.0.1:8090/facebook/rupload"`
	Version   string `env:"FACEBOOK_VERSION" envDefault:"v26.0" desc:"Version of the Graph API; Meta ends each about two years after its release." example:"v26.0"`

	AppID     string        `env:"FACEBOOK_APP_ID" desc:"Id of the application registered at Meta, with which the dates of Page tokens are read and the files of feed videos are uploaded; without it, each token reads its own dates, and only reels can be published as videos." example:"123456789012345"`
	AppSecret config.Secret `env:"FACEBOOK_APP_SECRET" desc:"Secret of that application." example:"from the developer portal"`

	FacebookInbox         []string `env:"FACEBOOK_INBOX" format:"inbox-parts" desc:"Parts of the inbox to read: comments (comments below the posts of Pages). Set it after Meta has approved the permissions in docs/connect/facebook.md; off or empty reads nothing." example:"comments"`
	FacebookFirstComments bool     `env:"FACEBOOK_FIRST_COMMENTS" envDefault:"false" desc:"Asks for the permissions for first comments when Pages are connected. Set it after Meta has approved them (docs/connect/facebook.md)." example:"true"`
}

// Declare declares Facebook.
func Declare(e *Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkFacebook,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.FacebookPage, Title: "Facebook Pages", About: "Pages that you manage, directly or through a business.",
			Figures: analytics.Coverage{
				Channel: []analytics.Figure{analytics.Followers, analytics.Impressions, analytics.Reach, analytics.Engagements, analytics.ProfileViews, analytics.WebsiteClicks},
				Posts:   []analytics.Figure{analytics.Impressions, analytics.Reach, analytics.Likes, analytics.Comments, analytics.Shares, analytics.Clicks},
				Late:    1,
			},
			IsNumbered: true,
			Needs:      "external id: the Page's number. Access token: the Page's own, which does not expire.",
		}},
		Reader: comments.Reader{Of: channel.NetworkFacebook},
		Tokens: network.Tokens{ //nolint:gosec // G101: texts about tokens
			NoRefreshToken: "is not used by Facebook, whose Page tokens work until access is revoked",
			Sandbox:        network.WithoutRefreshToken(channel.NetworkFacebook),
		},
		Versions: []network.Version{graph.Version("FACEBOOK_VERSION", e.Version)},
		Applications: []network.Application{
			{ID: "FACEBOOK_APP_ID", Secret: "FACEBOOK_APP_SECRET", Types: []channel.Type{channel.FacebookPage}}, //nolint:gosec // G101: names of variables
		},
		Codes: append(append(comments.Codes(), comments.FirstCodes()...),
			CodeDuplicate, CodeRefused, CodePolicy, CodeLink, CodeNoApp, CodeAccount, CodeConfirm,
			graph.CodeAppAccess,
		),
		UseSandbox: func(base string) {
			e.FacebookInbox, e.FacebookFirstComments = network.InboxOnSandbox(e.FacebookInbox), true
			e.APIURL, e.UploadURL = base+"/facebook", base+"/facebook/rupload"
			network.Placeholder(&e.AppID, &e.AppSecret)
		},
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{
				Inbox: e.FacebookInbox, FirstComments: e.FacebookFirstComments,
				Wire: httpcall.At(e.APIURL, w), UploadURL: e.UploadURL, Version: e.Version,
				AppToken: graph.AppToken(e.AppID, e.AppSecret.Reveal()),
				App:      oauth.Application{ID: e.AppID, Secret: e.AppSecret.Reveal()},
			})
			return []platform.Link{c}, err
		},
	}
}
