package telegram

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/wire"
)

type sendBody struct {
	ChatID any    `json:"chat_id"` // a number, or @name
	Text   string `json:"text"`
}

type answer struct {
	OK          bool   `json:"ok"`
	ErrorCode   int    `json:"error_code"`
	Description string `json:"description"`
	Result      struct {
		MessageID int64 `json:"message_id"`
		Chat      struct {
			ID       int64  `json:"id"`
			Username string `json:"username"`
		} `json:"chat"`
	} `json:"result"`
	Parameters struct {
		RetryAfter      float64 `json:"retry_after"`
		MigrateToChatID int64   `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// Commit sends the message, as plain text: nothing in it is taken for markup.
//
// When Telegram answers that the group has become a supergroup with another id, it has sent nothing, and the message
// goes to the new id at once. That is no retry of an irrevocable call: the first one was refused for certain.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, _ platform.Handle,
) (platform.Publication, error) {
	if !tokenPattern.MatchString(account.Credentials.AccessToken) || account.ExternalID == "" {
		return platform.Publication{}, c.client.Reconnect(errToken)
	}
	publication, moved, err := c.send(ctx, account, content, chatID(account.ExternalID))
	if err != nil && moved != 0 {
		publication, _, err = c.send(ctx, account, content, moved)
	}
	return publication, err
}

// send makes the call once. When it fails because the chat has a new id, that is returned beside the failure.
func (c *Connector) send(
	ctx context.Context, account platform.Account, content platform.Content, chat any,
) (platform.Publication, int64, error) {
	response, err := c.client.CommitCall(ctx, wire.Request{
		Operation: "publish",
		Method:    http.MethodPost,
		Path:      []string{"bot" + account.Credentials.AccessToken, "sendMessage"},
		JSON:      sendBody{ChatID: chat, Text: content.Text},
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return platform.Publication{}, 0, err
	}
	var a answer
	readable := response.Decode(&a) == nil
	switch {
	case !response.OK() || readable && !a.OK && a.ErrorCode != 0:
		return platform.Publication{}, a.moved(response), c.failure(response, a, readable)
	case !readable || !a.OK || a.Result.MessageID <= 0:
		return platform.Publication{}, 0, c.client.Unclear(response, "success without the message's id")
	}
	return c.publication(account, a), 0, nil
}

// moved is the chat's new id in a refusal of status 400.
func (a answer) moved(response wire.Response) int64 {
	if response.Status != http.StatusBadRequest || a.OK {
		return 0
	}
	return a.Parameters.MigrateToChatID
}

func (c *Connector) publication(account platform.Account, a answer) platform.Publication {
	id := strconv.FormatInt(a.Result.MessageID, 10)
	return platform.Publication{ExternalID: id, URL: c.client.Permalink(c.link(account, a, id))}
}

// link is the message's address: by name in a public chat, by the number without its prefix in a private one. Small
// groups have none.
func (c *Connector) link(account platform.Account, a answer, id string) string {
	const supergroupPrefix = "-100"
	name := a.Result.Chat.Username
	if name == "" && strings.HasPrefix(account.ExternalID, "@") {
		name = account.ExternalID[1:]
	}
	if name != "" {
		return c.permalink + "/" + url.PathEscape(name) + "/" + id
	}
	chat := strconv.FormatInt(a.Result.Chat.ID, 10)
	if number, private := strings.CutPrefix(chat, supergroupPrefix); private && number != "" {
		return c.permalink + "/c/" + number + "/" + id
	}
	return ""
}

// chatID is the chat as the API wants it.
func chatID(externalID string) any {
	if number, err := strconv.ParseInt(externalID, 10, 64); err == nil {
		return number
	}
	return externalID
}
