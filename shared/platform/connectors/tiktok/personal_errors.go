package tiktok

import (
	"net/http"
	"regexp"
	"time"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Waits after limits whose end TikTok does not report.
const (
	// minuteWait is the wait after a limit on calls, which is per minute.
	minuteWait = time.Minute
	// quotaWait is the wait after a limit on posts, which is per rolling day.
	quotaWait = time.Hour
)

// Codes of the Content Posting API.
const (
	personalOK      = "ok"
	codeScope       = "scope_not_authorized"
	codeScopeMissed = "scope_permission_missed"
)

// personalError is the error format of the Content Posting API. Successful responses have it too.
type personalError struct {
	Code string `json:"code"`
}

// scope reports whether the user has not granted the permission that the call needs.
func (e personalError) scope() bool { return e.Code == codeScope || e.Code == codeScopeMissed }

var codePattern = regexp.MustCompile(`^[a-z0-9_]{1,100}$`)

// printed returns the code for the log. The body of an HTTP 200 is not logged, so a failure with that status would
// otherwise have no reason in the log.
func printed(code string) string {
	if !codePattern.MatchString(code) {
		return "no known code"
	}
	return code
}

// failure classifies an error response, by its code first: TikTok's statuses do not distinguish the cases.
func (p *Personal) failure(response httpcall.Response, e personalError) *platform.Failure {
	cause := response.Cause("refused with " + printed(e.Code))
	switch e.Code {
	case "access_token_invalid":
		return p.client.Refresh(cause)
	case codeScope, codeScopeMissed:
		return p.client.Reconnect(cause)
	case "rate_limit_exceeded":
		return p.client.RateLimited(until(p.client, response.Header, minuteWait), cause)
	case "spam_risk_too_many_posts", "spam_risk_too_many_pending_share", "reached_active_user_cap":
		return p.client.RateLimited(until(p.client, response.Header, quotaWait), cause)
	case "spam_risk_user_banned_from_posting":
		return p.client.Fail(platform.ClassUser, CodeAccount, cause,
			"TikTok has barred this account from posting. Open TikTok, resolve it there, then publish the post again.")
	case "unaudited_client_can_only_post_to_private_accounts":
		return appAccess(p.client, cause)
	}
	switch status := response.Status; {
	case status == http.StatusTooManyRequests:
		return p.client.RateLimited(until(p.client, response.Header, minuteWait), cause)
	case status == http.StatusUnauthorized:
		return p.client.Refresh(cause)
	case e.Code == "", e.Code == personalOK, e.Code == "internal_error", status >= 500, status == http.StatusRequestTimeout:
		return p.client.Unclear(response, "no clear refusal: "+printed(e.Code))
	default:
		return refused(p.client, cause)
	}
}

// until returns the end of a limit: the time in the header, or else the usual wait from now.
func until(client *httpcall.Client, header http.Header, usual time.Duration) time.Time {
	if at := client.RetryAfter(header); !at.IsZero() {
		return at
	}
	return client.Now().Add(usual)
}
