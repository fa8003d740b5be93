package instagram

import (
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
	"socialpub.internal/shared/platform/network"
	"socialpub.internal/shared/platform/rules"
)

// Environment locates the API.
type Environment struct {
	APIURL  string `env:"INSTAGRAM_API_URL" envDefault:"https://graph.instagram.com" format:"http-url" desc:"Base address of the Instagram API, for INSTAGRAM_PROFESSIONAL channels." example:"http://127.0.0.1:8090/instagram"`
	PageURL string `env:"INSTAGRAM_FACEBOOK_API_URL" envDefault:"https://graph.facebook.com" format:"http-url" desc:"Base address of the Instagram API for channels with Facebook Login." example:"http://127.0.0.1:8090/instagram-facebook"`
	Version string `env:"INSTAGRAM_VERSION" envDefault:"v26.0" desc:"Version of the Instagram API; Meta ends each about two years after its release." example:"v26.0"`
}

// Declare declares Instagram. The application's token reads the dates of tokens of Facebook Login.
func Declare(e *Environment, appToken string) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkInstagram,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.InstagramProfessional, IsNumbered: true,
			Needs: "external id: the professional account's number (user_id). Access token: the long-lived one of\n" +
				"Instagram Login, renewed automatically; or with --variant facebook_login that of the Facebook Page\n" +
				"which the account is linked to.",
			Variants: []channel.Variant{channel.InstagramLogin, channel.FacebookLogin},
		}},
		Tokens:     network.Tokens{Sandbox: network.WithoutRefreshToken(channel.NetworkInstagram)},
		UseSandbox: func(base string) { e.APIURL, e.PageURL = base+"/instagram", base+"/instagram-facebook" },
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{
				Wire: httpcall.At(e.APIURL, w), FacebookURL: e.PageURL, Version: e.Version, AppToken: appToken,
			})
			return []platform.Link{c}, err
		},
	}
}
