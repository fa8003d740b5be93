package youtube

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
	APIURL       string `env:"YOUTUBE_API_URL" envDefault:"https://www.googleapis.com/youtube/v3" format:"http-url" desc:"Base address of the YouTube Data API, with its version." example:"http://127.0.0.1:8090/youtube"`
	AnalyticsURL string `env:"YOUTUBE_ANALYTICS_API_URL" envDefault:"https://youtubeanalytics.googleapis.com/v2" format:"http-url" desc:"Base address of the YouTube Analytics API, with its version." example:"http://127.0.0.1:8090/youtube"`
	ChunkSize    int64  `env:"YOUTUBE_UPLOAD_CHUNK_BYTES" envDefault:"16777216" desc:"Chunk size of uploads to YouTube, a multiple of 262144." example:"8388608"`

	YouTubeInbox         []string `env:"YOUTUBE_INBOX" format:"inbox-parts" desc:"Parts of the inbox to read: comments (comments of channels and below their videos). Set it after Google has approved the permission in docs/connect/youtube.md; off or empty reads nothing." example:"comments"`
	YouTubeFirstComments bool     `env:"YOUTUBE_FIRST_COMMENTS" envDefault:"false" desc:"Asks for the permission for first comments when channels are connected. Set it after Google has approved it (docs/connect/youtube.md)." example:"true"`
}

// Declare declares YouTube. The application is a copy, because the sandbox network has separate token endpoints per
// network.
func Declare(e *Environment, app google.Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkYouTube,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.YouTube, Title: "YouTube", About: "A YouTube channel.",
			Figures: analytics.Coverage{
				Channel: []analytics.Figure{analytics.Followers, analytics.Impressions, analytics.Engagements},
				Posts:   []analytics.Figure{analytics.Impressions, analytics.Likes, analytics.Comments, analytics.Shares, analytics.VideoViews},
				Late:    3,
			},
			Needs: "external id: the channel's id (UC…). Access and refresh token.",
		}},
		Applications: []network.Application{
			{ID: "GOOGLE_CLIENT_ID", Secret: "GOOGLE_CLIENT_SECRET", Renews: true, Types: []channel.Type{channel.YouTube}},
		},
		Codes:  append(append(comments.Codes(), comments.FirstCodes()...), CodeAppAccess, CodeRefused, CodeAccount, CodePolicy, CodeNoChannel),
		Reader: comments.Reader{Of: channel.NetworkYouTube},
		Keep:   keep,
		UseSandbox: func(base string) {
			e.YouTubeInbox, e.YouTubeFirstComments = network.InboxOnSandbox(e.YouTubeInbox), true
			e.APIURL, e.AnalyticsURL = base+"/youtube", base+"/youtube/analytics"
			app.TokenURL = base + "/youtube/token"
			network.Placeholder(&app.ClientID, &app.ClientSecret)
		},
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{
				Wire: httpcall.At(e.APIURL, w), AnalyticsURL: e.AnalyticsURL, TokenURL: app.TokenURL,
				ClientID: app.ClientID, ClientSecret: app.ClientSecret.Reveal(), Sealer: w.Sealer, ChunkSize: e.ChunkSize,
				Inbox: e.YouTubeInbox, FirstComments: e.YouTubeFirstComments,
			})
			return []platform.Link{c}, err
		},
	}
}
