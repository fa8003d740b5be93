package tiktok

import (
	"context"
	"net/url"

	"fencepost.internal/shared/platform"
)

// Identify reads the user of the access token.
func (p *Personal) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	if account.Credentials.AccessToken == "" {
		return platform.Identity{}, p.client.Reconnect(errNoToken)
	}
	request := p.request("identify", account, "user", "info")
	request.Query = url.Values{"fields": {"open_id,display_name"}}
	response, err := p.client.Call(ctx, request)
	if err != nil {
		return platform.Identity{}, err
	}
	var body struct {
		User struct {
			ID   string `json:"open_id"`
			Name string `json:"display_name"`
		} `json:"user"`
	}
	if err := p.data(response, &body); err != nil {
		return platform.Identity{}, p.client.IdentityFailure(platform.FailureOf(err))
	}
	return p.client.Identity(response, body.User.ID, nickname(body.User.Name))
}

// Identify reads the account's profile. TikTok returns it only for the account's own tokens.
func (b *Business) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	if !usable(account) {
		return platform.Identity{}, b.client.Reconnect(errNoToken)
	}
	request := b.get("identify", account, "business", "get")
	request.Query.Set("fields", `["display_name","username"]`)
	response, err := b.client.Call(ctx, request)
	if err != nil {
		return platform.Identity{}, err
	}
	var body struct {
		Name     string `json:"display_name"`
		Username string `json:"username"`
	}
	if err := b.data(response, &body); err != nil {
		return platform.Identity{}, b.client.IdentityFailure(platform.FailureOf(err))
	}
	name := nickname(body.Username, body.Name)
	if name == "" {
		return b.client.Identity(response, "", "")
	}
	return b.client.Identity(response, account.ExternalID, name)
}
