package linkedin

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

var (
	_ platform.Connecter  = (*Connector)(nil)
	_ platform.Restricter = (*Connector)(nil)
	_ platform.Revoker    = (*Connector)(nil)
)

// Permissions of pages to write and to read comments.
const (
	scopeWriteFeed = "w_organization_social_feed"
	scopeReadFeed  = "r_organization_social_feed"
)

// Scopes returns the permissions of a member, or those of a member for pages. The two belong to different applications:
// LinkedIn refuses the whole consent if one application asks for both.
func (c *Connector) Scopes(channel.Variant) platform.Scopes {
	if c.kind.listed {
		scopes := platform.Scopes{Needed: []string{"w_organization_social", "r_organization_social", "rw_organization_admin"}}
		if c.config.FirstComments {
			scopes.Useful = []string{scopeWriteFeed, scopeReadFeed}
		}
		return scopes
	}
	return platform.Scopes{Needed: []string{"openid", "profile", "w_member_social"}}
}

// Gaps returns first comments on pages, if the operator has not turned them on.
func (c *Connector) Gaps(content platform.Content) []platform.Finding {
	if !c.kind.listed || c.config.FirstComments {
		return nil
	}
	return comments.Gaps(content, "LinkedIn", "LINKEDIN_FIRST_COMMENTS", post.PartComment)
}

// AuthorizeURL returns the page of LinkedIn at which a member decides.
func (c *Connector) AuthorizeURL(_ context.Context, consent platform.Consent) (platform.Authorization, error) {
	if err := oauth.App(c.web, c.config.ClientID, c.config.ClientSecret); err != nil {
		return platform.Authorization{}, err
	}
	return oauth.Dialog{
		Page: c.web.BaseURL() + "/oauth/v2/authorization", ClientID: c.config.ClientID, Scopes: c.Scopes("").All(),
	}.URL(consent)
}

// Exchange exchanges the code. LinkedIn issues a refresh token only to approved partners.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	form := oauth.Form(code)
	form.Set("client_id", c.config.ClientID)
	form.Set("client_secret", c.config.ClientSecret)
	return c.tokens(App{c.config.ClientID, c.config.ClientSecret}).Exchange(ctx, httpcall.Request{
		Path: []string{"oauth", "v2", "accessToken"}, Form: form, Secrets: []string{code.Code, c.config.ClientSecret},
	})
}

// Revoke invalidates the account's access token.
func (c *Connector) Revoke(ctx context.Context, account platform.Account) error {
	app, err := c.app(account.Credentials.ClientID)
	if err != nil {
		return c.appRefused(err)
	}
	return oauth.Revoke(ctx, c.web, httpcall.Request{
		Path: []string{"oauth", "v2", "revoke"},
		Form: url.Values{
			"token": {account.Credentials.AccessToken}, "client_id": {app.ClientID}, "client_secret": {app.ClientSecret},
		},
		Secrets: []string{account.Credentials.AccessToken, app.ClientSecret},
	})
}

// Accounts returns the member of the credentials, or the organizations for which the member may publish.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	if c.kind.listed {
		return c.organizations(ctx, credentials)
	}
	var member struct {
		ID      string `json:"sub"`
		Name    string `json:"name"`
		Picture string `json:"picture"`
	}
	response, err := c.askIdentity(ctx, platform.Account{Credentials: credentials},
		httpcall.Request{Path: []string{"v2", "userinfo"}}, &member)
	if err != nil {
		return nil, err
	}
	if member.ID == "" {
		return nil, c.client.Unclear(response, "no member in the response")
	}
	return []channel.Candidate{{
		Type: channel.LinkedInProfile, ExternalID: member.ID, Name: member.Name, AvatarURL: c.client.Permalink(member.Picture),
		Credentials: credentials,
	}}, nil
}

func (c *Connector) organizations(
	ctx context.Context, credentials channel.Credentials,
) ([]channel.Candidate, error) {
	account := platform.Account{Credentials: credentials}
	roles, response, err := c.roles(ctx, account)
	if err != nil {
		return nil, err
	}
	var candidates []channel.Candidate
	may := make(map[string]bool)
	for _, one := range roles { // a member may have several roles at one organization
		if strings.HasPrefix(one.Organization, c.kind.author) {
			may[one.Organization] = may[one.Organization] || slices.Contains(postingRoles(), one.Role)
		}
	}
	for _, one := range roles {
		allowed, remaining := may[one.Organization]
		if !remaining {
			continue
		}
		delete(may, one.Organization)
		candidate, err := c.organization(ctx, account, strings.TrimPrefix(one.Organization, c.kind.author))
		if err != nil {
			return nil, err
		}
		if !allowed {
			candidate.Problem = "Your role at this organization does not allow publishing. Ask for the role of a content admin, or " +
				"of a super admin for videos."
		}
		candidates = append(candidates, candidate)
	}
	if len(candidates) == 0 {
		return nil, c.client.Fail(platform.ClassUser, CodeNoPage, response.Cause("no organization"),
			"You have no role at any organization on LinkedIn. Ask an administrator of the page for one.")
	}
	return candidates, nil
}

// organization reads the name of an organization. Without it, the organization is shown by its number.
func (c *Connector) organization(
	ctx context.Context, account platform.Account, id string,
) (channel.Candidate, error) {
	candidate := channel.Candidate{
		Type: channel.LinkedInPage, ExternalID: id, Name: "Organization " + id, Credentials: account.Credentials,
	}
	if !idPattern.MatchString(id) {
		return candidate, nil
	}
	var found struct {
		Name   string `json:"localizedName"`
		Vanity string `json:"vanityName"`
	}
	_, err := c.askIdentity(ctx, account, httpcall.Request{Path: []string{"rest", "organizations", id}}, &found)
	if err != nil {
		if platform.FailureOf(err).Class == platform.ClassTransient {
			return candidate, err
		}
		return candidate, nil
	}
	if found.Name != "" {
		candidate.Name, candidate.Username = found.Name, found.Vanity
	}
	return candidate, nil
}

// Configured reports whether the operator has configured an application.
func (c *Connector) Configured(channel.Variant) bool {
	return c.config.ClientID != "" && c.config.ClientSecret != ""
}

// RevokesConsent returns false: Revoke ends the tokens of the account alone.
func (*Connector) RevokesConsent() bool { return false }
