package threads

import (
	"fmt"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of Threads' refusals, in addition to those of the publish protocol.
const (
	CodeRefused     = "CONTENT_REFUSED"
	CodeTooMuchLink = "TOO_MANY_LINKS"
	CodeFeature     = "FEATURE_NOT_AVAILABLE"
	CodeAccount     = "ACCOUNT_RESTRICTED"
	CodeNotReady    = graph.CodeNotReady
	CodeUnreachable = "MEDIA_UNREACHABLE"
)

// longestReason is the maximum length of a failed container's text in a log, in characters.
const longestReason = 100

// Codes of Threads' own errors. Meta documents no names for them.
const (
	codeNotFound     = 24
	subcodeNotReady  = 4279009
	subcodeAccount   = 4279013
	subcodeAccountIG = 2207051
	// Files that were refused immediately, as on Instagram.
	subcodeFetch   = 2207052
	subcodeSize    = 2207004
	subcodePicture = 2207005
	subcodeShape   = 2207009
)

// missing reports whether Threads does not know the object.
func missing(e graph.Error) bool {
	return e.Missing() || e.Code == codeNotFound && e.Subcode != subcodeNotReady
}

// failure classifies an error response.
//
// Threads requires a new sign-in after a token has expired. The service tries one refresh first. This costs one call,
// and avoids the sign-in if the token was only refreshed elsewhere.
func (c *Connector) failure(response httpcall.Response) *platform.Failure {
	e, cause := graph.ErrorOf(response), response.Cause("refused")
	meaning := e.Meaning(response.Status)
	if meaning != graph.NoRefusal && e.Is(subcodeAccount, subcodeAccountIG) {
		// The code may be that of a rate limit: code 4 with subcode 2207051 is a blocked action.
		return c.restricted(cause)
	}
	switch meaning {
	case graph.NoRefusal:
		return c.client.Unclear(response, "no clear refusal")
	case graph.Passing:
		return c.client.Unclear(response, "a passing fault, or not in the network's own form")
	case graph.Expired:
		return c.client.Refresh(cause)
	case graph.Revoked, graph.Forbidden:
		return c.client.Reconnect(cause)
	case graph.Checkpoint, graph.Blocked:
		return c.restricted(cause)
	case graph.Quota:
		return c.client.RateLimited(c.client.Now().Add(graph.QuotaWait), cause)
	case graph.Limited:
		return c.client.RateLimited(graph.Until(c.client, response.Header), cause)
	case graph.Specific:
		return c.refused(e, cause)
	default:
		return c.client.Unclear(response, "an unknown error")
	}
}

func (c *Connector) restricted(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassUser, CodeAccount, cause,
		"Threads has restricted this account. Open Threads, resolve it there, then publish the post again.")
}

func (c *Connector) refused(e graph.Error, cause error) *platform.Failure {
	switch {
	case e.Subcode == subcodeNotReady, missing(e):
		return c.client.Fail(platform.ClassTransient, CodeNotReady, cause,
			"Threads has not finished preparing the post.")
	case e.Is(subcodeFetch):
		return c.client.Fail(platform.ClassTransient, CodeUnreachable, cause,
			"Threads could not fetch a file of the post.")
	case e.Is(subcodeSize, subcodePicture, subcodeShape):
		return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
			"Threads refused a file of the post because of its format, size or shape. Replace it, then publish the post again.")
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

// containerFailure classifies Threads' report on a failed container. A new container may succeed if the failure is
// passing.
func (c *Connector) containerFailure(reason string) (failure *platform.Failure, passing bool) {
	cause := fmt.Errorf("the container failed: %q", reason)
	switch reason {
	case "", "UNKNOWN":
		return c.client.Unavailable(cause), true
	case "FAILED_DOWNLOADING_VIDEO":
		return c.client.Fail(platform.ClassTransient, CodeUnreachable, cause,
			"Threads could not fetch a file of the post."), true
	}
	wrong := "could not process a file of the post. Convert or replace it"
	switch reason {
	case "INVALID_ASPEC_RATIO", "INVALID_ASPECT_RATIO":
		wrong = "does not accept a file of the post because of its shape. Crop it"
	case "INVALID_DURATION":
		wrong = "does not accept a video of this length. Shorten it"
	case "INVALID_BIT_RATE", "INVALID_FRAME_RATE":
		wrong = "does not accept a video of this bit rate or frame rate. Convert it"
	case "INVALID_AUDIO_CHANNELS", "INVALID_AUDIO_CHANNEL_LAYOUT", "FAILED_PROCESSING_AUDIO":
		wrong = "could not process the sound of a video. Convert it to stereo AAC"
	}
	return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause, "Threads %s, then publish the post again.", wrong),
		false
}
