package platform

import (
	"errors"
	"fmt"
	"time"
)

// Class classifies a failure by its meaning for the post and by the role that can act on it.
type Class string

// The failure classes. Every class except ClassUnknown guarantees that nothing was published.
const (
	ClassRejected    Class = "rejected"     // the network permanently refused this content
	ClassTransient   Class = "transient"    // retry with back-off
	ClassRateLimited Class = "rate_limited" // retry at Until
	ClassRefresh     Class = "refresh"      // the access token expired; refresh once and repeat
	ClassReconnect   Class = "reconnect"    // the connection is lost; a user must reconnect the channel
	ClassUser        Class = "user"         // the account's owner must act on the network
	ClassOperator    Class = "operator"     // the operator of this service must act (spending cap, app review)
	ClassUnknown     Class = "unknown"      // the irrevocable call may or may not have taken effect
)

// Classes returns all failure classes.
func Classes() []Class {
	return []Class{
		ClassRejected, ClassTransient, ClassRateLimited, ClassRefresh, ClassReconnect, ClassUser, ClassOperator, ClassUnknown,
	}
}

// CodeDuplicate is the code of a refusal which reports that the account already has this content. It is evidence, but
// not proof, that an earlier call took effect. The account's list of posts decides.
const CodeDuplicate = "DUPLICATE_CONTENT"

// CodeReadRefused is the code of a refusal to list the account's posts. It leaves the outcome of a call in doubt.
const CodeReadRefused = "READ_REFUSED"

// Codes of refused attachments.
const (
	CodeMediaRefused     = "MEDIA_REFUSED"      // the network cannot use a file
	CodeMediaNotUploaded = "MEDIA_NOT_UPLOADED" // the network no longer has an upload
)

// CodePreparationLost is the code of a transient refusal after which the preparation cannot be used again: the network
// reports it as ready, but does not find it. The next attempt prepares the post anew.
const CodePreparationLost = "PREPARATION_LOST"

// Codes of refused replies and comments (docs/contract.md, Threads).
const (
	CodeParentGone     = "PARENT_GONE"      // the post above no longer exists
	CodeParentNotShown = "PARENT_NOT_SHOWN" // the network does not show the post above yet
)

// CodeHeldBack is the code of an accepted post that the network keeps as a draft until a person publishes it there.
const CodeHeldBack = "PLATFORM_HELD_BACK"

// Codes of calls that reached no network.
const (
	CodeSendWindowClosed = "SEND_WINDOW_CLOSED" // the irrevocable call was due after SendBy
	CodeMediaUnreadable  = "MEDIA_UNREADABLE"   // a file could not be read from the service's own storage
)

// Failure is the only error type of connectors.
type Failure struct {
	Class Class
	Code  string // stable, UPPER_SNAKE, shown to the tenant
	// Message is safe for the tenant: it says what happened and what to do, and never contains a token or a raw
	// response.
	Message string
	// Until is the time at which calls are allowed again after ClassRateLimited; zero if the network did not report it.
	// With post.CodeDailyQuota, it is the end of the network's day.
	Until time.Time
	Cause error // for the log
}

// Error returns the text for the log.
func (f *Failure) Error() string {
	if f.Cause != nil {
		return fmt.Sprintf("%s %s: %s: %v", f.Class, f.Code, f.Message, f.Cause)
	}
	return fmt.Sprintf("%s %s: %s", f.Class, f.Code, f.Message)
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// FailureOf returns the Failure in err's chain. For an error without one it returns a Failure of ClassUnknown, because
// an unidentified error must not lead to a repeated call.
func FailureOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Class: ClassUnknown, Code: "OUTCOME_UNKNOWN", Message: "The network returned an unexpected " +
		"response.", Cause: err}
}

// Finding is one violation of a network's rules.
type Finding struct {
	Member  string // the post's JSON member: content, title, contentType, mediaIds, options/<name>
	Message string
	Code    string // of the post's error if the post fails for it; empty: CONTENT_INVALID
	Warning bool   // true: publishing is possible, but the result is probably not the intended one
}
