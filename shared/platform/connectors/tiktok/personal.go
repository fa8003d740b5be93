package tiktok

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// PersonalAPI is the URL of the Content Posting API, without a version.
const PersonalAPI = "https://open.tiktokapis.com"

const personalVersion = "v2"

var (
	_ platform.Carrier         = (*Personal)(nil)
	_ platform.Reviewer        = (*Personal)(nil)
	_ platform.CreatorInformer = (*Personal)(nil)
	_ platform.Restricter      = (*Personal)(nil)
)

// PersonalConfig configures Personal.
type PersonalConfig struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is PersonalAPI if empty.
	Wire         httpcall.Config
	ClientKey    string // of the application registered with TikTok for Developers; required to refresh tokens
	ClientSecret string

	// Sealer encrypts upload addresses in handles; platform.Unsealed if nil.
	Sealer platform.Sealer
	// ChunkSize is the size of an upload's chunks in bytes; DefaultChunkSize if zero.
	ChunkSize int64
	// Audited is "false" if TikTok has not audited the application, which then publishes nothing that others see. Empty
	// means "true".
	Audited string
}

var errAudited = errors.New("tiktok: whether the application is audited is neither true nor false")

var errChunk = fmt.Errorf("tiktok: the chunk size is not from %d to %d bytes", smallestChunk, largestChunk)

// Personal is the connection to the Content Posting API.
type Personal struct {
	client    *httpcall.Client
	config    PersonalConfig
	permalink string // base URL of posts
}

// NewPersonal returns the connector for personal channels.
func NewPersonal(config PersonalConfig) (*Personal, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkTikTok, networkName
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, PersonalAPI)
	if config.Sealer == nil {
		config.Sealer = platform.Unsealed{}
	}
	config.ChunkSize = cmp.Or(config.ChunkSize, DefaultChunkSize)
	if config.ChunkSize < smallestChunk || config.ChunkSize > largestChunk {
		return nil, errChunk
	}
	if !slices.Contains([]string{"", "true", "false"}, config.Audited) {
		return nil, errAudited
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("tiktok: %w", err)
	}
	return &Personal{client: client, config: config, permalink: permalinkOf(client.BaseURL(), PersonalAPI)}, nil
}

// Types returns only the personal channel type.
func (p *Personal) Types() []channel.Type { return []channel.Type{channel.TikTokPersonal} }

// CreatorInfo returns what the account allows at this moment. TikTok requires this call before every post, and allows
// twenty calls per minute and account. The image's URL is valid for two hours.
func (p *Personal) CreatorInfo(ctx context.Context, account platform.Account) (platform.CreatorInfo, error) {
	if account.Credentials.AccessToken == "" {
		return platform.CreatorInfo{}, p.client.Reconnect(errNoToken)
	}
	response, err := p.client.Call(ctx, httpcall.Request{
		Operation: "creator_info",
		Method:    http.MethodPost,
		Path:      []string{personalVersion, "post", "publish", "creator_info", "query"},
		PathSlash: true,
		Header:    http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}},
		JSON:      struct{}{},
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return platform.CreatorInfo{}, err
	}
	var creator struct {
		allowance

		Nickname  string `json:"creator_nickname"`
		Username  string `json:"creator_username"`
		AvatarURL string `json:"creator_avatar_url"`
	}
	if err := p.data(response, &creator); err != nil {
		return platform.CreatorInfo{}, err
	}
	if creator.Privacies == nil || creator.MaxDurationSec <= 0 {
		return platform.CreatorInfo{}, p.client.Unclear(response, "no creator info in the response")
	}
	info := p.restricted(creator.info())
	info.Nickname = nickname(creator.Nickname, creator.Username, account.Username)
	info.AvatarURL = p.client.Permalink(creator.AvatarURL)
	return info, nil
}

// data decodes the data of a successful call. It returns a *platform.Failure for any other response.
func (p *Personal) data(response httpcall.Response, into any) error {
	var result struct {
		Data  json.RawMessage `json:"data"`
		Error personalError   `json:"error"`
	}
	readable := response.Decode(&result) == nil
	if !readable || !response.OK() || result.Error.Code != personalOK {
		return p.failure(response, result.Error)
	}
	if json.Unmarshal(result.Data, into) != nil {
		return p.client.Unclear(response, "no data in the response")
	}
	return nil
}
