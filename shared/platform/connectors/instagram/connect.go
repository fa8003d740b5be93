package instagram

import (
	"context"
	"net/http"
	"net/url"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

const (
	officialWeb    = "https://www.instagram.com"
	officialTokens = "https://api.instagram.com" //nolint:gosec // a URL, not a credential
)

var (
	_ platform.Connecter  = (*Connector)(nil)
	_ platform.Restricter = (*Connector)(nil)
	_ platform.Remover    = (*Connector)(nil)
)

// Scopes returns the permissions to publish, and those for figures and comments.
func (c *Connector) Scopes(v channel.Variant) platform.Scopes {
	scopes := platform.Scopes{
		Needed: []string{"instagram_business_basic", "instagram_business_content_publish"},
		Useful: []string{"instagram_business_manage_insights"},
	}
	if v == channel.FacebookLogin {
		scopes = platform.Scopes{
			Needed: []string{"instagram_basic", "instagram_content_publish", "pages_show_list", "pages_read_engagement"},
			Useful: []string{"instagram_manage_insights", "business_management"},
		}
	}
	if c.reads() || c.first {
		scopes.Useful = append(scopes.Useful, commentScope(v))
	}
	return scopes
}

// login returns Facebook Login.
func (c *Connector) login() graph.Login {
	return graph.Login{
		Client: c.page.client, OfficialAPI: OfficialFacebookAPI, Version: c.page.api.Version, AppID: c.facebook.ID,
		AppSecret: c.facebook.Secret, Scopes: c.Scopes(channel.FacebookLogin), Class: c.page.failure,
	}
}

// Gaps returns first comments, if the operator has turned on neither them nor the inbox.
func (c *Connector) Gaps(content platform.Content) []platform.Finding {
	if c.reads() || c.first {
		return nil
	}
	return comments.Gaps(content, "Instagram", "INSTAGRAM_FIRST_COMMENTS", post.PartComment)
}

// AuthorizeURL returns the page of Instagram or of Facebook at which a person decides.
func (c *Connector) AuthorizeURL(_ context.Context, consent platform.Consent) (platform.Authorization, error) {
	if consent.Variant == channel.FacebookLogin {
		return c.login().AuthorizeURL(consent)
	}
	if err := oauth.App(c.client, c.app.ID, c.app.Secret); err != nil {
		return platform.Authorization{}, err
	}
	return oauth.Dialog{
		Page:     oauth.Page(c.client.BaseURL(), OfficialAPI, officialWeb, "/oauth/authorize"),
		ClientID: c.app.ID, Scopes: c.Scopes("").All(), Separator: ",", More: map[string]string{"enable_fb_login": "0"},
	}.URL(consent)
}

// Exchange exchanges the code for a long-lived token of the variant.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	if code.Variant == channel.FacebookLogin {
		user, err := c.login().Exchange(ctx, code)
		user.Variant = channel.FacebookLogin
		return user, err
	}
	own, err := graph.ExchangeCode(ctx, c.codes, c.client, c.app, "ig_exchange_token", code)
	own.Variant = channel.InstagramLogin
	return own, err
}

// Accounts returns the professional account of Instagram Login, or those that are linked to the Pages of the user of
// Facebook Login.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	if credentials.Variant == channel.FacebookLogin {
		return c.linked(ctx, credentials)
	}
	var result struct {
		ID       string `json:"user_id"`
		Name     string `json:"name"`
		Username string `json:"username"`
		Picture  string `json:"profile_picture_url"`
		Kind     string `json:"account_type"`
	}
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Path:    []string{c.api.Version, "me"},
		Query:   url.Values{"fields": {"user_id,username,name,account_type,profile_picture_url"}},
		Header:  http.Header{"Authorization": {"Bearer " + credentials.AccessToken}},
		Secrets: []string{credentials.AccessToken},
	}, c.failure, &result)
	if err != nil {
		return nil, err
	}
	if result.ID == "" {
		return nil, c.client.Unclear(response, "no account in the response")
	}
	found := channel.Candidate{
		Type: channel.InstagramProfessional, ExternalID: result.ID, Name: result.Name, Username: result.Username,
		AvatarURL: c.client.Permalink(result.Picture), Credentials: credentials,
	}
	if result.Kind == "PERSONAL" {
		found.Problem = "This is a personal account, for which Instagram has no API. Switch it to a professional account."
	}
	return []channel.Candidate{found}, nil
}

func (c *Connector) linked(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	pages, err := c.login().Pages(ctx, credentials.AccessToken,
		"instagram_business_account{id,name,username,profile_picture_url}")
	if err != nil {
		return nil, err
	}
	var candidates []channel.Candidate
	for _, page := range pages {
		if candidate, linked := page.Linked(c.page.client, credentials); linked {
			candidates = append(candidates, candidate)
		}
	}
	return candidates, nil
}

// Configured reports whether the operator has configured the application of the variant.
func (c *Connector) Configured(v channel.Variant) bool {
	app := c.app
	if v == channel.FacebookLogin {
		app = c.facebook
	}
	return app.ID != "" && app.Secret != ""
}

// Removal returns what a person does at Instagram or Facebook, which have no call for one account.
func (*Connector) Removal() string {
	return "To end it, open Settings, Website permissions on Instagram, and remove the app. If you connected the account through " +
		"Facebook, open Settings, Business integrations there."
}
