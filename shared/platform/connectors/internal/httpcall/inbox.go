package httpcall

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// HalfUsed returns the time until the reset of a limit of which no more than half is left; zero: more is left, or the response does
// not say. Polls wait for that time, so that the other half is free for posts.
func (c *Client) HalfUsed(header http.Header, limit, remaining string, reset time.Time) time.Duration {
	number := func(name string) int {
		n, err := strconv.Atoi(strings.TrimSpace(header.Get(name)))
		if err != nil || n < 0 {
			return -1
		}
		return n
	}
	of, left := number(limit), number(remaining)
	if of <= 0 || left < 0 || 2*left >= of || reset.IsZero() {
		return 0
	}
	return max(0, reset.Sub(c.Now()))
}

// CodeGone is the code of a reply to something that is not there any more.
const CodeGone = "COMMENT_GONE"

// Gone returns the failure of a reply to something that was deleted.
func (c *Client) Gone(cause error) *platform.Failure {
	return c.Fail(platform.ClassRejected, CodeGone, cause, "What you answer is not on %s any more.", c.config.Name)
}

// PollFailure converts a failure, as the connector classifies it for posts, into that of a poll. A permission that is missing does not
// end the whole connection: publishing may work without it.
func (c *Client) PollFailure(response Response, failure *platform.Failure, permission string) *platform.Failure {
	denied := response.Status == http.StatusForbidden
	switch {
	case denied && (failure.Class == platform.ClassReconnect || failure.Class == platform.ClassRejected || failure.Class == platform.ClassUser):
		return c.Fail(platform.ClassUser, platform.CodeReadRefused, failure.Cause,
			"%s does not show this connection what people write. Connect the channel again with the permission %s.", c.config.Name, permission)
	case failure.Class == platform.ClassRejected:
		return c.Fail(platform.ClassRejected, platform.CodeReadRefused, failure.Cause, "%s refused to show what people write.", c.config.Name)
	case failure.Class == platform.ClassUnknown:
		return c.Fail(platform.ClassTransient, post.ErrorPlatformDown, failure.Cause, "%s could not be reached.", c.config.Name)
	default:
		return failure
	}
}
