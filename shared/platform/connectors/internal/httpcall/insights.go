package httpcall

import (
	"net/http"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// InsightsFailure converts a failure, as the connector classifies it for calls about posts, into the failure of a call
// for figures. The message mentions figures. A missing permission to read figures does not end the whole connection.
func (c *Client) InsightsFailure(response Response, failure *platform.Failure) *platform.Failure {
	switch cause := failure.Cause; failure.Class {
	case platform.ClassRejected, platform.ClassReconnect:
		if response.Status == http.StatusForbidden {
			return c.InsightsNotGranted(cause)
		}
		if failure.Class == platform.ClassReconnect {
			return failure
		}
		return c.Fail(platform.ClassRejected, platform.CodeInsightsRefused, cause, "%s refused the request for analytics.",
			c.config.Name)
	case platform.ClassRateLimited:
		return c.InsightsLimited(failure.Until, cause)
	case platform.ClassUser:
		return c.Fail(platform.ClassUser, failure.Code, cause,
			"%s does not provide analytics of this account at present. Sign in there and follow its "+
				"instructions.", c.config.Name)
	case platform.ClassOperator:
		return c.Fail(platform.ClassOperator, failure.Code, cause,
			"%s does not let this service read analytics at present. Its operator has to act.", c.config.Name)
	case platform.ClassTransient, platform.ClassUnknown: // the call only reads, so its outcome is never unknown
		return c.Unavailable(cause)
	case platform.ClassRefresh:
	}
	return failure
}

// InsightsLimited returns the failure of a call for figures that must wait. The time until is zero if the network did
// not report it.
func (c *Client) InsightsLimited(until time.Time, cause error) *platform.Failure {
	failure := c.Fail(platform.ClassRateLimited, post.ErrorRateLimited, cause,
		"%s limits requests for analytics.", c.config.Name)
	failure.Until = until
	return failure
}

// InsightsNotGranted returns the failure for a connection that may not read figures.
func (c *Client) InsightsNotGranted(cause error) *platform.Failure {
	return c.Fail(platform.ClassUser, platform.CodeInsightsNotGranted, cause,
		"%s does not let this connection read analytics. Connect the channel again and allow them there. If they were "+
			"allowed, the account's role or this service's application may not read them.", c.config.Name)
}
