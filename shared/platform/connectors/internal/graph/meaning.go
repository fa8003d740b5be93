package graph

import (
	"net/http"
	"time"
)

// Meaning is what an error says on every API of Meta's.
type Meaning int

// The meanings.
const (
	// Specific errors mean what the one API says: its connector knows them.
	Specific Meaning = iota
	// NoRefusal is an answer that is no success and refuses nothing: by its status the server does not know itself.
	NoRefusal
	// Passing is a fault that may be over at the next call, or an answer that is not in Meta's form.
	Passing
	// Revoked is a token that no refresh can save: the person removed the app, changed the password, was checked.
	Revoked
	// Expired is a token that is no longer accepted.
	Expired
	// Forbidden is a permission that was never given or was taken back.
	Forbidden
	// Quota is the used-up number of posts of a rolling day.
	Quota
	// Limited is a limit on calls.
	Limited
)

// Codes of Meta's errors (fact of the API, no common names exist).
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
	codeScopeFirst  = 200
	codeScopeLast   = 299
	codeCustomLimit = 613
	codePagesLimit  = 80001 // the limit of a Page's business use case
	codeInstaLimit  = 80002 // and of an Instagram account's
)

// QuotaWait is how long a used-up number of posts is left alone: it is counted over a rolling day, and Meta does not say when
// the next post fits in.
const QuotaWait = time.Hour

// Meaning is what the error says, given the status it came with.
func (e Error) Meaning(status int) Meaning {
	switch code := e.Code; {
	case status < 400, status >= 500, status == http.StatusRequestTimeout:
		return NoRefusal
	case code == codeToken && e.revoked():
		return Revoked
	case code == codeToken, code == codeSession, status == http.StatusUnauthorized:
		return Expired
	case code == codePermission, code >= codeScopeFirst && code <= codeScopeLast:
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

func (e Error) revoked() bool {
	switch e.Subcode {
	case 458, 459, 460, 464:
		return true
	default:
		return false
	}
}

func (e Error) limited() bool {
	switch e.Code {
	case codeAppLimit, codeUserLimit, codePageLimit, codeCustomLimit, codePagesLimit, codeInstaLimit:
		return true
	default:
		return false
	}
}
