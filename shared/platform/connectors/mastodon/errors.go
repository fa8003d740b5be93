package mastodon

import (
	"net/http"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of Mastodon's refusals, in addition to those of the publish protocol.
const (
	CodeRefused = "CONTENT_REFUSED"
	CodeAccount = "ACCOUNT_RESTRICTED"
)

// problem is Mastodon's error format (docs.joinmastodon.org/entities/Error). Its texts are in the language of the
// account, so that only the status counts.
type problem struct {
	Error string `json:"error"`
}

// failure classifies an error response.
func failure(client *httpcall.Client, response httpcall.Response) *platform.Failure {
	var p problem
	readable := response.Decode(&p) == nil && p.Error != ""
	cause, status := response.Cause("refused"), response.Status
	switch {
	case status == http.StatusTooManyRequests:
		return client.RateLimited(limitEnd(client, response.Header), cause)
	case !readable, status < 400, status >= 500, status == http.StatusRequestTimeout:
		return client.Unclear(response, "no clear refusal")
	case status == http.StatusUnauthorized:
		return client.Reconnect(cause)
	case status == http.StatusForbidden && strings.Contains(p.Error, "scopes"):
		return client.Reconnect(cause)
	case status == http.StatusForbidden:
		return client.Fail(platform.ClassUser, CodeAccount, cause,
			"The Mastodon server has restricted this account. Sign in there, resolve it, then publish the post again.")
	default:
		return client.Fail(platform.ClassRejected, CodeRefused, cause,
			"The Mastodon server refused the post as invalid. Check its text and attachments, then publish it again.")
	}
}

// limitEnd returns the time at which a rate limit ends: a time in ISO 8601, or Retry-After.
func limitEnd(client *httpcall.Client, header http.Header) time.Time {
	at, err := time.Parse(time.RFC3339Nano, header.Get("X-RateLimit-Reset"))
	if err == nil {
		if after := client.After(at.Sub(client.Now()).Seconds()); !after.IsZero() {
			return after
		}
	}
	return client.RetryAfter(header)
}

// mediaFailure names the attachment in a refusal, counted from one.
func (s session) mediaFailure(number int, cause error) *platform.Failure {
	return s.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
		"The Mastodon server refused attachment %d. Replace it, then publish the post again.", number)
}
