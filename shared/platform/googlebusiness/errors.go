package googlebusiness

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/wire"
)

// Codes that Google's refusals get beside those of the publish protocol.
const (
	CodeRefused   = "CONTENT_REFUSED"
	CodePolicy    = "POLICY_VIOLATION"
	CodeMedia     = "MEDIA_NOT_SUPPORTED"
	CodeLocation  = "LOCATION_CANNOT_POST"
	CodeAppAccess = "APP_ACCESS_MISSING"
)

// limitWait is how long a limit is left alone whose end Google does not tell: all of them count by the minute.
const limitWait = time.Minute

// apiError is Google's error shape.
type apiError struct {
	Message string
	Status  string // empty: the answer is not in Google's form
	Details []detail
}

// detail is what the kinds of details have that say more than the status.
type detail struct {
	Reason     string            `json:"reason"`
	Metadata   map[string]string `json:"metadata"`
	RetryDelay string            `json:"retryDelay"`
	Errors     []struct {
		Message string `json:"message"`
	} `json:"errorDetails"`
}

func apiErrorOf(response wire.Response) apiError {
	var answer struct {
		Error struct {
			Message string            `json:"message"`
			Status  string            `json:"status"`
			Details []json.RawMessage `json:"details"`
		} `json:"error"`
	}
	if response.Decode(&answer) != nil {
		return apiError{}
	}
	e := apiError{Message: answer.Error.Message, Status: answer.Error.Status}
	for _, raw := range answer.Error.Details {
		var one detail
		if json.Unmarshal(raw, &one) == nil { // a kind that is formed otherwise says nothing to us
			e.Details = append(e.Details, one)
		}
	}
	return e
}

// says looks for a reason in the details and in what Google wrote.
func (e apiError) says(fragment string) bool {
	text := e.Message
	for _, d := range e.Details {
		text += "\n" + d.Reason
		for _, one := range d.Errors {
			text += "\n" + one.Message
		}
	}
	return strings.Contains(text, fragment)
}

// atService reports a refusal of this service's own project at Google: it is not approved, so that its quota is nothing, or
// the API is not enabled for it.
func (e apiError) atService() bool {
	for _, d := range e.Details {
		switch d.Reason {
		case "SERVICE_DISABLED", "BILLING_DISABLED", "CONSUMER_INVALID", "CONSUMER_SUSPENDED", "USER_PROJECT_DENIED":
			return true
		}
		if d.Metadata["quota_limit_value"] == "0" {
			return true
		}
	}
	return false
}

// failure classes an answer that is no success.
func (c *Connector) failure(response wire.Response) *platform.Failure {
	e, cause := apiErrorOf(response), response.Cause("refused")
	switch status := response.Status; {
	case status < 400, status >= 500, status == http.StatusRequestTimeout:
		return c.client.Unclear(response, "no clear refusal")
	case e.atService():
		return c.appRefused(cause)
	case status == http.StatusTooManyRequests:
		return c.client.RateLimited(c.until(response, e), cause)
	case status == http.StatusUnauthorized:
		return c.client.Refresh(cause)
	case e.Status == "", e.Status == "ABORTED", e.Status == "CANCELLED":
		return c.client.Unclear(response, "a passing fault, or not in the network's own form")
	case e.says("LOCATION_DISABLED_FOR_LOCAL_POST_API"):
		return c.client.Fail(platform.ClassRejected, CodeLocation, cause,
			"Google does not let this location be posted to through its API; this concerns some chains. Post in Google's own pages instead.")
	case status == http.StatusForbidden, status == http.StatusNotFound:
		// The role at the location was lost, or the location has moved to another account: it has to be chosen anew.
		return c.client.Reconnect(cause)
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"Google refused the post as invalid. Check its text, then publish it again.")
	}
}

func (c *Connector) appRefused(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassOperator, CodeAppAccess, cause,
		"Google does not let this service post at present. Its operator has to act; then publish the post again.")
}

// until finds when the limit that was hit ends.
func (c *Connector) until(response wire.Response, e apiError) time.Time {
	if until := c.client.RetryAfter(response.Header); !until.IsZero() {
		return until
	}
	for _, d := range e.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			return c.client.After(wait.Seconds())
		}
	}
	return c.client.Now().Add(limitWait)
}
