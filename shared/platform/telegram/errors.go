package telegram

import (
	"net/http"
	"strings"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/wire"
)

// CodeRefused is the code of a refused message.
const CodeRefused = "CONTENT_REFUSED"

// failure classes an answer that is no success. The status line and error_code agree on Telegram itself; where a
// proxy in between makes them differ, the worse one counts.
func (c *Connector) failure(response wire.Response, a answer, readable bool) *platform.Failure {
	cause := response.Cause("refused")
	switch status := max(response.Status, a.ErrorCode); {
	case status == http.StatusTooManyRequests:
		until := c.client.After(a.Parameters.RetryAfter)
		if until.IsZero() {
			until = c.client.RetryAfter(response.Header)
		}
		return c.client.RateLimited(until, cause)
	case status == http.StatusUnauthorized, status == http.StatusNotFound && readable:
		return c.client.Reconnect(cause) // 404 is the answer to a malformed token
	case status < 400, status >= 500, status == http.StatusRequestTimeout, !readable:
		return c.client.Unclear(response, "no clear refusal")
	case status == http.StatusForbidden, a.chatLost():
		failure := c.client.Reconnect(cause)
		failure.Message = "The bot may not post in this chat any more. Make it an administrator again, then connect the channel again."
		return failure
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"Telegram refused the message. Check its text, then publish it again.")
	}
}

// chatLost recognises by Telegram's words, its only sign, that the bot has no right to post in the chat.
func (a answer) chatLost() bool {
	description := strings.ToLower(a.Description)
	for _, fragment := range []string{
		"chat not found", "not enough rights", "need administrator rights", "have no rights to send",
		"was kicked", "not a member", "was blocked", "is deactivated",
	} {
		if strings.Contains(description, fragment) {
			return true
		}
	}
	return false
}
