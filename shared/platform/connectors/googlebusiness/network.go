package googlebusiness

import (
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/google"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/rules"
)

// Environment locates the two APIs.
type Environment struct {
	APIURL         string `env:"GOOGLE_BUSINESS_API_URL" envDefault:"https://mybusiness.googleapis.com" format:"http-url" desc:"Base address of the Google Business Profile API." example:"http://127.0.0.1:8090/googlebusiness"`
	PerformanceURL string `env:"GOOGLE_BUSINESS_PERFORMANCE_API_URL" envDefault:"https://businessprofileperformance.googleapis.com" format:"http-url" desc:"Base address of the Business Profile Performance API, which reports figures." example:"http://127.0.0.1:8090/googlebusiness"`

	GoogleBusinessInbox []string `env:"GOOGLE_BUSINESS_INBOX" format:"inbox-parts" desc:"Parts of the inbox to read: reviews (reviews of locations). off or empty reads nothing." example:"reviews"`
}

// Declare declares Google Business Profiles. The application is a copy, because the sandbox network has separate token
// endpoints per network.
func Declare(e *Environment, app google.Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkGoogleBusiness,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.GoogleBusiness, Title: "Google Business", About: "Verified locations of a business on Google.",
			Figures: analytics.Coverage{
				Channel: []analytics.Figure{analytics.Impressions, analytics.Engagements, analytics.WebsiteClicks},
				Late:    3,
			},
			Needs:   "external id: accounts/NUMBER/locations/NUMBER. Access and refresh token.",
			IDFault: idFault,
		}},
		Tokens: network.Tokens{Sandbox: func(name string) network.SandboxAccount {
			account := network.PlainAccount(channel.NetworkGoogleBusiness, name)
			account.ID = "accounts/1/locations/" + name // every account has every location
			return account
		}},
		Applications: []network.Application{
			{ID: "GOOGLE_CLIENT_ID", Secret: "GOOGLE_CLIENT_SECRET", Renews: true, Types: []channel.Type{channel.GoogleBusiness}},
		},
		Codes:  append(comments.Codes(), CodeRefused, CodePolicy, CodeLocation, CodeAppAccess),
		Reader: comments.Reader{Of: channel.NetworkGoogleBusiness},
		UseSandbox: func(base string) {
			e.GoogleBusinessInbox = network.InboxOnSandbox(e.GoogleBusinessInbox)
			e.APIURL, e.PerformanceURL = base+"/googlebusiness", base+"/googlebusiness/performance"
			app.TokenURL = base + "/googlebusiness/token"
			network.Placeholder(&app.ClientID, &app.ClientSecret)
		},
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{
				Wire: httpcall.At(e.APIURL, w), PerformanceURL: e.PerformanceURL, TokenURL: app.TokenURL,
				ClientID: app.ClientID, ClientSecret: app.ClientSecret.Reveal(), Inbox: e.GoogleBusinessInbox,
			})
			return []platform.Link{c}, err
		},
	}
}
