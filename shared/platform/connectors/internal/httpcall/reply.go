package httpcall

import (
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// ReplyFailure words a failure of the irrevocable call for an answer in a conversation.
func (c *Client) ReplyFailure(err error) *platform.Failure {
	failure := platform.FailureOf(err)
	switch failure.Code {
	case post.ErrorOutcomeUnknown:
		failure.Message = c.config.Name + " did not confirm whether the answer was sent."
	case post.ErrorRateLimited:
		failure.Message = c.config.Name + " limits how often this account may write."
	case platform.CodeMediaUnreadable:
		failure.Message = "The file of the answer could not be read."
	case platform.CodeSendWindowClosed:
		failure.Message = "The answer was not sent in its time window."
	}
	return failure
}
