package bluesky

import (
	"net/http"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of Bluesky's refusals, in addition to those of the publish protocol.
const (
	CodeRefused = "CONTENT_REFUSED"
	CodeAccount = "ACCOUNT_RESTRICTED"
	CodeEmail   = "EMAIL_UNCONFIRMED"
	CodeProfile = "PROFILE_MISSING"
)

// problem is the error format of XRPC (atproto.com/specs/xrpc, Error Responses).
type problem struct {
	Error   string `json:"error"`
	Message string `json:"message"`
}

// readProblem returns the error of a response. It returns false if the response is not in the format.
func readProblem(response httpcall.Response) (problem, bool) {
	var p problem
	return p, response.Decode(&p) == nil && p.Error != ""
}

// failure classifies an error response.
func failure(client *httpcall.Client, response httpcall.Response) *platform.Failure {
	p, readable := readProblem(response)
	cause, status := response.Cause("refused"), response.Status
	switch {
	case status == http.StatusTooManyRequests:
		return client.RateLimited(limitEnd(client, response.Header), cause)
	case !readable, status < 400, status >= 500, status == http.StatusRequestTimeout:
		return client.Unclear(response, "no clear refusal")
	}
	switch p.Error {
	case "AccountTakedown", "AccountSuspended", "AccountDeactivated", "RepoTakendown", "RepoSuspended", "RepoDeactivated":
		return client.Fail(platform.ClassUser, CodeAccount, cause,
			"Bluesky has restricted or deactivated this account. Sign in to Bluesky, resolve it there, then publish the post "+
				"again.")
	case "ExpiredToken", "InvalidToken", "AuthenticationRequired", "AuthMissing":
		return client.Refresh(cause)
	case "BlobNotFound":
		return client.Fail(platform.ClassTransient, platform.CodeMediaNotUploaded, cause,
			"Bluesky no longer has the attachments of the post.")
	case "BlobTooLarge", "InvalidMimeType", "PayloadTooLarge":
		return client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
			"Bluesky refused an attachment. Replace it, then publish the post again.")
	}
	switch {
	case status == http.StatusUnauthorized:
		return client.Refresh(cause)
	case status == http.StatusForbidden:
		return client.Reconnect(cause)
	case strings.HasPrefix(p.Message, "Could not find blob"):
		return client.Fail(platform.ClassTransient, platform.CodeMediaNotUploaded, cause,
			"Bluesky no longer has the attachments of the post.")
	default:
		return client.Fail(platform.ClassRejected, CodeRefused, cause,
			"Bluesky refused the post as invalid. Check its text and attachments, then publish it again.")
	}
}

// mediaFailure names the attachment in a refusal, counted from one.
func (s session) mediaFailure(number int, cause error) *platform.Failure {
	return s.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
		"Bluesky refused attachment %d. Replace it, then publish the post again.", number)
}

// limitEnd returns the time at which a rate limit ends, from the header that Bluesky documents, or from Retry-After.
func limitEnd(client *httpcall.Client, header http.Header) time.Time {
	if at := client.ResetAt(header, "ratelimit-reset"); !at.IsZero() {
		return at
	}
	return client.RetryAfter(header)
}
