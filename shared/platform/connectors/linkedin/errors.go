package linkedin

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Codes that LinkedIn's refusals get beside those of the publish protocol.
const (
	CodeDuplicate   = platform.CodeDuplicate
	CodeRefused     = "CONTENT_REFUSED"
	CodeTooLong     = "CONTENT_TOO_LONG"
	CodeAttachments = "MEDIA_NOT_SUPPORTED"
	CodeAccount     = "ACCOUNT_RESTRICTED"
	CodeConflict    = "PLATFORM_CONFLICT"
	CodeVersion     = "API_VERSION_ENDED"
	CodeAppAccess   = "APP_ACCESS_MISSING"
	CodeNoPage      = "NO_PAGE"
)

// shortWait is how long a rate limit is left alone when LinkedIn does not say; a limit of the day ends at midnight UTC.
const shortWait = 5 * time.Minute

// problem is LinkedIn's error shape.
type problem struct {
	Message          string          `json:"message"`
	Status           int             `json:"status"`
	Code             string          `json:"code"`
	ServiceErrorCode int             `json:"serviceErrorCode"`
	ErrorDetails     json.RawMessage `json:"errorDetails"`
}

// problemOf reads the error; false when it is not in LinkedIn's form.
func problemOf(response httpcall.Response) (problem, bool) {
	var p problem
	if response.Decode(&p) != nil {
		return problem{}, false
	}
	return p, p.Status == response.Status || p.Code != "" || p.ServiceErrorCode != 0
}

// codes are the error's code and those of its details.
func (p problem) codes() []string {
	var details struct {
		InputErrors []struct {
			Code string `json:"code"`
		} `json:"inputErrors"`
	}
	codes := []string{p.Code}
	if json.Unmarshal(p.ErrorDetails, &details) == nil {
		for _, e := range details.InputErrors {
			codes = append(codes, e.Code)
		}
	}
	return codes
}

func (p problem) has(code string) bool { return slices.Contains(p.codes(), code) }

// says looks for a fragment in what LinkedIn wrote for people.
func (p problem) says(fragments ...string) bool {
	text := strings.ToLower(p.Message)
	return slices.ContainsFunc(fragments, func(fragment string) bool { return strings.Contains(text, fragment) })
}

// aboutVersion reports that LinkedIn wants another version of the API.
func (p problem) aboutVersion() bool {
	return p.has("VERSION_MISSING") || p.has("NONEXISTENT_VERSION") || p.has("INVALID_VERSION")
}

// failure classes an answer that is no success.
func (c *Connector) failure(account platform.Account, response httpcall.Response) *platform.Failure {
	p, readable := problemOf(response)
	cause := response.Cause("refused")
	switch status := response.Status; {
	case status == http.StatusUnauthorized && account.Credentials.RefreshToken == "":
		return c.client.Reconnect(cause)
	case status == http.StatusUnauthorized:
		return c.client.Refresh(cause)
	case status == http.StatusTooManyRequests:
		return c.client.RateLimited(c.until(response.Header, p), cause)
	case status == http.StatusUpgradeRequired, status < 500 && p.aboutVersion():
		return c.client.Fail(platform.ClassOperator, CodeVersion, cause,
			"LinkedIn no longer takes the version of its API that this service uses. Its operator has to act; then publish the post again.")
	case status < 400, status >= 500, status == http.StatusRequestTimeout, !readable:
		return c.client.Unclear(response, "no clear refusal")
	case p.has("DUPLICATE_POST"), p.says("duplicate of urn:li:"):
		return c.duplicate(p, cause)
	case status == http.StatusForbidden && p.says("is restricted", "been restricted", "suspended", "deactivated"):
		return c.client.Fail(platform.ClassUser, CodeAccount, cause,
			"LinkedIn has restricted this account. Sign in to LinkedIn, resolve it there, then publish the post again.")
	case status == http.StatusForbidden, status == http.StatusNotFound:
		return c.client.Reconnect(cause)
	case status == http.StatusConflict:
		return c.client.Fail(platform.ClassTransient, CodeConflict, cause,
			"LinkedIn could not take the post at this moment.")
	case p.has("FIELD_LENGTH_TOO_LONG"), p.says("exceeded the maximum allowed"):
		return c.client.Fail(platform.ClassRejected, CodeTooLong, cause,
			"LinkedIn says that the post is too long. Shorten it, then publish it again.")
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"LinkedIn refused the post as invalid. Check its text and links, then publish it again.")
	}
}

var namedPost = regexp.MustCompile(`urn:li:(?:share|ugcPost|activity):[0-9]{1,20}\b`)

// duplicate is the refusal of a text that the account has posted within the last hours or days; LinkedIn names the post. This
// call has published nothing; an earlier one of the same post may have. On a page the list decides that. On a profile nothing
// can: the named post may as well belong to another post of the same text, or be deleted by now, so the person gets its link.
func (c *Connector) duplicate(p problem, cause error) *platform.Failure {
	class, where, remedy := platform.ClassRejected, "", " Look there first; change the text before you publish it again."
	if c.kind.listed { // the service looks there itself
		class, remedy = platform.ClassUnknown, ""
	}
	if urn := namedPost.FindString(p.Message); urn != "" {
		where = " (" + c.publication(urn).URL + ")"
	}
	return c.client.Fail(class, CodeDuplicate, cause,
		"LinkedIn refused the post because this account has posted the same text already%s.%s", where, remedy)
}

// until finds when the limit that was hit ends.
func (c *Connector) until(header http.Header, p problem) time.Time {
	now := c.client.Now().UTC()
	switch after := c.client.RetryAfter(header); {
	case p.says("day limit", "daily", "per day"):
		return now.Truncate(24*time.Hour).AddDate(0, 0, 1)
	case !after.IsZero():
		return after
	default:
		return now.Add(shortWait)
	}
}
