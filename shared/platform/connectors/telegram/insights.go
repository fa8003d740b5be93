package telegram

import (
	"context"
	"net/http"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Connector)(nil)

// counted is the response to a count call.
type counted struct {
	OK     *bool           `json:"ok"`
	Result httpcall.Figure `json:"result"`
}

// AccountInsights reads the current number of members. The Bot API reports no other figure of a chat.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	if !tokenPattern.MatchString(account.Credentials.AccessToken) || account.ExternalID == "" {
		return nil, c.client.Reconnect(errToken)
	}
	book, today := readback.NewBook(since, until), analytics.DateOf(c.client.Now())
	if !book.Has(today) {
		return book.Days(), nil
	}
	members, moved, err := c.members(ctx, account, chatID(account.ExternalID))
	if err != nil && moved != 0 {
		members, _, err = c.members(ctx, account, moved)
	}
	if err != nil {
		return nil, err
	}
	book.Day(today).Followers = members.Value()
	return book.Days(), nil
}

// PostInsights returns no figures. The Bot API reports none for messages.
func (c *Connector) PostInsights(
	context.Context, platform.Account, []string,
) (map[string]analytics.PostFigures, error) {
	return map[string]analytics.PostFigures{}, nil
}

// members returns the number of the chat's members. If the call fails because the chat has a new id, it returns that id
// with the failure.
func (c *Connector) members(ctx context.Context, account platform.Account, chat any) (httpcall.Figure, int64, error) {
	token := account.Credentials.AccessToken
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "insights",
		Method:    http.MethodPost,
		Path:      []string{"bot" + token, "getChatMemberCount"},
		JSON:      map[string]any{"chat_id": chat},
		Secrets:   []string{token},
	})
	if err != nil {
		return httpcall.Figure{}, 0, err
	}
	var body counted
	if response.OK() && response.Decode(&body) == nil && body.OK != nil && *body.OK {
		if body.Result.Value() == nil {
			return httpcall.Figure{}, 0, c.client.Unclear(response, "no count in the response")
		}
		return body.Result, 0, nil
	}
	var refused apiResponse
	readable := response.Decode(&refused) == nil
	failure := c.failure(response, refused, readable, false)
	if failure.Class != platform.ClassReconnect { // a bot that was removed from the chat cannot post there either
		failure = c.client.InsightsFailure(response, failure)
	}
	return httpcall.Figure{}, refused.moved(response), failure
}
