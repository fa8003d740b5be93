// Package google is what Google's APIs have in common: the shape of their errors, how a rate limit says when it ends, and how
// access is renewed.
package google

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// limitWait is how long a limit is left alone whose end Google does not tell: all of them count by the minute.
const limitWait = time.Minute

// Error is Google's error shape.
type Error struct {
	Message string
	Status  string   // empty: the answer is not in Google's form
	Reasons []string // of the older form, which some APIs still have
	Details []Detail
}

// Detail is what the kinds of details have that say more than the status.
type Detail struct {
	Reason     string            `json:"reason"`
	Metadata   map[string]string `json:"metadata"`
	RetryDelay string            `json:"retryDelay"`
	Errors     []struct {
		Message string `json:"message"`
	} `json:"errorDetails"`
}

// ErrorOf reads the error of an answer; zero when it holds none.
func ErrorOf(response httpcall.Response) Error {
	var answer struct {
		Error struct {
			Message string            `json:"message"`
			Status  string            `json:"status"`
			Details []json.RawMessage `json:"details"`
			Errors  httpcall.Maybe[httpcall.Some[struct {
				Reason string `json:"reason"`
			}]] `json:"errors"`
		} `json:"error"`
	}
	if response.Decode(&answer) != nil {
		return Error{}
	}
	e := Error{Message: answer.Error.Message, Status: answer.Error.Status}
	for _, one := range answer.Error.Errors.Value {
		e.Reasons = append(e.Reasons, one.Reason)
	}
	for _, raw := range answer.Error.Details {
		var one Detail
		if json.Unmarshal(raw, &one) == nil { // a kind that is formed otherwise says nothing to us
			e.Details = append(e.Details, one)
		}
	}
	return e
}

// Says looks for a reason in the details and in what Google wrote.
func (e Error) Says(fragment string) bool {
	text := e.Message
	for _, d := range e.Details {
		text += "\n" + d.Reason
		for _, one := range d.Errors {
			text += "\n" + one.Message
		}
	}
	return strings.Contains(text, fragment)
}

// AtService reports a refusal of this service's own project at Google: it is not approved, so that its quota is nothing, or
// the API is not enabled for it.
func (e Error) AtService() bool {
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

// Has reports one of the reasons, in either form.
func (e Error) Has(reasons ...string) bool {
	for _, reason := range reasons {
		if slices.Contains(e.Reasons, reason) || slices.ContainsFunc(e.Details, func(d Detail) bool { return d.Reason == reason }) {
			return true
		}
	}
	return false
}

// Until finds when the limit that was hit ends.
func Until(client *httpcall.Client, response httpcall.Response, e Error) time.Time {
	if until := client.RetryAfter(response.Header); !until.IsZero() {
		return until
	}
	for _, d := range e.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			return client.After(wait.Seconds())
		}
	}
	return client.Now().Add(limitWait)
}
