// Package graph is what Meta's APIs have in common, Facebook's, Instagram's and Threads': the shape of their errors, the
// codes that mean the same on each of them, how a rate limit says when it ends, and their form of a time.
package graph

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Error is Meta's error shape.
type Error struct {
	Message     string `json:"message"`
	Type        string `json:"type"`
	Code        int    `json:"code"` // zero: the answer is not in Meta's form
	Subcode     int    `json:"error_subcode"`
	UserTitle   string `json:"error_user_title"`
	UserMessage string `json:"error_user_msg"`
	Transient   bool   `json:"is_transient"` // a hint, not a promise
}

// ErrorOf reads the error of an answer; zero when it holds none.
func ErrorOf(response httpcall.Response) Error {
	var answer struct {
		Error Error `json:"error"`
	}
	if response.Decode(&answer) != nil {
		return Error{}
	}
	return answer.Error
}

// Is reports whether the code or the subcode is one of the numbers: the long ones have been seen in either place.
func (e Error) Is(numbers ...int) bool {
	return slices.Contains(numbers, e.Code) || slices.Contains(numbers, e.Subcode)
}

// Says looks for a fragment of capitals in what Meta wrote.
func (e Error) Says(fragment string) bool {
	return strings.Contains(strings.ToUpper(strings.Join([]string{e.Message, e.Type, e.UserTitle, e.UserMessage}, "\n")), fragment)
}

// Missing reports an object that does not exist, or not for this token.
func (e Error) Missing() bool {
	const subcodeNoObject = 33
	return e.Code == codeParameter && e.Subcode == subcodeNoObject
}

// Until finds when the limit that was hit ends; zero when the answer does not say.
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

// ParseTime reads Meta's form of a time, whose offset has no colon, and the usual one.
func ParseTime(text string) (time.Time, error) {
	if at, err := time.Parse("2006-01-02T15:04:05-0700", text); err == nil {
		return at, nil
	}
	return time.Parse(time.RFC3339, text)
}
