package telegram

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var _ platform.LiveChanger = (*Connector)(nil)

// deleteWithin is the age up to which a bot may delete messages.
const deleteWithin = 48 * time.Hour

// DeleteWithin returns 48 hours.
func (c *Connector) DeleteWithin() time.Duration { return deleteWithin }

// live is the body of the calls that change messages.
type live struct {
	ChatID   any          `json:"chat_id"`
	Message  int64        `json:"message_id,omitempty"`
	Messages []int64      `json:"message_ids,omitempty"`
	Text     *string      `json:"text,omitempty"`
	Rich     *richMessage `json:"rich_message,omitempty"` // instead of Text
	Caption  *string      `json:"caption,omitempty"`      // may be empty, which removes it
}

// EditLive replaces the text of a message, or the caption of its first file. Telegram refuses to change a message to the
// text that it has, so that a repeated call finds its effect.
func (c *Connector) EditLive(ctx context.Context, account platform.Account, at platform.Live, text string) error {
	id, err := strconv.ParseInt(at.ExternalID, 10, 64)
	if err != nil {
		return c.gone(err)
	}
	method, body := "editMessageText", live{Message: id, Text: &text}
	if body.Rich = richOf(text); body.Rich != nil {
		body.Text = nil
	}
	if at.Captioned {
		method, body = "editMessageCaption", live{Message: id, Caption: &text}
	}
	return c.change(ctx, account, method, body, "message is not modified")
}

// DeleteLive deletes a message, or all messages of an album in one call. Telegram skips messages of an album that it
// does not find.
func (c *Connector) DeleteLive(ctx context.Context, account platform.Account, at platform.Live) error {
	method, body := "deleteMessage", live{}
	ids := at.Parts
	if len(ids) == 0 {
		ids = []string{at.ExternalID}
	}
	for _, part := range ids {
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return c.gone(err)
		}
		body.Messages = append(body.Messages, id)
	}
	if len(ids) == 1 {
		body.Message, body.Messages = body.Messages[0], nil
	} else {
		method = "deleteMessages"
	}
	return c.change(ctx, account, method, body, "message to delete not found")
}

// change makes one call. A refusal with the given text shows that an earlier call took effect.
func (c *Connector) change(ctx context.Context, account platform.Account, method string, body live, done string) error {
	if !tokenPattern.MatchString(account.Credentials.AccessToken) || account.ExternalID == "" {
		return c.client.Reconnect(errToken)
	}
	body.ChatID = chatID(account.ExternalID)
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "change", Method: http.MethodPost, Secrets: []string{account.Credentials.AccessToken},
		Path: []string{"bot" + account.Credentials.AccessToken, method}, JSON: body,
	})
	if err != nil {
		return unconfirmed(err)
	}
	var shown struct {
		apiResponse

		Result json.RawMessage `json:"result"` // a message, or true
	}
	a := &shown.apiResponse
	readable := response.Decode(&shown) == nil
	switch {
	case response.OK() && readable && a.OK && string(shown.Result) != "false":
		return nil
	case response.OK() && (!readable || a.ErrorCode == 0):
		return unconfirmed(c.client.Unclear(response, "success without a result"))
	case readable && a.has(done):
		return nil
	case readable && a.has("message to edit not found", "message_id_invalid"):
		return c.gone(response.Cause("gone"))
	case readable && a.has("can't be edited", "can't be deleted", "message_delete_forbidden"):
		return c.client.Fail(platform.ClassRejected, CodeFixed, response.Cause("fixed"),
			"Telegram no longer allows this change of the message. Change it in Telegram.")
	case a.moved(response) != 0:
		return c.gone(response.Cause("moved")) // the messages of the former group have other ids
	default:
		return unconfirmed(c.failure(response, *a, readable, false))
	}
}

// unconfirmed words a failure of a publish call whose effect is unknown for a change.
func unconfirmed(err error) error {
	failure := platform.FailureOf(err)
	if failure.Class == platform.ClassUnknown {
		failure.Message = "Telegram did not confirm the change."
	}
	return failure
}

func (c *Connector) gone(cause error) error {
	return c.client.Fail(platform.ClassRejected, platform.CodeLiveGone, cause,
		"Telegram no longer has the message. It was deleted there, or the chat was moved.")
}
