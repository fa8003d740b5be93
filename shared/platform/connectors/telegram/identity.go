package telegram

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// chat is a chat in the Bot API.
type chat struct {
	ID       int64  `json:"id"`
	Type     string `json:"type"`
	Username string `json:"username"`
}

// member holds a bot's permissions in a chat.
type member struct {
	Status  string `json:"status"`
	CanPost *bool  `json:"can_post_messages"` // for administrators of channels
	CanSend *bool  `json:"can_send_messages"` // for restricted members of groups
}

// mayPost reports whether the member may publish in a chat of the type.
func (m member) mayPost(kind string) bool {
	allowed := func(right *bool) bool { return right == nil || *right }
	switch m.Status {
	case "creator":
		return true
	case "administrator":
		return kind != "channel" || allowed(m.CanPost)
	case "member":
		return kind != "channel"
	case "restricted":
		return kind != "channel" && allowed(m.CanSend)
	default:
		return false
	}
}

// Identify reads the chat and the bot's permissions there.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	token := account.Credentials.AccessToken
	if !tokenPattern.MatchString(token) || account.ExternalID == "" {
		return platform.Identity{}, c.client.Reconnect(errToken)
	}
	var found chat
	id := chatID(account.ExternalID)
	response, err := c.describe(ctx, token, "getChat", map[string]any{"chat_id": id}, &found)
	if err != nil {
		return platform.Identity{}, err
	}
	if found.ID == 0 {
		return c.client.Identity(response, "", "")
	}
	number, _, _ := strings.Cut(token, ":")
	var bot member
	response, err = c.describe(ctx, token, "getChatMember", map[string]any{"chat_id": id, "user_id": json.Number(number)},
		&bot)
	if err != nil {
		return platform.Identity{}, err
	}
	if !bot.mayPost(found.Type) {
		failure := c.client.Reconnect(response.Cause("the bot is " + httpcall.Text(bot.Status, longestStatus)))
		failure.Message = "The bot may not post in this chat. Make it an administrator there, with the right to post " +
			"messages."
		return platform.Identity{}, failure
	}
	return platform.Identity{ID: found.idLike(account.ExternalID), Username: found.Username}, nil
}

// longestStatus is the maximum length of a member's status in a log, in characters.
const longestStatus = 30

// idLike returns the chat's id in the form of the given one: its @name or its number.
func (c chat) idLike(given string) string {
	if name, named := strings.CutPrefix(given, "@"); named {
		if strings.EqualFold(name, c.Username) {
			return given
		}
		return "@" + c.Username
	}
	return strconv.FormatInt(c.ID, 10)
}

// describe calls a method of the Bot API and decodes its result into a value.
func (c *Connector) describe(
	ctx context.Context, token, method string, parameters map[string]any, into any,
) (httpcall.Response, error) {
	var body struct {
		OK     bool            `json:"ok"`
		Result json.RawMessage `json:"result"`
	}
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Method: http.MethodPost, Path: []string{"bot" + token, method}, JSON: parameters, Secrets: []string{token},
	}, func(response httpcall.Response) *platform.Failure {
		var refused apiResponse
		readable := response.Decode(&refused) == nil
		return c.failure(response, refused, readable, false)
	}, &body)
	if err != nil {
		return response, err
	}
	if !body.OK || json.Unmarshal(body.Result, into) != nil {
		return response, c.client.Unclear(response, "no result in the response")
	}
	return response, nil
}
