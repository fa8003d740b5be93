package youtube

import (
	"net/http"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/google"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// Codes of YouTube's refusals, in addition to those of the publish protocol.
const (
	CodeAppAccess = "APP_ACCESS_MISSING" // of this service as a whole
	CodeRefused   = "CONTENT_REFUSED"
	CodeAccount   = "ACCOUNT_RESTRICTED"
)

// channelLimit is the wait after the limit of a channel's uploads, which YouTube counts over 24 hours.
const channelLimit = 24 * time.Hour

// refusal classifies an error response to a call about a post, by its reason.
func (c *Connector) refusal(response httpcall.Response) *platform.Failure {
	e, cause := google.ErrorOf(response), response.Cause("refused")
	switch status := response.Status; {
	case status < 400, status >= 500, status == http.StatusRequestTimeout:
		return c.client.Unclear(response, "no clear refusal")
	case e.AtService(), e.Has("accessNotConfigured"):
		return c.appRefused(cause)
	case e.Has("quotaExceeded", "dailyLimitExceeded"):
		return c.dayUsedUp(cause)
	case e.Has("uploadLimitExceeded"):
		failure := c.client.RateLimited(c.client.Now().Add(channelLimit), cause)
		failure.Message = "YouTube accepts no more uploads to this channel within 24 hours."
		return failure
	case status == http.StatusTooManyRequests,
		e.Has("rateLimitExceeded", "userRateLimitExceeded", "uploadRateLimitExceeded"):
		return c.client.RateLimited(google.Until(c.client, response, e), cause)
	case e.Has("youtubeSignupRequired", "authenticatedUserAccountClosed", "authenticatedUserAccountSuspended"):
		return c.channelGone(cause)
	case status == http.StatusUnauthorized:
		return c.client.Refresh(cause)
	case e.Has("insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"):
		return c.client.Reconnect(cause)
	case e.Status == "" && len(e.Reasons) == 0:
		return c.client.Unclear(response, "not in the network's own form")
	case e.Has("videoNotFound"):
		return c.mediaGone(cause)
	case e.Has("forbiddenPrivacySetting", "forbiddenLicenseSetting", "forbidden"):
		return c.client.Fail(platform.ClassRejected, CodeAccount, cause,
			"YouTube does not allow this visibility, license or file for the channel. Change it, or look at the channel's "+
				"features in YouTube Studio, then publish the post again.")
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"YouTube refused the post as invalid. Check its title, text and options, then publish it again.")
	}
}

// dayUsedUp returns the failure for an exhausted daily quota of this service, which all channels share.
func (c *Connector) dayUsedUp(cause error) *platform.Failure {
	failure := c.client.Fail(platform.ClassRateLimited, post.CodeDailyQuota, cause,
		"YouTube allows this service no more uploads today.")
	failure.Until = c.quotaEnd()
	return failure
}

func (c *Connector) channelGone(cause error) *platform.Failure {
	failure := c.client.Reconnect(cause)
	failure.Message = "The YouTube channel no longer exists. Connect the channel again."
	return failure
}

// failure classifies an error response to a call for figures, by its reason.
func (c *Connector) failure(response httpcall.Response) *platform.Failure {
	e, cause := google.ErrorOf(response), response.Cause("refused")
	switch status := response.Status; {
	case status < 400, status >= 500, status == http.StatusRequestTimeout:
		return c.client.Unclear(response, "no clear refusal")
	case e.AtService(), e.Has("accessNotConfigured"):
		return c.appRefused(cause)
	case e.Has("quotaExceeded", "dailyLimitExceeded"):
		return c.client.InsightsLimited(c.quotaEnd(), cause)
	case status == http.StatusTooManyRequests, e.Has("rateLimitExceeded", "userRateLimitExceeded"):
		return c.client.InsightsLimited(google.Until(c.client, response, e), cause)
	case e.Has("youtubeSignupRequired", "authenticatedUserAccountClosed", "authenticatedUserAccountSuspended"):
		return c.channelGone(cause)
	case status == http.StatusUnauthorized:
		return c.client.Refresh(cause)
	case e.Status == "" && len(e.Reasons) == 0:
		return c.client.Unclear(response, "not in the network's own form")
	case status == http.StatusForbidden:
		return c.client.InsightsNotGranted(cause)
	default:
		return c.client.Fail(platform.ClassRejected, platform.CodeInsightsRefused, cause, "YouTube refused the request "+
			"for analytics.")
	}
}

func (c *Connector) appRefused(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassOperator, CodeAppAccess, cause,
		"YouTube does not grant this service the required access. Its operator has to act; then try again.")
}

// quotaEnd returns the next midnight in California, when a project's quota is reset.
func (c *Connector) quotaEnd() time.Time {
	zone := readback.Pacific()
	return analytics.DateOf(c.client.Now().In(zone)).Next().Start(zone).UTC()
}
