package threads

import (
	"errors"
	"time"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/graph"
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

// Codes of Threads' own errors (fact of the API, no common names exist).
const (
	codeNotFound     = 24
	subcodeNotReady  = 4279009
	subcodeAccount   = 4279013
	subcodeAccountIG = 2207051
)

// missing reports an object that Threads does not know.
func missing(e graph.Error) bool {
	return e.Missing() || e.Code == codeNotFound && e.Subcode != subcodeNotReady
}

// failure classes an answer that is no success.
//
// Threads asks for a new sign-in when a token has expired; one refresh is tried before, which costs a call and saves
// the person the trip when the token was only renewed elsewhere.
func (c *Connector) failure(response wire.Response) *platform.Failure {
	e, cause := graph.ErrorOf(response), response.Cause("refused")
	switch e.Meaning(response.Status) {
	case graph.NoRefusal:
		return c.client.Unclear(response, "no clear refusal")
	case graph.Passing:
		return c.client.Unclear(response, "a passing fault, or not in the network's own form")
	case graph.Expired:
		return c.client.Refresh(cause)
	case graph.Revoked, graph.Forbidden:
		return c.client.Reconnect(cause)
	case graph.Quota:
		return c.client.RateLimited(c.client.Now().Add(quotaWait), cause)
	case graph.Limited:
		return c.client.RateLimited(graph.Until(c.client, response.Header), cause)
	case graph.Specific:
		return c.refused(e, cause)
	default:
		return c.client.Unclear(response, "an error of a meaning that is not known")
	}
}

func (c *Connector) refused(e graph.Error, cause error) *platform.Failure {
	switch {
	case e.Subcode == subcodeNotReady, missing(e):
		return c.client.Fail(platform.ClassTransient, CodeNotReady, cause,
			"Threads has not finished preparing the post; the service will try again.")
	case e.Subcode == subcodeAccount, e.Subcode == subcodeAccountIG:
		return c.client.Fail(platform.ClassUser, CodeAccount, cause,
			"Threads has restricted this account. Open Threads, resolve it there, then publish the post again.")
	case e.Says("THREADS_API__LINK_LIMIT_EXCEEDED"):
		return c.client.Fail(platform.ClassRejected, CodeTooMuchLink, cause,
			"The post has more links than Threads allows. Remove some, then publish it again.")
	case e.Says("THREADS_API__FEATURE_NOT_AVAILABLE"):
		return c.client.Fail(platform.ClassRejected, CodeFeature, cause,
			"Threads does not offer this kind of post to this account yet.")
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"Threads refused the post. Check its text and links, then publish it again.")
	}
}
