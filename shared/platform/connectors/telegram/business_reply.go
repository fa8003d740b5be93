package telegram

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// replyBody is the body of sendMessage. The text is plain, because it names no parse_mode.
type replyBody struct {
	Connection string       `json:"business_connection_id"`
	Chat       int64        `json:"chat_id"`
	Text       string       `json:"text"`
	ReplyTo    *replyTarget `json:"reply_parameters,omitempty"`
}

type replyTarget struct {
	Message int64 `json:"message_id"`
}

var errNoConnection = errors.New("the answer has no business connection or no chat")

// SendReply sends the answer in the name of the account.
func (b *Business) SendReply(ctx context.Context, account platform.Account, reply platform.Reply) (string, error) {
	client, token := b.api.client, account.Credentials.AccessToken
	if !tokenPattern.MatchString(token) {
		return "", client.Reconnect(errToken)
	}
	body := replyBody{Connection: reply.Connection, Text: reply.Text}
	var err error
	if body.Chat, err = strconv.ParseInt(reply.Thread, 10, 64); err != nil || reply.Connection == "" {
		return "", b.ended(errNoConnection)
	}
	if _, message, ok := strings.Cut(reply.ReplyTo, "/"); ok {
		if id, err := strconv.ParseInt(message, 10, 64); err == nil {
			body.ReplyTo = &replyTarget{id}
		}
	}
	request := httpcall.Request{
		Operation: "reply", Method: http.MethodPost, Path: []string{"bot" + token, "sendMessage"}, JSON: body,
		Secrets: []string{token},
	}
	if len(reply.Media) > 0 {
		files, err := b.api.open(ctx, platform.Content{Media: reply.Media, Files: reply.Files})
		if err != nil {
			return "", client.ReplyFailure(err)
		}
		defer files.close()
		request = files.fileRequest(token, body)
	}
	response, err := client.CommitCall(ctx, request)
	if err != nil {
		return "", client.ReplyFailure(err)
	}
	var a apiResponse
	readable := response.Decode(&a) == nil
	sent, named := a.Result.first()
	switch {
	case !response.OK() || readable && !a.OK && a.ErrorCode != 0:
		return "", client.ReplyFailure(b.refused(response, a, readable, len(reply.Media) > 0))
	case !readable || !a.OK || !named || sent.Chat.ID == 0:
		return "", client.ReplyFailure(client.Unclear(response, "success without the message's id"))
	}
	return party{ID: sent.Chat.ID}.message(sent.MessageID), nil
}

// refused classifies the refusal of an answer. The names in capitals are those of messages.sendMessage and
// invokeWithBusinessConnection (https://core.telegram.org/method/messages.sendMessage).
func (b *Business) refused(response httpcall.Response, a apiResponse, readable, files bool) *platform.Failure {
	client, cause := b.api.client, response.Cause("refused")
	switch status := max(response.Status, a.ErrorCode); {
	case status != http.StatusBadRequest && status != http.StatusForbidden || !readable:
	case a.has("business_peer_usage_missing"):
		return client.Fail(platform.ClassRejected, platform.CodeWindowClosed, cause, "Telegram accepts an answer only within 24 "+
			"hours of the person’s last message. Wait for a message, or write in Telegram.")
	case a.has("was blocked", "user_is_blocked", "you_blocked_user", "is deactivated", "input_user_deactivated"):
		return client.Fail(platform.ClassRejected, platform.CodePersonBlocked, cause, "Telegram delivers nothing to this person, "+
			"who has blocked the account or closed theirs. Nothing was sent.")
	case status == http.StatusForbidden, a.has("business", "not enough rights"), a.chatLost():
		return b.ended(cause)
	}
	failure := b.api.failure(response, a, readable, files)
	switch failure.Code {
	case CodeRefused:
		failure.Message = "Telegram refused the answer. Check its text, then send it again."
	case platform.CodeMediaRefused:
		failure.Message = "Telegram cannot use the file of this answer. Save it again with another program, and send it in a new answer."
	}
	return failure
}

func (b *Business) ended(cause error) *platform.Failure {
	return b.api.client.Fail(platform.ClassRejected, platform.CodeConnectionEnded, cause, "The bot may no longer write for this "+
		"account in this chat. In Telegram, open Settings, Telegram Business, Chatbots, add the bot with the right to reply, and "+
		"check its chats; then send the answer again.")
}
