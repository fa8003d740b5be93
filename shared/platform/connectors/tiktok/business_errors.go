package tiktok

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of the Accounts API (fact of the API, no common names exist).
const (
	codeNoPermission = 40001
	codeTooMany      = 40100
	codeApp          = 40101
	codeTokenExpired = 40102
	codeTokenMissing = 40104
	codeToken        = 40105

	// Codes from firstRefusal on are the caller's fault, those from firstFault on TikTok's.
	firstRefusal, firstFault = 40000, 50000
)

// businessLimitWait is how long the limit by the minute keeps a caller out that ran into it.
const businessLimitWait = 5 * time.Minute

// businessAnswer is the shape of every answer of the Accounts API; code 0 is success.
type businessAnswer struct {
	Code    *int            `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// businessAnswerOf reads the answer; false for one that is not in the network's own form.
func businessAnswerOf(response httpcall.Response) (businessAnswer, bool) {
	var answer businessAnswer
	if response.Decode(&answer) != nil || answer.Code == nil {
		return businessAnswer{}, false
	}
	return answer, true
}

// code is 0 also for an answer without one.
func (a businessAnswer) code() int {
	if a.Code == nil {
		return 0
	}
	return *a.Code
}

// tokenRefused reports an access token that is no longer accepted. Which code goes with which fault of a token is not
// documented well, so the message counts too.
func (a businessAnswer) tokenRefused() bool {
	switch a.code() {
	case codeTokenExpired, codeTokenMissing, codeToken:
		return true
	}
	message := strings.ToLower(a.Message)
	if a.code() == 0 || !strings.Contains(message, "access token") {
		return false
	}
	for _, word := range []string{"expired", "incorrect", "invalid", "revoked"} {
		if strings.Contains(message, word) {
			return true
		}
	}
	return false
}

// failure classes an answer that is no success, by its own code first: nearly all come with HTTP 200.
func (b *Business) failure(response httpcall.Response, answer businessAnswer) *platform.Failure {
	code := answer.code()
	cause := response.Cause("refused with " + strconv.Itoa(code))
	switch status := response.Status; {
	case answer.tokenRefused():
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
