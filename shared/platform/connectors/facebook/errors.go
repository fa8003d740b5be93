package facebook

import (
	"net/http"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of Facebook's refusals, in addition to those of the publish protocol.
const (
	CodeDuplicate = platform.CodeDuplicate
	CodeRefused   = "CONTENT_REFUSED"
	CodePolicy    = "POLICY_VIOLATION"
	CodeLink      = "LINK_REFUSED"
	CodeNoApp     = "APP_NOT_CONFIGURED"
	CodeAccount   = "ACCOUNT_RESTRICTED"
	CodeConfirm   = "ACCOUNT_CONFIRMATION_NEEDED"
)

// limitWait is the wait after a rate limit whose end Facebook does not report.
const limitWait = time.Hour

// Codes and subcodes of Facebook's own errors. Facebook documents no names for them.
const (
	codeActionLimit  = 341 // temporary limit on one kind of action
	codeRole         = 200 // no role on the Page, or one without the task
	codeDuplicate    = 506
	subcodeTooFast   = 1390008
	subcodeLimited   = 1404112 // the account is limited
	subcodeDown      = 1363047
	subcodeDownToo   = 1609010
	subcodeAuthorize = 1404078 // the owner must complete Page publishing authorization
	subcodeSecurity  = 1404006 // a security check
	subcodeIdentity  = 4854002 // proof of identity
	subcodeNoScrape  = 1609005 // the link cannot be read
	subcodeOwnLink   = 1609008 // a link to Facebook itself
	subcodeBadLink   = 2061006 // a URL that is not valid
	subcodePhoto     = 1366046 // a photo of a wrong format, or too large
	subcodePosted    = 1366051 // the photos are posted already
	subcodeFile      = 2069019 // a file that cannot be read
	subcodeContent   = 1349125 // media that is not valid
	codeUpload       = 6000    // a problem with the upload of a video; the subcode says which
	subcodeReported  = 1346003 // the content was reported as abusive
	subcodeStandards = 1404102 // the content violates the community standards
)

// failure classifies an error response.
func (c *Connector) failure(response httpcall.Response) *platform.Failure {
	e, cause := graph.ErrorOf(response), response.Cause("refused")
	meaning := e.Meaning(response.Status)
	if meaning != graph.NoRefusal {
		// Facebook's own codes are more specific than the shared meanings.
		if failure := c.own(e, response); failure != nil {
			return failure
		}
	}
	switch meaning {
	case graph.NoRefusal:
		return c.client.Unclear(response, "no clear refusal")
	case graph.Passing:
		return c.client.Unclear(response, "a passing fault, or not in the network's own form")
	case graph.Forbidden:
		return c.withoutRole(e, cause)
	case graph.Expired, graph.Revoked:
		return c.client.Reconnect(cause)
	case graph.Checkpoint:
		return c.confirm(cause)
	case graph.Blocked:
		return c.blocked(cause)
	case graph.Quota, graph.Limited:
		return c.client.RateLimited(c.until(response.Header), cause)
	case graph.Specific:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"Facebook refused the post as invalid. Check its text and links, then publish it again.")
	default:
		return c.client.Unclear(response, "an unknown error")
	}
}

// own classifies the errors that are specific to Facebook. It returns nil for all others.
//
// A duplicate means that the text is already published on the Page, perhaps by an earlier attempt of this post whose
// response was lost and that the list did not show yet.
func (c *Connector) own(e graph.Error, response httpcall.Response) *platform.Failure {
	cause := response.Cause("refused")
	switch {
	case e.Code == 0 && response.Status == http.StatusUnauthorized:
		return c.client.Unclear(response, "not in the network's own form")
	case e.Is(codeActionLimit, subcodeTooFast):
		return c.client.RateLimited(c.until(response.Header), cause)
	case e.Is(codeDuplicate):
		return c.client.Fail(platform.ClassUnknown, CodeDuplicate, cause,
			"Facebook refused the post because this Page has posted the same text already.")
	case e.Is(subcodeAuthorize, subcodeSecurity, subcodeIdentity):
		return c.confirm(cause)
	case e.Is(subcodeStandards, subcodeReported):
		return c.client.Fail(platform.ClassRejected, CodePolicy, cause,
			"Facebook refused the post because its content breaks Facebook's rules. Change it, then publish it again.")
	case e.Is(subcodeLimited):
		return c.blocked(cause)
	case e.Is(subcodePosted):
		return c.client.Fail(platform.ClassUnknown, CodeDuplicate, cause,
			"Facebook refused the post because this Page has posted the same photos already.")
	case e.Is(subcodePhoto, subcodeFile, subcodeContent):
		return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
			"Facebook could not use an attachment of the post. Replace it, or convert it to a JPEG image of less than 4 MB or an "+
				"MP4 video, then publish the post again.")
	case e.Is(subcodeNoScrape, subcodeOwnLink, subcodeBadLink):
		return c.client.Fail(platform.ClassRejected, CodeLink, cause,
			"Facebook rejects a link in the post. Change or remove it, then publish the post again.")
	case e.Is(subcodeDown, subcodeDownToo), passingUpload(e):
		return c.client.Unclear(response, "temporarily unavailable")
	case e.Missing():
		return c.client.Reconnect(cause)
	default:
		return nil
	}
}

// passingUpload reports whether Meta's list of errors of the Video API has the remedy to try again
// (developers.facebook.com/docs/video-api/reference/error-codes).
func passingUpload(e graph.Error) bool {
	return e.Is(1363019, 1363030, 1363033, 1363037) || e.Code == codeUpload && e.Subcode == 0
}

// confirm returns the failure for a checkpoint. The token stays valid.
func (c *Connector) confirm(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassUser, CodeConfirm, cause,
		"Facebook asks the Page's owner to confirm the account first. Sign in to Facebook, do what it asks, then publish "+
			"the post again.")
}

func (c *Connector) blocked(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassUser, CodeAccount, cause,
		"Facebook has blocked this Page from posting for some time. Sign in to Facebook to see the reason, then publish "+
			"the post again.")
}

// withoutRole returns the failure for a missing permission. Code 200 means that the person has no role on the Page, so
// that a new connection alone does not help.
func (c *Connector) withoutRole(e graph.Error, cause error) *platform.Failure {
	failure := c.client.Reconnect(cause)
	if e.Code == codeRole {
		failure.Message = "The person who connected this Page may not publish on it. Give the person a role on the Page that " +
			"allows posts, then connect the channel again."
	}
	return failure
}

// until returns the time at which the rate limit ends.
func (c *Connector) until(header http.Header) time.Time {
	if until := graph.Until(c.client, header); !until.IsZero() {
		return until
	}
	return c.client.Now().Add(limitWait)
}
