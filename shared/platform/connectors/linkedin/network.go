package linkedin

import (
	"cmp"
	"errors"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/rules"
)

// Environment locates the API and identifies the service to it.
type Environment struct {
	APIURL       string        `env:"LINKEDIN_API_URL" envDefault:"https://api.linkedin.com" format:"http-url" desc:"Base address of the LinkedIn API." example:"http://127.0.0.1:8090/linkedin"`
	Version      string        `env:"LINKEDIN_VERSION" envDefault:"202609" desc:"Version of the LinkedIn API, year and month; LinkedIn ends each about a year after its release." example:"202609"`
	ClientID     string        `env:"LINKEDIN_CLIENT_ID" desc:"Client id of the application registered at LinkedIn for profiles." example:"86abcdefgh1234"`
	ClientSecret config.Secret `env:"LINKEDIN_CLIENT_SECRET" desc:"Client secret of that application." example:"from the developer portal"`
	// LinkedIn grants the Community Management API, which pages need, only to an application without other products.
	PageClientID          string        `env:"LINKEDIN_PAGE_CLIENT_ID" desc:"Client id of the application for pages, which has the Community Management API as its only product; LINKEDIN_CLIENT_ID if empty." example:"77abcdefgh5678"`
	PageClientSecret      config.Secret `env:"LINKEDIN_PAGE_CLIENT_SECRET" desc:"Client secret of the application for pages." example:"from the developer portal"`
	LinkedInFirstComments bool          `env:"LINKEDIN_FIRST_COMMENTS" envDefault:"false" desc:"Asks for the permissions for first comments when LinkedIn pages are connected. LinkedIn refuses every connection of a page if the application for pages does not have them (docs/connect/linkedin.md)." example:"true"`
}

// sandboxVersion is any valid version.
const sandboxVersion = "202609"

// sandboxGrace is longer than the sandbox network processes a file.
const sandboxGrace = time.Second

// Declare declares LinkedIn.
func Declare(e *Environment) network.Declaration {
	grace := DefaultGrace
	return network.Declaration{
		Network: channel.NetworkLinkedIn,
		Rules:   []func() rules.Row{profileRow, pageRow},
		Accounts: []network.Account{
			{
				Type: channel.LinkedInProfile, Title: "LinkedIn profile", About: "Your own profile.",
				Needs: "external id: the number or the URN of the person. Access token with the scopes w_member_social,\n" +
					"openid and profile; it lives 60 days.",
			},
			{
				Type: channel.LinkedInPage, Title: "LinkedIn pages", About: "Pages of organizations that you administer.",
				Figures: analytics.Coverage{
					Channel: []analytics.Figure{analytics.Followers, analytics.Impressions, analytics.Reach, analytics.Engagements, analytics.ProfileViews, analytics.WebsiteClicks},
					Posts:   []analytics.Figure{analytics.Impressions, analytics.Reach, analytics.Likes, analytics.Comments, analytics.Shares, analytics.Clicks},
				},
				SandboxRole: "organization",
				Needs: "external id: the number or the URN of the organization. Access token of a member who may post for\n" +
					"it, with the scopes w_organization_social, r_organization_social (to find a post whose response was lost)\n" +
					"and rw_organization_admin; it lives 60 days.",
			},
		},
		Versions: []network.Version{{Variable: "LINKEDIN_VERSION", Value: e.Version, Ends: versionEnds(e.Version)}},
		Applications: []network.Application{
			{ID: "LINKEDIN_CLIENT_ID", Secret: "LINKEDIN_CLIENT_SECRET", Renews: true, Types: []channel.Type{channel.LinkedInProfile}},
			{ //nolint:gosec // G101: names of variables
				ID: "LINKEDIN_PAGE_CLIENT_ID", Secret: "LINKEDIN_PAGE_CLIENT_SECRET", Types: []channel.Type{channel.LinkedInPage},
				Renews: true, Instead: "LINKEDIN_CLIENT_ID",
			},
		},
		Codes: append(comments.FirstCodes(),
			CodeDuplicate, CodeRefused, CodeTooLong, CodeMediaNotReady, CodeAccount, CodeConflict, CodeForbidden,
			CodeVersion, CodeAppAccess, CodeNoPage, CodeRole,
		),
		UseSandbox: func(base string) {
			e.APIURL, e.Version = base+"/linkedin", cmp.Or(e.Version, sandboxVersion)
			grace, e.LinkedInFirstComments = sandboxGrace, true
			network.Placeholder(&e.ClientID, &e.ClientSecret)
			if e.PageClientID != "" {
				network.Placeholder(&e.PageClientID, &e.PageClientSecret)
			}
		},
		Links: func(w network.Wiring) ([]platform.Link, error) { return e.links(w, grace) },
	}
}

// versionEnds returns the first day on which LinkedIn may have ended a version: a year after its month. It is zero for a
// text that is not a version.
func versionEnds(version string) time.Time {
	released, err := time.Parse("200601", version)
	if err != nil {
		return time.Time{}
	}
	return released.AddDate(1, 0, 0)
}

func (e *Environment) links(w network.Wiring, grace time.Duration) ([]platform.Link, error) {
	forProfiles := App{ClientID: e.ClientID, ClientSecret: e.ClientSecret.Reveal()}
	forPages := App{ClientID: e.PageClientID, ClientSecret: e.PageClientSecret.Reveal()}
	if forPages.ClientID == "" {
		forPages = forProfiles
	}
	config := Config{
		Wire: httpcall.At(e.APIURL, w), Version: e.Version, Grace: grace, FirstComments: e.LinkedInFirstComments,
		ClientID: forProfiles.ClientID, ClientSecret: forProfiles.ClientSecret, OtherApps: []App{forPages},
	}
	profile, wrong := NewProfile(config)
	config.ClientID, config.ClientSecret, config.OtherApps = forPages.ClientID, forPages.ClientSecret, []App{forProfiles}
	page, err := NewPage(config)
	return []platform.Link{profile, page}, errors.Join(wrong, err)
}
