package telegram

import (
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of a refused message.
const (
	CodeRefused     = "CONTENT_REFUSED"
	CodeTopicClosed = "TOPIC_CLOSED"
	CodeFixed       = "MESSAGE_FIXED" // too old, or not changeable by the bot
)

// failure classifies an error response. Telegram's status line and error_code agree. If a proxy changes one of them,
// the higher status counts.
func (c *Connector) failure(response httpcall.Response, a apiResponse, readable, files bool) *platform.Failure {
	cause := response.Cause("refused")
	switch status := max(response.Status, a.ErrorCode); {
	case status == http.StatusTooManyRequests:
		until := c.client.After(a.Parameters.RetryAfter)
		if until.IsZero() {
			until = c.client.RetryAfter(response.Header)
		}
		return c.client.RateLimited(until, cause)
	case status == http.StatusUnauthorized, status == http.StatusNotFound && readable:
		return c.client.Reconnect(cause) // 404 is the response to a malformed token
	case status == http.StatusRequestEntityTooLarge: // a sender of this status has not accepted the message
		return c.tooLarge(cause, files)
	case status < 400, status >= 500, status == http.StatusRequestTimeout, !readable:
		return c.client.Unclear(response, "no clear refusal")
	case a.has("topic_closed"):
		return c.client.Fail(platform.ClassUser, CodeTopicClosed, cause,
			"The topic of this Telegram group is closed. Open it in Telegram, then publish the post again.")
	case status == http.StatusForbidden, a.chatLost():
		failure := c.client.Reconnect(cause)
		failure.Message = chatLostMessage
		return failure
	case files && a.mediaRefused():
		return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
			"Telegram cannot use a file of this post. Replace it, or save it in another program and upload it again; then "+
				"publish the post again.")
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"Telegram refused the message. Check its text, then publish it again.")
	}
}

const chatLostMessage = "The bot may no longer post in this chat. Make it an administrator again, then connect the " +
	"channel again."

func (c *Connector) tooLarge(cause error, files bool) *platform.Failure {
	if !files {
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"The message is too large for Telegram. Shorten it, then publish it again.")
	}
	return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
		"The files of this post are too large for Telegram. Replace them with smaller ones, then publish the post again.")
}

// mediaRefused reports whether Telegram's message is about a file.
func (a apiResponse) mediaRefused() bool {
	return !a.has("caption") && a.has("photo", "image", "video", "animation", "media", "document", "file")
}

// chatLost reports whether the bot may not post in the chat. Telegram's message is the only indication. The Bot API
// server passes on errors in upper case as they come from Telegram's servers, with the status 400 even if theirs was
// 403 (tdlib/telegram-bot-api, Client.cpp, fail_query_with_error).
func (a apiResponse) chatLost() bool {
	return a.has(
		"chat not found", "not enough rights", "need administrator rights", "have no rights to send",
		"was kicked", "not a member", "was blocked", "is deactivated", "method is available only for",
		"chat_write_forbidden", "chat_admin_required", "chat_restricted", "channel_private", "peer_id_invalid",
		"user_banned_in_channel", "chat_send_plain_forbidden", "chat_send_media_forbidden", "chat_send_photos_forbidden",
		"chat_send_videos_forbidden", "chat_send_gifs_forbidden", "chat_send_docs_forbidden",
	)
}

// has reports whether one of the fragments, in lower case, occurs in Telegram's message.
func (a apiResponse) has(fragments ...string) bool {
	description := strings.ToLower(a.Description)
	return slices.ContainsFunc(fragments, func(fragment string) bool { return strings.Contains(description, fragment) })
}
