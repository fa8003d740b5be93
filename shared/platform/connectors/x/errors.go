package x

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of X's refusals, in addition to those of the publish protocol.
const (
	CodeDuplicate   = platform.CodeDuplicate
	CodeRefused     = "CONTENT_REFUSED"
	CodeNotAllowed  = "ACTION_NOT_PERMITTED"
	CodeAccount     = "ACCOUNT_RESTRICTED"
	CodeSpendingCap = "SPENDING_CAP_REACHED"
	CodeAppAccess   = "APP_ACCESS_MISSING"
)

var errNoToken = errors.New("the channel has no access token")

// problem is X's error format, combined with the older one that some refusals still use.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Errors []struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Detail  string `json:"detail"`
	} `json:"errors"`
}

// name returns the last part of the problem's type, or an empty string for about:blank.
func (p problem) name() string {
	_, name, found := strings.Cut(p.Type, "/problems/")
	if !found {
		return ""
	}
	return name
}

// says reports whether one of the fragments occurs in the texts of the error. They are the only reason in many of X's
// refusals.
func (p problem) says(fragments ...string) bool {
	text := strings.ToLower(p.Title + "\n" + p.Detail)
	for _, e := range p.Errors {
		text += "\n" + strings.ToLower(e.Message+"\n"+e.Detail)
	}
	for _, fragment := range fragments {
		if strings.Contains(text, fragment) {
			return true
		}
	}
	return false
}

// failure classifies an error response.
func (c *Connector) failure(response httpcall.Response) *platform.Failure {
	var p problem
	readable := response.Decode(&p) == nil
	cause := response.Cause("refused")
	switch status := response.Status; {
	case p.name() == "usage-capped", status == http.StatusPaymentRequired:
		return c.client.Fail(platform.ClassOperator, CodeSpendingCap, cause,
			"The spending limit of this service at X is reached. Its operator has to raise it; then publish the post again.")
	case status == http.StatusTooManyRequests:
		return c.client.RateLimited(c.until(response.Header), cause)
	case status == http.StatusUnauthorized, p.name() == "unsupported-authentication", p.says("unsupported authentication"):
		return c.client.Refresh(cause)
	case status < 400, status >= 500, status == http.StatusRequestTimeout, !readable:
		return c.client.Unclear(response, "no clear refusal")
	case status == http.StatusForbidden:
		return c.forbidden(p, response)
	case status == http.StatusNotFound:
		return c.client.Reconnect(cause)
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"X refused the post as invalid. Check its text and links, then publish it again.")
	}
}

// refused classifies the refusal of a post. X describes a parent that was deleted, and one that it does not show yet, with the
// same words.
func (c *Connector) refused(response httpcall.Response, to *platform.ReplyTo) *platform.Failure {
	failure := c.failure(response)
	var p problem
	if to == nil || failure.Code != CodeRefused || response.Decode(&p) != nil || !p.says("deleted or not visible") {
		return failure
	}
	return c.client.ParentMissing(*to, createdAt(to.ParentID), failure.Cause)
}

func (c *Connector) forbidden(p problem, response httpcall.Response) *platform.Failure {
	cause := response.Cause("forbidden")
	switch {
	case p.says("duplicate"):
		return c.client.Fail(platform.ClassUnknown, CodeDuplicate, cause,
			"X refused the post because this account has posted the same text already.")
	case p.name() == "client-forbidden":
		return c.client.Fail(platform.ClassOperator, CodeAppAccess, cause,
			"X does not allow this service to post at present. Its operator has to act; then publish the post again.")
	case p.name() == "not-authorized-for-resource", p.says("scope"):
		return c.client.Reconnect(cause)
	case p.says("suspended", "locked", "deactivated"):
		return c.client.Fail(platform.ClassUser, CodeAccount, cause,
			"X has restricted this account. Sign in to X, resolve it there, then publish the post again.")
	case p.says("not permitted"):
		return c.client.Fail(platform.ClassRejected, CodeNotAllowed, cause,
			"X does not permit this post for this account. Without X Premium, shorten the text to 280 characters and the "+
				"video to 140 seconds. If the text mentions, quotes or replies to another account, remove that. Then publish "+
				"the post again.")
	default:
		return c.client.Fail(platform.ClassRejected, CodeRefused, cause,
			"X refused the post. Change it, then publish it again.")
	}
}

// until returns the time at which the rate limit ends. An exhausted daily limit outlasts the fifteen-minute limit.
func (c *Connector) until(header http.Header) time.Time {
	until := c.client.ResetAt(header, "x-rate-limit-reset")
	for _, daily := range []string{"x-app-limit-24hour", "x-user-limit-24hour"} {
		if header.Get(daily+"-remaining") == "0" {
			if at := c.client.ResetAt(header, daily+"-reset"); at.After(until) {
				until = at
			}
		}
	}
	if after := c.client.RetryAfter(header); after.After(until) {
		until = after
	}
	return until
}
