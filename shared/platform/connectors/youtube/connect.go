package youtube

import (
	"context"
	"net/url"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var (
	_ platform.Connecter  = (*Connector)(nil)
	_ platform.Restricter = (*Connector)(nil)
	_ platform.Revoker    = (*Connector)(nil)
)

// CodeNoChannel is the code of a Google account without a YouTube channel.
const CodeNoChannel = "NO_CHANNEL"

const scopePrefix = "https://www.googleapis.com/auth/"

// Scopes returns the permissions to publish, and those for figures and comments.
func (c *Connector) Scopes(channel.Variant) platform.Scopes {
	scopes := platform.Scopes{
		Needed: []string{scopePrefix + "youtube.upload", scopePrefix + "youtube.readonly", scopePrefix + "youtube"},
		Useful: []string{scopePrefix + "yt-analytics.readonly"},
	}
	if c.reads() || c.config.FirstComments {
		scopes.Useful = append(scopes.Useful, scopeComments)
	}
	return scopes
}

// Gaps returns first comments, if the operator has turned on neither them nor the inbox.
func (c *Connector) Gaps(content platform.Content) []platform.Finding {
	if c.reads() || c.config.FirstComments {
		return nil
	}
	return comments.Gaps(content, "YouTube", "YOUTUBE_FIRST_COMMENTS", post.PartComment)
}

// AuthorizeURL returns Google's page, at which a person also chooses one of the channels.
func (c *Connector) AuthorizeURL(_ context.Context, consent platform.Consent) (platform.Authorization, error) {
	return c.tokens.AuthorizeURL(consent, c.Scopes(""))
}

// Exchange exchanges the code.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	return c.tokens.Exchange(ctx, code)
}

// Revoke ends the access of the account's tokens.
func (c *Connector) Revoke(ctx context.Context, account platform.Account) error {
	return c.tokens.Revoke(ctx, account.Credentials)
}

// Accounts returns the channel that the person chose.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	var result struct {
		Items httpcall.Some[struct {
			ID      string `json:"id"`
			Snippet httpcall.Maybe[struct {
				Title     string `json:"title"`
				CustomURL string `json:"customUrl"`
				Pictures  struct {
					Default struct {
						URL string `json:"url"`
					} `json:"default"`
				} `json:"thumbnails"`
			}] `json:"snippet"`
		}] `json:"items"`
	}
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Path: []string{"channels"}, Query: url.Values{"part": {"id,snippet"}, "mine": {"true"}},
		Header: bearer(platform.Account{Credentials: credentials}), Secrets: []string{credentials.AccessToken},
	}, c.failure, &result)
	if err != nil {
		return nil, err
	}
	if len(result.Items) == 0 {
		return nil, c.client.Fail(platform.ClassUser, CodeNoChannel, response.Cause("no channel"),
			"This Google account has no YouTube channel. Create one at YouTube, or choose another account.")
	}
	var candidates []channel.Candidate
	for _, one := range result.Items {
		snippet := one.Snippet.Value
		candidates = append(candidates, channel.Candidate{
			Type: channel.YouTube, ExternalID: one.ID, Name: snippet.Title, Username: snippet.CustomURL,
			AvatarURL: c.client.Permalink(snippet.Pictures.Default.URL), Credentials: credentials,
		})
	}
	return candidates, nil
}

// Configured reports whether the operator has configured an application.
func (c *Connector) Configured(channel.Variant) bool { return c.tokens.Configured() }

// RevokesConsent returns true: Revoke ends every consent of a person to the application.
func (*Connector) RevokesConsent() bool { return true }
