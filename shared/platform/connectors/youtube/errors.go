package youtube

import (
	"net/http"
	"time"

	"socialpub.internal/shared/domain/analytics"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/days"
	"socialpub.internal/shared/platform/connectors/internal/google"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// CodeAppAccess is the code of a refusal of this service as a whole.
const CodeAppAccess = "APP_ACCESS_MISSING"

// failure classifies an error response by its reason.
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
		failure := c.client.Reconnect(cause)
		failure.Message = "The YouTube channel no longer exists. Connect the channel again."
		return failure
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
	zone := days.Pacific()
	return analytics.DateOf(c.client.Now().In(zone)).Next().Start(zone).UTC()
}
