package pinterest

import (
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/rules"
)

// Environment locates the API and identifies the service to it.
type Environment struct {
	APIURL    string        `env:"PINTEREST_API_URL" envDefault:"https://api.pinterest.com" format:"http-url" desc:"Base address of the Pinterest API." example:"http://127.0.0.1:8090/pinterest"`
	AppID     string        `env:"PINTEREST_APP_ID" desc:"Id of the application registered at Pinterest." example:"1478593"`
	AppSecret config.Secret `env:"PINTEREST_APP_SECRET" desc:"Secret of the application registered at Pinterest." example:"from the developer portal"`
}

// Declare declares Pinterest.
func Declare(e *Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkPinterest,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{
			{
				Type: channel.Pinterest, Title: "Pinterest", About: "A Pinterest account with its boards.",
				Figures: analytics.Coverage{
					Channel: []analytics.Figure{analytics.Followers, analytics.Impressions, analytics.Engagements, analytics.WebsiteClicks},
					Posts:   []analytics.Figure{analytics.Impressions, analytics.Likes, analytics.Comments, analytics.Saves, analytics.Clicks, analytics.VideoViews},
					Late:    2,
				},
				Needs: "external id: the user name. Access and refresh token.",
			},
		},
		Applications: []network.Application{
			{ID: "PINTEREST_APP_ID", Secret: "PINTEREST_APP_SECRET", Renews: true, Types: []channel.Type{channel.Pinterest}}, //nolint:gosec // G101: names of variables
		},
		Codes: []string{
			CodeRefused, CodeAppAccess, CodeBoardGone, CodeLink, CodeMediaUnreachable,
		},
		UseSandbox: func(base string) {
			e.APIURL = base + "/pinterest"
			network.Placeholder(&e.AppID, &e.AppSecret)
		},
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{Wire: httpcall.At(e.APIURL, w), AppID: e.AppID, AppSecret: e.AppSecret.Reveal()})
			return []platform.Link{c}, err
		},
	}
}
