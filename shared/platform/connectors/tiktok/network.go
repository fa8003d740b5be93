package tiktok

import (
	"errors"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/rules"
)

// Environment locates the APIs of both products and identifies the service to them.
type Environment struct {
	APIURL         string        `env:"TIKTOK_API_URL" envDefault:"https://open.tiktokapis.com" format:"http-url" desc:"Base address of the TikTok Content Posting API, for TIKTOK_PERSONAL channels." example:"http://127.0.0.1:8090/tiktok"`
	UploadChunk    int64         `env:"TIKTOK_UPLOAD_CHUNK_BYTES" envDefault:"10485760" desc:"Chunk size of uploads to TikTok, from 5242880 to 67108864." example:"5242880"`
	ClientKey      string        `env:"TIKTOK_CLIENT_KEY" desc:"Client key of the application registered at TikTok for Developers." example:"aw1abcdefgh"`
	ClientSecret   config.Secret `env:"TIKTOK_CLIENT_SECRET" desc:"Client secret of the application registered at TikTok for Developers." example:"from the developer portal"`
	Audited        string        `env:"TIKTOK_AUDITED" envDefault:"true" desc:"Whether TikTok has audited the application of TIKTOK_CLIENT_KEY. With false, TIKTOK_PERSONAL channels publish drafts, and posts that only their creator sees." example:"false"`
	BusinessURL    string        `env:"TIKTOK_BUSINESS_API_URL" envDefault:"https://business-api.tiktok.com" format:"http-url" desc:"Base address of the TikTok API for Business, for TIKTOK_BUSINESS channels." example:"http://127.0.0.1:8090/tiktok-business"`
	BusinessAppID  string        `env:"TIKTOK_BUSINESS_APP_ID" desc:"App id at TikTok API for Business." example:"7123456789012345678"`
	BusinessSecret config.Secret `env:"TIKTOK_BUSINESS_SECRET" desc:"Secret of the app at TikTok API for Business." example:"from the developer portal"`
}

// Declare declares TikTok.
func Declare(e *Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkTikTok,
		Rules:   []func() rules.Row{personalRow, businessRow},
		Accounts: []network.Account{
			{
				Type: channel.TikTokPersonal, Title: "TikTok", About: "An account on TikTok.",
				Figures: analytics.Coverage{
					Channel: []analytics.Figure{analytics.Followers},
					Posts:   []analytics.Figure{analytics.Impressions, analytics.Likes, analytics.Comments, analytics.Shares, analytics.VideoViews},
				},
				Needs: "external id: the open_id. Access and refresh token, of the developer portal's app.",
			},
			{
				Type: channel.TikTokBusiness, Title: "TikTok Business", About: "An account of TikTok's business product.",
				Figures: analytics.Coverage{
					Channel: []analytics.Figure{analytics.Followers, analytics.Impressions, analytics.Reach, analytics.Engagements, analytics.ProfileViews, analytics.WebsiteClicks},
					Posts:   []analytics.Figure{analytics.Impressions, analytics.Reach, analytics.Likes, analytics.Comments, analytics.Shares, analytics.Saves, analytics.Clicks, analytics.VideoViews},
					Late:    2,
				},
				SandboxRole: "business",
				Needs:       "external id: the open_id. Access and refresh token, of the API for Business.",
			},
		},
		Applications: []network.Application{
			{ID: "TIKTOK_CLIENT_KEY", Secret: "TIKTOK_CLIENT_SECRET", Renews: true, Types: []channel.Type{channel.TikTokPersonal}}, //nolint:gosec // G101: names of variables
			{ID: "TIKTOK_BUSINESS_APP_ID", Secret: "TIKTOK_BUSINESS_SECRET", Renews: true, Types: []channel.Type{channel.TikTokBusiness}},
		},
		Codes: []string{
			CodeRefused, CodeAccount, CodeAppAccess, CodePrivateAccount, CodeContentRefused, CodeUnaudited,
			CodeAppOutdated,
		},
		UseSandbox: func(base string) {
			e.APIURL, e.BusinessURL = base+"/tiktok", base+"/tiktok-business"
			network.Placeholder(&e.ClientKey, &e.ClientSecret)
			network.Placeholder(&e.BusinessAppID, &e.BusinessSecret)
		},
		Links: e.links,
	}
}

func (e *Environment) links(w network.Wiring) ([]platform.Link, error) {
	personal, wrong := NewPersonal(PersonalConfig{
		Wire: httpcall.At(e.APIURL, w), ClientKey: e.ClientKey, ClientSecret: e.ClientSecret.Reveal(),
		Sealer: w.Sealer, ChunkSize: e.UploadChunk, Audited: e.Audited,
	})
	business, err := NewBusiness(BusinessConfig{
		Wire: httpcall.At(e.BusinessURL, w), AppID: e.BusinessAppID, Secret: e.BusinessSecret.Reveal(),
	})
	return []platform.Link{personal, business}, errors.Join(wrong, err)
}
