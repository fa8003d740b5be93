package instagram

import (
	"fmt"
	"regexp"
	"strconv"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of Instagram's refusals, in addition to those of the publish protocol.
const (
	CodeRefused     = "CONTENT_REFUSED"
	CodeCaption     = "CAPTION_REFUSED"
	CodeUnreachable = "MEDIA_UNREACHABLE"
	CodeAccount     = "ACCOUNT_RESTRICTED"
	CodeNotReady    = graph.CodeNotReady
	CodeStale       = graph.CodeStale
)

// longestReason is the maximum length of a failed container's text in a log, in characters.
const longestReason = 200

// missing reports whether Instagram does not know the object. For a container, the error means only that it is gone.
func missing(e graph.Error) bool { return e.Missing() }

// failure classifies an error response.
func (c *Connector) failure(response httpcall.Response) *platform.Failure {
	e, cause := graph.ErrorOf(response), response.Cause("refused")
	meaning := e.Meaning(response.Status)
	if meaning == graph.NoRefusal {
		return c.client.Unclear(response, "no clear refusal")
	}
	// Instagram's own codes are more specific than the shared meanings.
	if own, ok := faultOf(e.Subcode, e.Code); ok {
		switch own { //nolint:exhaustive // the others do not depend on the call
		case faultPassing:
			return c.client.Unclear(response, "a passing fault")
		case faultSpam:
			return c.suspected(c.client.Unclear(response, "a passing fault, or a suspicion of spam"))
		}
		return c.own(own, cause)
	}
	switch meaning {
	case graph.NoRefusal, graph.Passing:
		return c.client.Unclear(response, "a passing fault, or not in the network's own form")
	case graph.Expired:
		return c.client.Refresh(cause)
	case graph.Revoked, graph.Forbidden:
		return c.client.Reconnect(cause)
	case graph.Checkpoint, graph.Blocked:
		return c.own(faultAccount, cause)
	case graph.Quota:
		return c.own(faultQuota, cause)
	case graph.Limited:
		return c.client.RateLimited(graph.Until(c.client, response.Header), cause)
	case graph.Specific:
	}
	if e.Missing() { // the account is missing: a missing container has its own codes
		return c.client.Reconnect(cause)
	}
	if e.Code < 0 { // internal errors of Instagram
		return c.client.Unclear(response, "a passing fault")
	}
	return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
		"Instagram refused the post. Check its text and files, then publish it again.")
}

// numberPattern matches the error code in the text of a failed container.
var numberPattern = regexp.MustCompile(`\b2207[0-9]{3}\b`)

// containerFailure classifies Instagram's report on a failed container. A new container may succeed if the failure is
// passing, which includes a report without a code.
func (c *Connector) containerFailure(status string) (failure *platform.Failure, passing bool) {
	cause := fmt.Errorf("the container failed: %q", httpcall.Text(status, longestReason))
	number, _ := strconv.Atoi(numberPattern.FindString(status))
	own, ok := faultOf(number)
	switch {
	case number == 0, own == faultPassing && ok:
		return c.client.Unavailable(cause), true
	case own == faultSpam && ok:
		return c.own(own, cause), true
	case !ok:
		return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
			"Instagram could not process a file of the post. Convert or replace it, then publish the post again."), false
	}
	return c.own(own, cause), own == faultFetch || own == faultNotReady || own == faultStale
}

// suspected words the failure of code 2207001. Meta documents it as an error of its servers, but others have seen it
// for posts that Instagram took for spam. The message is that of the post's error if the fault repeats until the
// retries are used up.
func (c *Connector) suspected(failure *platform.Failure) *platform.Failure {
	failure.Message = "Instagram reported a fault of its own, which can also mean that it takes the post for spam."
	return failure
}

// own returns the failure for a fault that Instagram has a code for.
func (c *Connector) own(f fault, cause error) *platform.Failure {
	switch f {
	case faultPassing:
		return c.client.Unavailable(cause)
	case faultSpam:
		return c.suspected(c.client.Unavailable(cause))
	case faultFetch:
		return c.client.Fail(platform.ClassTransient, CodeUnreachable, cause, "Instagram could not fetch a file of the post.")
	case faultNotReady:
		return c.client.Fail(platform.ClassTransient, CodeNotReady, cause, "Instagram has not finished preparing the post.")
	case faultStale:
		return c.client.Fail(platform.ClassTransient, CodeStale, cause, "Instagram no longer has the prepared post.")
	case faultQuota:
		return c.client.RateLimited(c.client.Now().Add(graph.QuotaWait), fmt.Errorf("%w: %w", errQuota, cause))
	case faultAccount:
		return c.client.Fail(platform.ClassUser, CodeAccount, cause,
			"Instagram has restricted this account. Open Instagram, resolve it there, then publish the post again.")
	case faultTrial:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"Instagram does not offer trial reels to this account.")
	case faultLong, faultTags:
		return c.client.Fail(platform.ClassRejected, CodeCaption, cause,
			"Instagram refused the caption: %s, then publish the post again.", f.remedy())
	case faultShape, faultSize, faultImage, faultVideo, faultCover, faultType, faultCount:
	}
	return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
		"Instagram refused a file of the post: %s, then publish the post again.", f.remedy())
}
