package platform

import (
	"errors"
	"fmt"
	"time"
)

// Class says what a failure means for the post and who can do something about it.
type Class string

// The failure classes. All but Unknown promise that nothing was published.
const (
	ClassRejected    Class = "rejected"     // the network refused this content for good
	ClassTransient   Class = "transient"    // try again with back-off
	ClassRateLimited Class = "rate_limited" // try again at Until
	ClassRefresh     Class = "refresh"      // the access token expired; refresh once and repeat
	ClassReconnect   Class = "reconnect"    // the connection is gone; a person must reconnect the channel
	ClassUser        Class = "user"         // the account's owner must act on the network
	ClassOperator    Class = "operator"     // the operator of this service must act (spending cap, app review)
	ClassUnknown     Class = "unknown"      // the irrevocable call may or may not have taken effect
)

// CodeDuplicate is the code of a refusal that says that the account has this content already. It is evidence, not proof,
// that an earlier call took effect: the account's list decides.
const CodeDuplicate = "DUPLICATE_CONTENT"

// Codes of calls that reached no network.
const (
	CodeSendWindowClosed = "SEND_WINDOW_CLOSED" // the irrevocable call was due after SendBy
	CodeMediaUnreadable  = "MEDIA_UNREADABLE"   // a file could not be read from the service's own storage
)

// Failure is the one error type of connectors.
type Failure struct {
	Class   Class
	Code    string    // stable, UPPER_SNAKE, shown to the tenant
	Message string    // safe for the tenant: says what happened and what to do; never a token or a raw answer
	Until   time.Time // ClassRateLimited: when the network lets us in again; zero when it did not say
	Cause   error     // for the log
}

// Error is the log's text.
func (f *Failure) Error() string {
	if f.Cause != nil {
		return fmt.Sprintf("%s %s: %s: %v", f.Class, f.Code, f.Message, f.Cause)
	}
	return fmt.Sprintf("%s %s: %s", f.Class, f.Code, f.Message)
}

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// FailureOf is the Failure in err's chain. An error without one is Unknown: what we cannot name we must not repeat.
func FailureOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Class: ClassUnknown, Code: "OUTCOME_UNKNOWN", Message: "The network's answer could not be understood.", Cause: err}
}

// Finding is one fault of content against a network's rules.
type Finding struct {
	Member  string // the post's member: content, title, contentType, mediaIds, options/<name>
	Message string
	Warning bool // true: publishing is possible, but probably not what is wanted
}
