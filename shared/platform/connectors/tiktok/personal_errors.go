package tiktok

import (
	"net/http"
	"regexp"
	"time"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Waits for limits whose end TikTok does not tell.
const (
	// minuteWait is that of the limits on calls, which count by the minute.
	minuteWait = time.Minute
	// quotaWait is that of the limits on posts, which count over a rolling day.
	quotaWait = time.Hour
)

// Codes of the Content Posting API.
const (
	personalOK      = "ok"
	codeScope       = "scope_not_authorized"
	codeScopeMissed = "scope_permission_missed"
)

// personalError is the error shape of the Content Posting API; success has it too.
type personalError struct {
	Code string `json:"code"`
}

// scope reports that the person has not granted what the call needs.
func (e personalError) scope() bool { return e.Code == codeScope || e.Code == codeScopeMissed }

var codePattern = regexp.MustCompile(`^[a-z0-9_]{1,100}$`)

// printed is the code as it may enter a log. The wire keeps the body of an HTTP 200 out of logs, and with it the reason of
// a failure that comes so.
func printed(code string) string {
	if !codePattern.MatchString(code) {
		return "no known code"
	}
	return code
}

// failure classes an answer that is no success, by its own word first: TikTok's statuses do not tell the cases apart.
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

// until is the end of a limit: what the header says, else the usual wait from now.
func until(client *httpcall.Client, header http.Header, usual time.Duration) time.Time {
	if at := client.RetryAfter(header); !at.IsZero() {
		return at
	}
	return client.Now().Add(usual)
}
