package telegram

import (
	"context"
	"strconv"

	"fencepost.internal/shared/platform"
)

type sendBody struct {
	ChatID any          `json:"chat_id"` // a number, or @name
	Text   string       `json:"text,omitempty"`
	Rich   *richMessage `json:"rich_message,omitempty"` // instead of Text
	// LinkPreview is that of Text.
	LinkPreview *linkPreview `json:"link_preview_options,omitempty"`

	settings
	poll // instead of Text
}

// Prepare opens the attachments, so that an unreadable file is detected before the irrevocable call. Telegram itself
// needs no preparation: the files are part of the message.
func (c *Connector) Prepare(
	ctx context.Context, _ platform.Account, content platform.Content, _ platform.Handle,
) (platform.Preparation, error) {
	files, err := c.open(ctx, content)
	if err != nil {
		return platform.Preparation{}, err
	}
	files.close()
	return platform.Preparation{Ready: true}, nil
}

// Commit sends the message with its attachments as plain text, without markup.
//
// If Telegram responds that the group has become a supergroup with another id, it has sent nothing, and Commit sends
// the message to the new id. This is not a retry of an irrevocable call, because the first call was certainly refused.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, _ platform.Handle,
) (platform.Publication, error) {
	if !tokenPattern.MatchString(account.Credentials.AccessToken) || account.ExternalID == "" {
		return platform.Publication{}, c.client.Reconnect(errToken)
	}
	files, err := c.open(ctx, content)
	if err != nil {
		return platform.Publication{}, err
	}
	defer files.close()
	publication, moved, err := c.send(ctx, account, content, files, chatID(account.ExternalID))
	if err != nil && moved != 0 {
		publication, _, err = c.send(ctx, account, content, files, moved)
	}
	return publication, err
}

// send makes the call once. If the call fails because the chat has a new id, it returns that id with the failure.
func (c *Connector) send(
	ctx context.Context, account platform.Account, content platform.Content, files attachments, chat any,
) (platform.Publication, int64, error) {
	request := files.request(account, content, chat)
	response, err := c.client.CommitCall(ctx, request)
	if err != nil {
		return platform.Publication{}, 0, err
	}
	var a apiResponse
	readable := response.Decode(&a) == nil
	sent, named := a.Result.first()
	switch {
	case !response.OK() || readable && !a.OK && a.ErrorCode != 0:
		return platform.Publication{}, a.moved(response), c.failure(response, a, readable, len(files) > 0)
	case !readable || !a.OK || !named:
		return platform.Publication{}, 0, c.client.Unclear(response, "success without the message's id")
	}
	publication := c.publication(account, sent)
	publication.Parts = a.Result.parts()
	return publication, 0, nil
}

// chatID returns the chat's id in the API's format.
func chatID(externalID string) any {
	if number, err := strconv.ParseInt(externalID, 10, 64); err == nil {
		return number
	}
	return externalID
}
