package pinterest

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Codes that Pinterest's refusals get beside those of the publish protocol.
const (
	CodeRefused   = "REQUEST_REFUSED"
	CodeAppAccess = "APP_ACCESS_MISSING"
)

// apiError is Pinterest's error shape, of the token endpoint too.
type apiError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// apiErrorOf reads the error; false for an answer that is not in Pinterest's own form, such as a proxy's page.
func apiErrorOf(response httpcall.Response) (apiError, bool) {
	var e apiError
	if response.Decode(&e) != nil || e == (apiError{}) {
		return apiError{}, false
	}
	return e, true
}

// failure classes an answer that is no success.
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
	case status == http.StatusForbidden && strings.Contains(strings.ToLower(e.Message), "trial"):
		return c.appAccess(cause)
	case status == http.StatusForbidden:
		return c.client.Reconnect(cause) // the person has not granted what the call needs
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause, "Pinterest refused the request.")
	}
}

// refreshFailure: a refresh token that is refused needs a person, whatever the words are; a page of something between
// here and Pinterest does not.
func (c *Connector) refreshFailure(response httpcall.Response) *platform.Failure {
	_, readable := apiErrorOf(response)
	cause := response.Cause("refresh refused")
	switch status := response.Status; {
	case status == http.StatusTooManyRequests:
		return c.client.RateLimited(c.until(response.Header), cause)
	case readable && (status == http.StatusBadRequest || status == http.StatusUnauthorized || status == http.StatusForbidden):
		return c.client.Reconnect(cause)
	default:
		return c.client.Unclear(response, "no clear refusal")
	}
}

func (c *Connector) appAccess(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassOperator, CodeAppAccess, cause,
		"Pinterest does not give this service the access that is needed. Its operator has to act; then try again.")
}

// until finds when the limit that was hit ends. What Pinterest's header counts in is not documented: a small number is
// taken as seconds from now, one that can only be a date as that.
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
