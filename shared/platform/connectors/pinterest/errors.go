package pinterest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// Codes of Pinterest's refusals, in addition to those of the publish protocol.
const (
	CodeRefused   = "REQUEST_REFUSED"
	CodeAppAccess = "APP_ACCESS_MISSING"
	CodeBoardGone = "BOARD_GONE"
	CodeLink      = "LINK_BLOCKED"
	// CodeMediaUnreachable is the code of an image that Pinterest could not fetch.
	CodeMediaUnreachable = "MEDIA_UNREACHABLE"
)

// apiError is Pinterest's error format, also used by the token endpoint.
type apiError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// apiErrorOf decodes the error. It returns false for a response that is not in Pinterest's format, such as a proxy's
// page.
func apiErrorOf(response httpcall.Response) (apiError, bool) {
	var e apiError
	if response.Decode(&e) != nil || e == (apiError{}) {
		return apiError{}, false
	}
	return e, true
}

// codeTrial refuses a call to an application with trial access.
const codeTrial = 29

// failure classifies an error response.
func (c *Connector) failure(response httpcall.Response) *platform.Failure {
	e, readable := apiErrorOf(response)
	cause := response.Cause("refused")
	switch status := response.Status; {
	case status == http.StatusTooManyRequests:
		return c.client.RateLimited(c.until(response.Header), cause)
	case status == http.StatusUnauthorized:
		return c.client.Refresh(cause)
	case status < 400, status >= 500, status == http.StatusRequestTimeout, !readable:
		return c.client.Unclear(response, "no clear refusal")
	case status == http.StatusForbidden && (e.Code == codeTrial || e.says("trial")):
		return c.appAccess(cause)
	case status == http.StatusForbidden:
		return c.client.Reconnect(cause) // the user has not granted the required permission
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause, "Pinterest refused the request.")
	}
}

// says reports whether one of the fragments occurs in the message: the only reason in many of Pinterest's refusals.
func (e apiError) says(fragments ...string) bool {
	text := strings.ToLower(e.Message)
	return slices.ContainsFunc(fragments, func(fragment string) bool { return strings.Contains(text, fragment) })
}

// pinFailure classifies an error response to the creation of a pin.
func (c *Connector) pinFailure(response httpcall.Response) *platform.Failure {
	e, readable := apiErrorOf(response)
	failure := c.failure(response)
	cause := response.Cause("refused")
	switch {
	case failure.Class != platform.ClassRejected || !readable:
		return failure
	case e.says("unable to reach the url"):
		return c.client.Fail(platform.ClassTransient, CodeMediaUnreachable, cause,
			"Pinterest could not fetch an image of the post.")
	case response.Status == http.StatusNotFound, e.says(`'^\d+$'`, "board not found", "section not found"):
		return c.boardGone(cause)
	case e.says("spam", "blocked"):
		return c.client.Fail(platform.ClassRejected, CodeLink, cause,
			"Pinterest blocks the pin or its link as spam. Change the link, then publish the post again.")
	case e.says("image", "video", "media"):
		return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
			"Pinterest could not use the attachments. Replace them, then publish the post again.")
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"Pinterest refused the pin as invalid. Check its title, description and link, then publish the post again.")
	}
}

func (c *Connector) boardGone(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassRejected, CodeBoardGone, cause,
		"Pinterest has no such board or section, or this account cannot pin to it. Choose another one, then publish the "+
			"post again.")
}

// refreshFailure classifies an error response to a refresh. A refused refresh token needs a user, regardless of the
// message. A response from a proxy in front of Pinterest does not.
func (c *Connector) refreshFailure(response httpcall.Response, _ oauth.Tokens) *platform.Failure {
	_, readable := apiErrorOf(response)
	cause := response.Cause("refresh refused")
	switch status := response.Status; {
	case status == http.StatusTooManyRequests:
		return c.client.RateLimited(c.until(response.Header), cause)
	case readable && (status == http.StatusBadRequest || status == http.StatusUnauthorized ||
		status == http.StatusForbidden):
		return c.client.Reconnect(cause)
	default:
		return c.client.Unclear(response, "no clear refusal")
	}
}

func (c *Connector) appAccess(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassOperator, CodeAppAccess, cause,
		"Pinterest does not grant this service the required access. Its operator has to act; then try again.")
}

// until returns the time at which the rate limit ends. The unit of Pinterest's header is not documented. A small number
// is read as seconds from now, and a number that can only be a Unix time as such.
func (c *Connector) until(header http.Header) time.Time {
	const name, smallestDate = "X-RateLimit-Reset", 1e9
	seconds, err := strconv.ParseFloat(strings.TrimSpace(header.Get(name)), 64)
	switch {
	case err != nil:
		return c.client.RetryAfter(header)
	case seconds >= smallestDate:
		return c.client.ResetAt(header, name)
	default:
		return c.client.After(seconds)
	}
}
