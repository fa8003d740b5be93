// Package graph contains the parts shared by Meta's APIs (Facebook, Instagram and Threads): the error format, the error
// codes that mean the same in each API, the end of a rate limit, and the time format.
//
// It also has what publishing on Instagram and Threads shares. The connector creates a container, which is invisible and
// lives for a day. The network fetches the container's media. Then the connector publishes it. A post with several media
// has an additional container for each of them, which must be finished before the container of the post is created. The
// post's handle records the existing containers, so that the preparation continues from the last step after any
// interruption.
package graph

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Error is Meta's error format.
type Error struct {
	Message     string `json:"message"`
	Type        string `json:"type"`
	Code        int    `json:"code"` // zero: the response is not in Meta's format
	Subcode     int    `json:"error_subcode"`
	UserTitle   string `json:"error_user_title"`
	UserMessage string `json:"error_user_msg"`
	Transient   bool   `json:"is_transient"` // a hint, not a guarantee
}

// ErrorOf returns the error in a response, or the zero Error if there is none.
func ErrorOf(response httpcall.Response) Error {
	var result struct {
		Error Error `json:"error"`
	}
	if response.Decode(&result) != nil {
		return Error{}
	}
	return result.Error
}

// Is reports whether the code or the subcode is one of the numbers. The long numbers occur in either field.
func (e Error) Is(numbers ...int) bool {
	return slices.Contains(numbers, e.Code) || slices.Contains(numbers, e.Subcode)
}

// Says reports whether the upper-case fragment occurs in the error's texts, ignoring their case.
func (e Error) Says(fragment string) bool {
	return strings.Contains(strings.ToUpper(strings.Join([]string{e.Message, e.Type, e.UserTitle, e.UserMessage}, "\n")),
		fragment)
}

// Missing reports whether the object does not exist, or is not accessible with this token.
func (e Error) Missing() bool {
	const subcodeNoObject = 33
	return e.Code == codeParameter && e.Subcode == subcodeNoObject
}

// denied reports whether the error is Meta's text for a missing permission, which has the code of an invalid parameter:
// "(#100) Object does not exist, cannot be loaded due to missing permission or reviewable feature, or does not support
// this operation". With the subcode of a missing object, the same text is about the object.
func (e Error) denied() bool {
	return e.Code == codeParameter && !e.Missing() &&
		(e.Says("MISSING PERMISSION") || e.Says("DOES NOT EXIST, CANNOT BE LOADED") || e.Says("NO PERMISSION TO PUBLISH"))
}

// Until returns the time at which the rate limit ends, or zero if the response does not contain it.
func Until(client *httpcall.Client, header http.Header) time.Time {
	if until := client.RetryAfter(header); !until.IsZero() {
		return until
	}
	var usage map[string][]struct {
		Minutes float64 `json:"estimated_time_to_regain_access"`
	}
	if json.Unmarshal([]byte(header.Get("X-Business-Use-Case-Usage")), &usage) != nil {
		return time.Time{}
	}
	longest := 0.0
	for _, uses := range usage {
		for _, use := range uses {
			longest = max(longest, use.Minutes)
		}
	}
	return client.After(longest * time.Minute.Seconds())
}

// ParseTime parses Meta's time format, whose offset has no colon, and RFC 3339.
func ParseTime(text string) (time.Time, error) {
	if at, err := time.Parse("2006-01-02T15:04:05-0700", text); err == nil {
		return at, nil
	}
	return time.Parse(time.RFC3339, text)
}
