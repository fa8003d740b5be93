package tiktok

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of the Accounts API. TikTok documents no names for them.
const (
	codeNoPermission = 40001
	codeTooMany      = 40100
	codeApp          = 40101
	codeTokenExpired = 40102
	codeTokenMissing = 40104
	codeToken        = 40105

	// Codes from firstRefusal are caused by the caller, those from firstFault by TikTok.
	firstRefusal, firstFault = 40000, 50000
)

// businessLimitWait is the time for which TikTok blocks a caller that has exceeded the per-minute limit.
const businessLimitWait = 5 * time.Minute

// businessResponse is the format of every response of the Accounts API. Code 0 is success.
type businessResponse struct {
	Code    *int            `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// businessResponseOf decodes the response. It returns false if the response is not in TikTok's format.
func businessResponseOf(response httpcall.Response) (businessResponse, bool) {
	var result businessResponse
	if response.Decode(&result) != nil || result.Code == nil {
		return businessResponse{}, false
	}
	return result, true
}

// code returns the code, or 0 for a response without one.
func (a businessResponse) code() int {
	if a.Code == nil {
		return 0
	}
	return *a.Code
}

// tokenRefused reports whether the access token is no longer accepted. The codes of token errors are poorly documented,
// so the message is checked as well.
func (a businessResponse) tokenRefused() bool {
	switch a.code() {
	case codeTokenExpired, codeTokenMissing, codeToken:
		return true
	}
	message := strings.ToLower(a.Message)
	switch {
	case a.code() == 0:
		return false
	case strings.Contains(message, "access_token_invalid"): // the other product's code
		return true
	case !strings.Contains(message, "access token"):
		return false
	}
	for _, word := range []string{"expired", "incorrect", "invalid", "revoked"} {
		if strings.Contains(message, word) {
			return true
		}
	}
	return false
}

// failure classifies an error response, by its code first: nearly all have HTTP status 200.
func (b *Business) failure(response httpcall.Response, result businessResponse) *platform.Failure {
	code := result.code()
	cause := response.Cause("refused with " + strconv.Itoa(code))
	switch status := response.Status; {
	case result.tokenRefused():
		return b.client.Refresh(cause)
	case code == codeTooMany, status == http.StatusTooManyRequests:
		return b.client.RateLimited(until(b.client, response.Header, businessLimitWait), cause)
	case code == codeApp:
		return appAccess(b.client, cause)
	case code == codeNoPermission:
		return b.client.Reconnect(cause)
	case status == http.StatusUnauthorized:
		return b.client.Refresh(cause)
	case code >= firstRefusal && code < firstFault && status < 500:
		return refused(b.client, cause)
	default:
		return b.client.Unclear(response, "no clear refusal: "+strconv.Itoa(code))
	}
}
