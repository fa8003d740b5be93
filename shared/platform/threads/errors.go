package threads

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/wire"
)

// Codes that Threads' refusals get beside those of the publish protocol.
const (
	CodeRefused     = "CONTENT_REFUSED"
	CodeTooMuchLink = "TOO_MANY_LINKS"
	CodeFeature     = "FEATURE_NOT_AVAILABLE"
	CodeAccount     = "ACCOUNT_RESTRICTED"
	CodeNotReady    = "CONTAINER_NOT_READY"
)

// quotaWait is how long a used-up quota of posts is left alone: it is a rolling day, and Threads does not say when
// the next post fits in.
const quotaWait = time.Hour

var (
	errUnknownStatus   = errors.New("the container has a status that is not known")
	errContainerFailed = errors.New("the container failed")
)

// graphError is Meta's error shape.
type graphError struct {
	Message     string `json:"message"`
	Type        string `json:"type"`
	Code        int    `json:"code"`
	Subcode     int    `json:"error_subcode"`
	UserTitle   string `json:"error_user_title"`
	UserMessage string `json:"error_user_msg"`
	Transient   bool   `json:"is_transient"`
}

// Codes of Meta's errors (fact of the API, no common names exist).
const (
	codeUnknown      = 1
	codeService      = 2
	codeAppLimit     = 4
	codeQuota        = 9
	codePermission   = 10
	codeUserLimit    = 17
	codeNotFound     = 24
	codePageLimit    = 32
	codeParameter    = 100
	codeSession      = 102
	codeToken        = 190
	codeScopeFirst   = 200
	codeScopeLast    = 299
	codeCustomLimit  = 613
	subcodeNoObject  = 33
	subcodeNotReady  = 4279009
	subcodeAccount   = 4279013
	subcodeAccountIG = 2207051
)

func graphErrorOf(response wire.Response) graphError {
	var answer struct {
		Error graphError `json:"error"`
	}
	if response.Decode(&answer) != nil {
		return graphError{}
	}
	return answer.Error
}

// missing reports an object that Threads does not know.
func (e graphError) missing() bool {
	return e.Code == codeParameter && e.Subcode == subcodeNoObject || e.Code == codeNotFound && e.Subcode != subcodeNotReady
}

func (e graphError) says(fragment string) bool {
	return strings.Contains(strings.ToUpper(strings.Join([]string{e.Message, e.Type, e.UserTitle, e.UserMessage}, "\n")), fragment)
}

// revoked reports a token that no refresh can save: the person removed the app, changed the password, was checked.
func (e graphError) revoked() bool {
	switch e.Subcode {
	case 458, 459, 460, 464:
		return true
	default:
		return false
	}
}

// failure classes an answer that is no success.
//
// Threads asks for a new sign-in when a token has expired; one refresh is tried before, which costs a call and saves
// the person the trip when the token was only renewed elsewhere.
func (c *Connector) failure(response wire.Response) *platform.Failure {
	e, cause := graphErrorOf(response), response.Cause("refused")
	switch code := e.Code; {
	case response.Status < 400, response.Status >= 500, response.Status == http.StatusRequestTimeout:
		return c.client.Unclear(response, "no clear refusal")
	case code == codeToken && e.revoked():
		return c.client.Reconnect(cause)
	case code == codeToken, code == codeSession, response.Status == http.StatusUnauthorized:
		return c.client.Refresh(cause)
	case code == codePermission, code >= codeScopeFirst && code <= codeScopeLast:
		return c.client.Reconnect(cause)
	case code == codeQuota:
		return c.client.RateLimited(c.client.Now().Add(quotaWait), cause)
	case code == codeAppLimit, code == codeUserLimit, code == codePageLimit, code == codeCustomLimit,
		response.Status == http.StatusTooManyRequests:
		return c.client.RateLimited(c.until(response.Header), cause)
	case code == 0, code == codeUnknown, code == codeService, e.Transient:
		return c.client.Unclear(response, "a passing fault, or not in the network's own form")
	default:
		return c.refused(e, cause)
	}
}

func (c *Connector) refused(e graphError, cause error) *platform.Failure {
	switch {
	case e.Subcode == subcodeNotReady, e.missing():
		return c.client.Fail(platform.ClassTransient, CodeNotReady, cause,
			"Threads has not finished preparing the post; the service will try again.")
	case e.Subcode == subcodeAccount, e.Subcode == subcodeAccountIG:
		return c.client.Fail(platform.ClassUser, CodeAccount, cause,
			"Threads has restricted this account. Open Threads, resolve it there, then publish the post again.")
	case e.says("THREADS_API__LINK_LIMIT_EXCEEDED"):
		return c.client.Fail(platform.ClassRejected, CodeTooMuchLink, cause,
			"The post has more links than Threads allows (%d). Remove some, then publish it again.", linkLimit)
	case e.says("THREADS_API__FEATURE_NOT_AVAILABLE"):
		return c.client.Fail(platform.ClassRejected, CodeFeature, cause,
			"Threads does not offer this kind of post to this account yet.")
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"Threads refused the post. Check its text and links, then publish it again.")
	}
}

// until finds when the limit that was hit ends.
func (c *Connector) until(header http.Header) time.Time {
	if until := c.client.RetryAfter(header); !until.IsZero() {
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
	return c.client.After(longest * time.Minute.Seconds())
}
