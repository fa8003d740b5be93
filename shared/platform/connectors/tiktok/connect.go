package tiktok

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

var (
	_ platform.Connecter = (*Personal)(nil)
	_ platform.Connecter = (*Business)(nil)
	_ platform.Revoker   = (*Personal)(nil)

	_ platform.Redirecter = (*Business)(nil)
)

const dialogPath = "/v2/auth/authorize/"

// Scopes returns the permissions to publish, and those for figures.
func (p *Personal) Scopes(channel.Variant) platform.Scopes {
	return platform.Scopes{
		Needed: []string{"user.info.basic", "video.publish", "video.upload"},
		Useful: []string{"user.info.profile", "user.info.stats", "video.list"},
	}
}

// AuthorizeURL returns the page of TikTok at which a person decides. TikTok accepts only an https redirect address.
func (p *Personal) AuthorizeURL(_ context.Context, consent platform.Consent) (platform.Authorization, error) {
	if err := oauth.App(p.client, p.config.ClientKey, p.config.ClientSecret); err != nil {
		return platform.Authorization{}, err
	}
	return oauth.Dialog{
		Page: oauth.Page(p.client.BaseURL(), PersonalAPI, officialPermalink, dialogPath), ClientKey: "client_key",
		ClientID: p.config.ClientKey, Scopes: p.Scopes("").All(), Separator: ",",
	}.URL(consent)
}

// Exchange exchanges the code.
func (p *Personal) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	form := oauth.Form(code)
	form.Set("client_key", p.config.ClientKey)
	form.Set("client_secret", p.config.ClientSecret)
	var result oauth.Tokens // an error has the status 200
	response, err := oauth.Exchange(ctx, p.client, httpcall.Request{
		Path: []string{personalVersion, "oauth", "token"}, PathSlash: true, Form: form,
		Secrets: []string{code.Code, p.config.ClientSecret},
	}, &result)
	switch {
	case err != nil:
		return channel.Credentials{}, err
	case result.Error == "invalid_client", result.Error == "unauthorized_client":
		return channel.Credentials{}, oauth.AppRefused(p.client, response.Cause("refused with "+printed(result.Error)))
	case result.Error != "":
		return channel.Credentials{}, oauth.CodeRefused(p.client, response.Cause("refused with "+printed(result.Error)))
	case !httpcall.Token(result.AccessToken):
		return channel.Credentials{}, p.client.Unclear(response, "no token in the response")
	}
	return p.tokens().Credentials(channel.Credentials{}, result), nil
}

// Accounts returns the user of the credentials.
func (p *Personal) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	request := p.request("identify", platform.Account{Credentials: credentials}, "user", "info")
	fields := "open_id,avatar_url,display_name"
	if _, missing := (platform.Scopes{Useful: []string{"user.info.profile"}}).Missing(credentials.Scope); len(missing) == 0 {
		fields += ",username"
	}
	request.Query = url.Values{"fields": {fields}}
	response, err := p.client.Call(ctx, request)
	if err != nil {
		return nil, err
	}
	var body struct {
		User struct {
			ID       string `json:"open_id"`
			Name     string `json:"display_name"`
			Username string `json:"username"`
			Picture  string `json:"avatar_url"`
		} `json:"user"`
	}
	if err := p.data(response, &body); err != nil {
		return nil, p.client.IdentityFailure(platform.FailureOf(err))
	}
	if body.User.ID == "" {
		return nil, p.client.Unclear(response, "no account in the response")
	}
	return []channel.Candidate{{
		Type: channel.TikTokPersonal, ExternalID: body.User.ID, Name: body.User.Name, Username: body.User.Username,
		AvatarURL: p.client.Permalink(body.User.Picture), Credentials: credentials,
	}}, nil
}

// Revoke invalidates the account's tokens.
func (p *Personal) Revoke(ctx context.Context, account platform.Account) error {
	return oauth.Revoke(ctx, p.client, httpcall.Request{
		Path: []string{personalVersion, "oauth", "revoke"}, PathSlash: true,
		Form: url.Values{
			"client_key": {p.config.ClientKey}, "client_secret": {p.config.ClientSecret},
			"token": {account.Credentials.AccessToken},
		},
		Secrets: []string{account.Credentials.AccessToken, p.config.ClientSecret},
	})
}

// Scopes returns the permissions to publish, and those for figures.
func (b *Business) Scopes(channel.Variant) platform.Scopes {
	return platform.Scopes{
		Needed: []string{"user.info.basic", "user.info.username", "video.publish", "video.upload"},
		Useful: []string{"user.info.stats", "user.insights", "video.list", "video.insights", "user.account.type"},
	}
}

// AuthorizeURL returns the page of TikTok at which a person decides.
func (b *Business) AuthorizeURL(_ context.Context, consent platform.Consent) (platform.Authorization, error) {
	if err := oauth.App(b.client, b.config.AppID, b.config.Secret); err != nil {
		return platform.Authorization{}, err
	}
	return oauth.Dialog{
		Page: oauth.Page(b.client.BaseURL(), BusinessAPI, officialPermalink, dialogPath), ClientKey: "client_key",
		ClientID: b.config.AppID, Scopes: b.Scopes("").All(), Separator: ",",
	}.URL(consent)
}

// Exchange exchanges the code.
func (b *Business) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	response, err := b.client.Call(ctx, httpcall.Request{
		Operation: "connect", Method: http.MethodPost,
		Path: []string{"open_api", businessVersion, "tt_user", "oauth2", "token"}, PathSlash: true,
		JSON: map[string]string{
			"client_id": b.config.AppID, "client_secret": b.config.Secret, "grant_type": "authorization_code",
			"auth_code": code.Code, "redirect_uri": code.Redirect,
		},
		Secrets: []string{code.Code, b.config.Secret},
	})
	if err != nil {
		return channel.Credentials{}, err
	}
	result, readable := businessResponseOf(response)
	switch {
	case !response.OK():
		return channel.Credentials{}, oauth.Refused(b.client, response)
	case !readable:
		return channel.Credentials{}, b.client.Unclear(response, "not TikTok's own form")
	case result.code() == codeApp:
		return channel.Credentials{}, oauth.AppRefused(b.client, response.Cause("the application is refused"))
	case result.code() != 0:
		return channel.Credentials{}, oauth.CodeRefused(b.client, response.Cause("the code is refused"))
	}
	var fresh struct {
		oauth.Tokens

		OpenID string `json:"open_id"`
	}
	if json.Unmarshal(result.Data, &fresh) != nil || !httpcall.Token(fresh.AccessToken) || fresh.OpenID == "" {
		return channel.Credentials{}, b.client.Unclear(response, "no token in the response")
	}
	credentials := b.tokens().Credentials(channel.Credentials{}, fresh.Tokens)
	credentials.Subject = fresh.OpenID
	return credentials, nil
}

// Accounts returns the account of the credentials.
func (b *Business) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	account := platform.Account{ExternalID: credentials.Subject, Credentials: credentials}
	request := b.get("identify", account, "business", "get")
	request.Query.Set("fields", `["display_name","username","profile_image"]`)
	response, err := b.client.Call(ctx, request)
	if err != nil {
		return nil, err
	}
	var body struct {
		profile

		Username string `json:"username"`
	}
	if err := b.data(response, &body); err != nil {
		return nil, b.client.IdentityFailure(platform.FailureOf(err))
	}
	return []channel.Candidate{{
		Type: channel.TikTokBusiness, ExternalID: credentials.Subject, Name: body.DisplayName, Username: body.Username,
		AvatarURL: b.client.Permalink(body.ProfileImage), Credentials: credentials,
	}}, nil
}

// Configured reports whether the operator has configured an application of the developer portal.
func (p *Personal) Configured(channel.Variant) bool {
	return p.config.ClientKey != "" && p.config.ClientSecret != ""
}

// Configured reports whether the operator has configured an app of the API for Business.
func (b *Business) Configured(channel.Variant) bool {
	return b.config.AppID != "" && b.config.Secret != ""
}

// RevokesConsent returns false: Revoke ends the tokens of the account alone.
func (*Personal) RevokesConsent() bool { return false }

// Redirect returns the address with a slash at its end, without which the portal refuses it.
func (*Business) Redirect(address string) string { return address + "/" }
