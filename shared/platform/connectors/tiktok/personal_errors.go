package tiktok

import (
	"net/http"
	"regexp"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
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
		return barred(p.client, cause)
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

// codeOf returns the code of an error response; empty if it is not in TikTok's format.
func codeOf(response httpcall.Response) string {
	var result struct {
		Error personalError `json:"error"`
	}
	if response.Decode(&result) != nil {
		return ""
	}
	return result.Error.Code
}

// refusal classifies an error response to a call about a post, by its code first. HTTP 200 may carry one too.
func (p *Personal) refusal(response httpcall.Response, code string) *platform.Failure {
	if failure := postFailure(p.client, response, code); failure != nil {
		return failure
	}
	failure := p.failure(response, personalError{Code: code})
	if failure.Code == CodeRefused {
		return invalidPost(failure)
	}
	return failure
}

// invalidPost is the failure for a refusal without a reason that people can act on.
func invalidPost(failure *platform.Failure) *platform.Failure {
	failure.Code = CodeContentRefused
	failure.Message = "TikTok refused the post as invalid. Check its text, files and options, then publish it again."
	return failure
}

// postFailure returns the failure for a code that both products have for posts; nil for any other code.
func postFailure(client *httpcall.Client, response httpcall.Response, code string) *platform.Failure {
	cause := response.Cause("refused with " + printed(code))
	switch code {
	case "spam_risk_too_many_posts", "spam_risk_too_many_pending_share":
		failure := client.RateLimited(until(client, response.Header, quotaWait), cause)
		failure.Message = "TikTok accepts no more posts or drafts of this account for now: about 15 posts in 24 hours, and 5 " +
			"pending drafts."
		return failure
	case "reached_active_user_cap":
		return client.Fail(platform.ClassOperator, CodeAppAccess, cause,
			"TikTok allows this service no more accounts today. Publish the post again tomorrow, or have its operator ask "+
				"TikTok for more.")
	case "spam_risk_user_banned_from_posting":
		return barred(client, cause)
	case "unaudited_client_can_only_post_to_private_accounts":
		return client.Fail(platform.ClassOperator, CodeUnaudited, cause,
			"TikTok has not audited the app of this service, which can therefore post to private accounts only. Have the app "+
				"audited, or switch the TikTok account to private and publish with the privacy SELF_ONLY or as a draft.")
	case "app_version_check_failed":
		return client.Fail(platform.ClassUser, CodeAppOutdated, cause,
			"The TikTok app of this account is too old for posts like this one. Update it on the account's phone, then publish "+
				"the post again.")
	case "url_ownership_unverified":
		return client.Fail(platform.ClassOperator, CodeAppAccess, cause,
			"TikTok fetches files only from addresses that are verified for the app of this service. Its operator has to "+
				"verify the address of its files; then publish the post again.")
	case "privacy_level_option_mismatch":
		return client.Fail(platform.ClassUser, CodePrivateAccount, cause,
			"This TikTok account no longer offers the privacy of the post. Choose another one, or set uploadToDraft, then "+
				"publish the post again.")
	case "spam_risk", "spam_risk_text":
		return client.Fail(platform.ClassRejected, CodeContentRefused, cause,
			"TikTok refused the post as a risk of spam. Change it, then publish it again.")
	case "file_format_check_failed", "duration_check_failed", "frame_rate_check_failed", "picture_size_check_failed",
		"invalid_file_upload":
		return reasonFailure(client, code)
	default:
		return nil
	}
}

// until returns the end of a limit: the time in the header, or else the usual wait from now.
func until(client *httpcall.Client, header http.Header, usual time.Duration) time.Time {
	if at := client.RetryAfter(header); !at.IsZero() {
		return at
	}
	return client.Now().Add(usual)
}
