package tiktok

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// BusinessAPI is the URL of the TikTok API for Business, without a path.
const BusinessAPI = "https://business-api.tiktok.com"

const (
	businessVersion = "v1.3"
	// profileTimeout is the timeout of the call for the account's name and profile image. If it fails, only these are
	// missing.
	profileTimeout = 5 * time.Second
)

var (
	_ platform.Link            = (*Business)(nil)
	_ platform.CreatorInformer = (*Business)(nil)
)

// BusinessConfig configures Business.
type BusinessConfig struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is BusinessAPI if empty.
	Wire   httpcall.Config
	AppID  string // of the app registered with TikTok API for Business; required to refresh tokens
	Secret string
}

// Business is the connection to the Accounts API. An account's external id is its business_id.
type Business struct {
	client *httpcall.Client
	config BusinessConfig
}

// NewBusiness returns the connector for business channels.
func NewBusiness(config BusinessConfig) (*Business, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkTikTok, networkName
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, BusinessAPI)
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("tiktok: %w", err)
	}
	return &Business{client: client, config: config}, nil
}

// Types returns only the business channel type.
func (b *Business) Types() []channel.Type { return []channel.Type{channel.TikTokBusiness} }

// CreatorInfo returns what the account allows at this moment. It reads the settings, and then the name and profile
// image, which need a separate call. If the second call fails, the name is the channel's own and the image is empty.
func (b *Business) CreatorInfo(ctx context.Context, account platform.Account) (platform.CreatorInfo, error) {
	if !usable(account) {
		return platform.CreatorInfo{}, b.client.Reconnect(errNoToken)
	}
	info, err := b.settings(ctx, account)
	if err != nil {
		return platform.CreatorInfo{}, err
	}
	profile := b.profile(ctx, account)
	info.Nickname = nickname(profile.DisplayName, account.Username)
	info.AvatarURL = b.client.Permalink(profile.ProfileImage)
	return info, nil
}

// settings reads what the account allows. Videos are published without a privacy level here, according to the account's
// own setting. A response without privacy levels is therefore read as that of a public account.
func (b *Business) settings(ctx context.Context, account platform.Account) (platform.CreatorInfo, error) {
	request := b.get("creator_info", account, "business", "video", "settings")
	response, err := b.client.Call(ctx, request)
	if err != nil {
		return platform.CreatorInfo{}, err
	}
	var allowed allowance
	if err := b.data(response, &allowed); err != nil {
		return platform.CreatorInfo{}, err
	}
	if allowed.MaxDurationSec <= 0 {
		return platform.CreatorInfo{}, b.client.Unclear(response, "no settings in the response")
	}
	info := allowed.info()
	if len(allowed.Privacies) == 0 {
		info.PrivacyLevelOptions = []string{platform.PrivacyPublic}
	}
	return info, nil
}

type profile struct {
	DisplayName  string `json:"display_name"`
	ProfileImage string `json:"profile_image"`
}

// profile reads the account's name and profile image. Both are empty if the call fails.
func (b *Business) profile(ctx context.Context, account platform.Account) profile {
	request := b.get("profile", account, "business", "get")
	request.Query.Set("fields", `["display_name","profile_image"]`)
	request.Timeout = profileTimeout
	response, err := b.client.Call(ctx, request)
	if err != nil {
		return profile{}
	}
	var found profile
	if b.data(response, &found) != nil {
		return profile{}
	}
	return found
}

func (b *Business) get(operation string, account platform.Account, path ...string) httpcall.Request {
	return httpcall.Request{
		Operation: operation,
		Path:      append([]string{"open_api", businessVersion}, path...),
		PathSlash: true,
		Query:     url.Values{"business_id": {account.ExternalID}},
		Header:    http.Header{"Access-Token": {account.Credentials.AccessToken}},
		Secrets:   []string{account.Credentials.AccessToken},
	}
}

// data decodes the data of a successful call. It returns a *platform.Failure for any other response.
func (b *Business) data(response httpcall.Response, into any) error {
	result, readable := businessResponseOf(response)
	if !readable || !response.OK() || result.code() != 0 {
		return b.failure(response, result)
	}
	if json.Unmarshal(result.Data, into) != nil {
		return b.client.Unclear(response, "no data in the response")
	}
	return nil
}
