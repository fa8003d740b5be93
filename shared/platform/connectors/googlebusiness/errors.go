package googlebusiness

import (
	"net/http"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/google"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of Google's refusals, in addition to those of the publish protocol.
const (
	CodeRefused   = "CONTENT_REFUSED"
	CodePolicy    = "POLICY_VIOLATION"
	CodeLocation  = "LOCATION_CANNOT_POST"
	CodeAppAccess = "APP_ACCESS_MISSING"
)

// failure classifies an error response.
func (c *Connector) failure(response httpcall.Response) *platform.Failure {
	e, cause := google.ErrorOf(response), response.Cause("refused")
	switch status := response.Status; {
	case status < 400, status >= 500, status == http.StatusRequestTimeout:
		return c.client.Unclear(response, "no clear refusal")
	case e.AtService():
		return c.appRefused(cause)
	case status == http.StatusTooManyRequests:
		return c.client.RateLimited(google.Until(c.client, response, e), cause)
	case status == http.StatusUnauthorized:
		return c.client.Refresh(cause)
	case e.Status == "", e.Status == "ABORTED", e.Status == "CANCELLED":
		return c.client.Unclear(response, "a passing fault, or not in the network's own form")
	case e.Says("LOCATION_DISABLED_FOR_LOCAL_POST_API"):
		return c.client.Fail(platform.ClassRejected, CodeLocation, cause,
			"Google does not allow posts to this location through its API; this affects some chains. Post on Google's "+
				"website instead.")
	case status == http.StatusForbidden, status == http.StatusNotFound:
		// The user lost the role at the location, or the location moved to another account. The user must choose it
		// again.
		return c.client.Reconnect(cause)
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"Google refused the post as invalid%s. Check its text, then publish it again.", inFields(e.Fields()))
	}
}

// inFields names the invalid fields in a message.
func inFields(fields []string) string {
	switch len(fields) {
	case 0:
		return ""
	case 1:
		return " in its field " + fields[0]
	default:
		return " in its fields " + strings.Join(fields, ", ")
	}
}

func (c *Connector) appRefused(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassOperator, CodeAppAccess, cause,
		"Google does not let this service post at present. Its operator has to act; then publish the post again.")
}
