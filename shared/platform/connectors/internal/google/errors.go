// Package google contains the parts shared by Google's APIs: the error format, the end of a rate limit, and the refresh
// of access tokens.
package google

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// limitWait is the wait after a rate limit whose end Google does not report. All limits are per minute.
const limitWait = time.Minute

// Error is Google's error format.
type Error struct {
	Message string
	Status  string   // empty: the response is not in Google's format
	Reasons []string // of the older format, which some APIs still use
	Details []Detail
}

// Detail holds the fields of the detail types that say more than the status.
type Detail struct {
	Reason     string            `json:"reason"`
	Metadata   map[string]string `json:"metadata"`
	RetryDelay string            `json:"retryDelay"`
	Errors     []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
	} `json:"errorDetails"`
}

// ErrorOf returns the error in a response, or the zero Error if there is none.
func ErrorOf(response httpcall.Response) Error {
	var result struct {
		Error struct {
			Message string            `json:"message"`
			Status  string            `json:"status"`
			Details []json.RawMessage `json:"details"`
			Errors  httpcall.Maybe[httpcall.Some[struct {
				Reason string `json:"reason"`
			}]] `json:"errors"`
		} `json:"error"`
	}
	if response.Decode(&result) != nil {
		return Error{}
	}
	e := Error{Message: result.Error.Message, Status: result.Error.Status}
	for _, one := range result.Error.Errors.Value {
		e.Reasons = append(e.Reasons, one.Reason)
	}
	for _, raw := range result.Error.Details {
		var one Detail
		if json.Unmarshal(raw, &one) == nil { // a detail of a different format is ignored
			e.Details = append(e.Details, one)
		}
	}
	return e
}

// Says reports whether the fragment occurs in the messages or in the reasons of the details.
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

// fieldPattern matches the name of a field, which may be shown to the tenant.
var fieldPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.]{0,40}$`)

// Fields returns the names of the invalid fields, each once, in Google's order (ValidationError.errorDetails).
func (e Error) Fields() []string {
	var fields []string
	for _, d := range e.Details {
		for _, one := range d.Errors {
			if fieldPattern.MatchString(one.Field) && !slices.Contains(fields, one.Field) {
				fields = append(fields, one.Field)
			}
		}
	}
	return fields
}

// AtService reports whether Google refused this service's own project: it is not approved and therefore has a quota of
// zero, or the API is not enabled for it.
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

// Has reports whether the error has one of the reasons, in either format.
func (e Error) Has(reasons ...string) bool {
	for _, reason := range reasons {
		if slices.Contains(e.Reasons, reason) || slices.ContainsFunc(e.Details,
			func(d Detail) bool { return d.Reason == reason }) {
			return true
		}
	}
	return false
}

// Until returns the time at which the rate limit ends.
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
