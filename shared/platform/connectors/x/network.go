package x

import (
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/rules"
)

// Environment locates the API.
type Environment struct {
	APIURL       string `env:"X_API_URL" envDefault:"https://api.x.com" format:"http-url" desc:"Base address of the X API." example:"http://127.0.0.1:8090/x"`
	AuthorizeURL string `env:"X_AUTHORIZE_URL" envDefault:"https://x.com/i/oauth2/authorize" format:"http-url" desc:"Page of X on which people allow access to their account." example:"http://127.0.0.1:8090/x/i/oauth2/authorize"`
	PostFields   string `env:"X_POST_FIELDS" envDefault:"tweet.fields" desc:"Parameter that selects the fields of posts: tweet.fields, or post.fields as in the present API description of X." example:"post.fields"`
	SegmentSize  int64  `env:"X_UPLOAD_SEGMENT_BYTES" envDefault:"4194304" desc:"Segment size of uploads to X, from 1048576 to 5000000." example:"1048576"`
}

// Application identifies the service to X.
type Application struct {
	ClientID     string        `env:"X_CLIENT_ID" desc:"Client id of the application registered at X." example:"bWFpbi1hcHA6MTpjaQ"`
	ClientSecret config.Secret `env:"X_CLIENT_SECRET" desc:"Client secret of the application registered at X." example:"from the developer portal"`
}

// Declare declares X.
func Declare(e *Environment, app *Application) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkX,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.Twitter, Title: "X", About: "An account on X.",
			Figures: analytics.Coverage{
				Channel: []analytics.Figure{analytics.Followers},
				Posts:   []analytics.Figure{analytics.Impressions, analytics.Likes, analytics.Comments, analytics.Shares, analytics.Saves, analytics.Clicks, analytics.VideoViews},
			},
			IsNumbered: true,
			Needs: "external id: the account's number, not its @name. Access token: OAuth 2.0, of the user, with\n" +
				"the scopes tweet.read, tweet.write, users.read and offline.access. It lives two hours: give\n" +
				"the refresh token too, or the channel must be reconnected by then.",
		}},
		Tokens: network.Tokens{Lifetime: "two hours"},
		Applications: []network.Application{
			{ID: "X_CLIENT_ID", Secret: "X_CLIENT_SECRET", Renews: true, Types: []channel.Type{channel.Twitter}},
		},
		Codes: []string{
			CodeDuplicate, CodeRefused, CodeNotAllowed, CodeAccount, CodeSpendingCap, CodeAppAccess,
			platform.CodeParentGone, platform.CodeParentNotShown,
		},
		UseSandbox: func(base string) {
			e.APIURL, e.AuthorizeURL = base+"/x", base+"/x/i/oauth2/authorize"
			network.Placeholder(&app.ClientID, &app.ClientSecret)
		},
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{
				Wire: httpcall.At(e.APIURL, w), ClientID: app.ClientID, ClientSecret: app.ClientSecret.Reveal(),
				AuthorizeURL: e.AuthorizeURL, Dialect: Dialect(e.PostFields), SegmentSize: e.SegmentSize,
			})
			return []platform.Link{c}, err
		},
	}
}
