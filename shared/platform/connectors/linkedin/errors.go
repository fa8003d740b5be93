package linkedin

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of LinkedIn's refusals, in addition to those of the publish protocol.
const (
	CodeDuplicate     = platform.CodeDuplicate
	CodeRefused       = "CONTENT_REFUSED"
	CodeTooLong       = "CONTENT_TOO_LONG"
	CodeMediaNotReady = "MEDIA_NOT_READY"
	CodeAccount       = "ACCOUNT_RESTRICTED"
	CodeConflict      = "PLATFORM_CONFLICT"
	CodeForbidden     = "REFUSED_WITHOUT_REASON"
	CodeVersion       = "API_VERSION_ENDED"
	CodeAppAccess     = "APP_ACCESS_MISSING"
	CodeNoPage        = "NO_PAGE"
	CodeRole          = "ROLE_MISSING"
)

// shortWait is the wait after a rate limit whose end LinkedIn does not report. A daily limit ends at midnight UTC.
const shortWait = 5 * time.Minute

// problem is LinkedIn's error format.
type problem struct {
	Message          string          `json:"message"`
	Status           int             `json:"status"`
	Code             string          `json:"code"`
	ServiceErrorCode int             `json:"serviceErrorCode"`
	ErrorDetails     json.RawMessage `json:"errorDetails"`
}

// problemOf decodes the error. It returns false if the response is not in LinkedIn's format.
func problemOf(response httpcall.Response) (problem, bool) {
	var p problem
	if response.Decode(&p) != nil {
		return problem{}, false
	}
	return p, p.Status == response.Status || p.Code != "" || p.ServiceErrorCode != 0
}

// codes returns the error's code and those of its details.
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

// says reports whether one of the fragments occurs in the message.
func (p problem) says(fragments ...string) bool {
	text := strings.ToLower(p.Message)
	return slices.ContainsFunc(fragments, func(fragment string) bool { return strings.Contains(text, fragment) })
}

// aboutVersion reports whether LinkedIn requires another version of the API.
func (p problem) aboutVersion() bool {
	return p.has("VERSION_MISSING") || p.has("NONEXISTENT_VERSION") || p.has("INVALID_VERSION")
}

// passing reports whether the message is one of those that LinkedIn returns for a refusal that does not last, in any
// status. Others have found that a later try succeeds.
func (p problem) passing() bool {
	return p.says("resource is forbidden", "unable to obtain activity")
}

// failure classifies an error response. A refused post is classified by refused.
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
			"LinkedIn no longer accepts the version of its API that this service uses. Its operator has to act; then publish "+
				"the post again.")
	case status < 400, status >= 500, status == http.StatusRequestTimeout, !readable:
		return c.client.Unclear(response, "no clear refusal")
	case p.has("MEDIA_ASSET_WAITING_UPLOAD"):
		return c.client.Fail(platform.ClassTransient, CodeMediaNotReady, cause,
			"LinkedIn is still processing an attachment of the post.")
	case p.has("MEDIA_ASSET_PROCESSING_FAILED"):
		return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
			"LinkedIn could not process an attachment of the post. Replace it, then publish the post again.")
	case p.has("DUPLICATE_POST"), p.says("duplicate of urn:li:"):
		return c.duplicate(p, cause)
	case status == http.StatusForbidden && p.says("is restricted", "been restricted", "suspended", "deactivated"):
		return c.client.Fail(platform.ClassUser, CodeAccount, cause,
			"LinkedIn has restricted this account. Sign in to LinkedIn, resolve it there, then publish the post again.")
	case status == http.StatusConflict, p.passing():
		return c.client.Fail(platform.ClassTransient, CodeConflict, cause,
			"LinkedIn could not accept the post at this moment.")
	case status == http.StatusForbidden, status == http.StatusNotFound:
		return c.client.Reconnect(cause)
	case p.has("FIELD_LENGTH_TOO_LONG"), p.says("exceeded the maximum allowed"):
		return c.client.Fail(platform.ClassRejected, CodeTooLong, cause,
			"LinkedIn says that the post is too long. Shorten it, then publish it again.")
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"LinkedIn refused the post as invalid. Check its text and links, then publish it again.")
	}
}

var namedPost = regexp.MustCompile(`urn:li:(?:share|ugcPost|activity):[0-9]{1,20}\b`)

// duplicate returns the failure for a text that the account has posted within the last hours or days. LinkedIn names
// the existing post. This call has published nothing, but an earlier call of the same post may have. On a page, the
// list decides that. On a profile, nothing does: the existing post may belong to another post with the same text, or
// may have been deleted since. The message therefore contains its link.
func (c *Connector) duplicate(p problem, cause error) *platform.Failure {
	class, where, remedy := platform.ClassRejected, "", " Check it first; change the text before you publish it again."
	if c.kind.listed { // the service checks the list itself
		class, remedy = platform.ClassUnknown, ""
	}
	if urn := namedPost.FindString(p.Message); urn != "" {
		where = " (" + c.publication(urn).URL + ")"
	}
	return c.client.Fail(class, CodeDuplicate, cause,
		"LinkedIn refused the post because this account has posted the same text already%s.%s", where, remedy)
}

// until returns the time at which the rate limit ends.
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
