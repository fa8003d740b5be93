package graph

import (
	"net/http"
	"time"
)

// Meaning is the meaning of an error in all of Meta's APIs.
type Meaning int

// The meanings.
const (
	// Specific is an error whose meaning depends on the API. The API's connector knows it.
	Specific Meaning = iota
	// NoRefusal is a response that is neither a success nor a refusal, according to its status.
	NoRefusal
	// Passing is a temporary error, or a response that is not in Meta's format.
	Passing
	// Revoked is a token that cannot be refreshed: the user removed the app or changed the password.
	Revoked
	// Checkpoint is a check that the user has to pass at Meta. The token stays valid.
	Checkpoint
	// Blocked is a temporary block by policy.
	Blocked
	// Expired is a token that is no longer accepted.
	Expired
	// Forbidden is a permission that was not granted or was revoked.
	Forbidden
	// Quota is an exhausted number of posts per rolling day.
	Quota
	// Limited is a limit on calls.
	Limited
)

// Codes of Meta's errors. Meta documents no names for them.
const (
	codeUnknown     = 1
	codeService     = 2
	codeAppLimit    = 4
	codeQuota       = 9
	codePermission  = 10
	codeUserLimit   = 17
	codePageLimit   = 32
	codeParameter   = 100
	codeSession     = 102
	codeToken       = 190
	codeBlocked     = 368
	codeScopeFirst  = 200
	codeScopeLast   = 299
	codeCustomLimit = 613
	codePagesLimit  = 80001 // the limit of a Page's business use case
	codeInstaLimit  = 80002 // the limit of an Instagram account's business use case
)

// QuotaWait is the wait after the number of posts is exhausted. The quota is counted over a rolling day, and Meta does
// not report when the next post is allowed.
const QuotaWait = time.Hour

// Meaning returns the meaning of the error in a response with the given status.
func (e Error) Meaning(status int) Meaning {
	switch code := e.Code; {
	case status < 400, status >= 500, status == http.StatusRequestTimeout:
		return NoRefusal
	case code == codeToken && e.revoked():
		return Revoked
	case code == codeToken && e.checkpoint():
		return Checkpoint
	case e.Is(codeBlocked):
		return Blocked
	case code == codeToken, code == codeSession, status == http.StatusUnauthorized:
		return Expired
	case code == codePermission, code >= codeScopeFirst && code <= codeScopeLast, e.denied():
		return Forbidden
	case code == codeQuota:
		return Quota
	case e.limited(), status == http.StatusTooManyRequests:
		return Limited
	case code == 0, code == codeUnknown, code == codeService, e.Transient:
		return Passing
	default:
		return Specific
	}
}

func (e Error) revoked() bool { return e.Subcode == 458 || e.Subcode == 460 }

func (e Error) checkpoint() bool { return e.Subcode == 459 || e.Subcode == 464 }

func (e Error) limited() bool {
	switch e.Code {
	case codeAppLimit, codeUserLimit, codePageLimit, codeCustomLimit, codePagesLimit, codeInstaLimit:
		return true
	default:
		return false
	}
}
