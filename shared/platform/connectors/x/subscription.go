package x

import (
	"context"
	"net/url"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var _ platform.FactReader = (*Connector)(nil)

// subscriptionFields are the fields of a user that decide what the account may publish.
const subscriptionFields = "verified_type,subscription_type"

// subscription is the part of a user that decides what the account may publish.
type subscription struct {
	Type     string `json:"subscription_type"` // None, Basic, Premium or PremiumPlus; only of the token's own user
	Verified string `json:"verified_type"`     // none, blue, business or government
}

// facts returns what is known about the account. Every subscription allows long posts and videos. X reports that of an
// organization only by its verification.
func (s subscription) facts() channel.Facts {
	if s.Type == "" && s.Verified == "" {
		return channel.Facts{}
	}
	subscribed := s.Type != "" && !strings.EqualFold(s.Type, "none")
	return channel.Facts{Premium: new(subscribed || s.Verified == "blue" || s.Verified == "business")}
}

// Facts reads whether the account has a subscription.
func (c *Connector) Facts(ctx context.Context, account platform.Account) (channel.Facts, error) {
	if account.Credentials.AccessToken == "" {
		return channel.Facts{}, c.client.Reconnect(errNoToken)
	}
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "facts", Path: []string{"2", "users", "me"}, Query: url.Values{"user.fields": {subscriptionFields}},
		Header: bearer(account), Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return channel.Facts{}, err
	}
	if !response.OK() {
		return channel.Facts{}, c.failure(response)
	}
	var result struct {
		Data subscription `json:"data"`
	}
	if response.Decode(&result) != nil {
		return channel.Facts{}, c.client.Unclear(response, "no user in the response")
	}
	return result.Data.facts(), nil
}
