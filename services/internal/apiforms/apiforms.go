// Package apiforms defines the JSON forms of requests and responses for the REST API and the tool server. The tags of a
// form are both its published schema and its validation rules.
package apiforms

import (
	"slices"
	"time"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/apperr"
)

// Body is a request body. Check applies the rules that a schema cannot express. It also runs on a body with other
// faults, whose faulty fields are zero.
type Body interface {
	Check() []apperr.Field
}

// Timed is a body with a publish time. CheckTime returns the fault of a valid time that the service cannot keep.
type Timed interface {
	CheckTime(now time.Time) []apperr.Field
}

// Alternative is a body that needs one of several members. CheckMissing returns the fault of a body that has none of them,
// unless the schema has reported a fault of one.
type Alternative interface {
	CheckMissing(known []apperr.Field) []apperr.Field
}

// Service holds the rules that depend on the configuration of the service and on the time.
type Service interface {
	CheckWebhookURL(address string) string
	Now() time.Time
}

// Target is a body with the address of a webhook. The configuration of the service decides which addresses it may send
// to, so CheckTarget takes that rule as a function. It returns why the address is not allowed, or "".
type Target interface {
	CheckTarget(refused func(address string) string) []apperr.Field
}

// Referrer is a body with references that may be omitted. CheckReferences returns NOT_FOUND for the nil UUID, as use
// cases do for every other unknown ID. Use cases cannot check it, because the zero ID means "none" to them.
type Referrer interface {
	CheckReferences() error
}

// Verify returns VALIDATION_FAILED with all faults of a body: the known ones, which its schema reported, those of the
// address of a Target, and those that its Check reports. The fault of a time is added to others; without others the use
// case reports it, with those of the content. Faulty fields are zero in the body. Thus a further fault of a
// field with a known one is omitted, and so are faults of the whole body, for example that nothing is to be changed.
// For a body without faults it returns the error of a Referrer.
func Verify(b Body, known []apperr.Field, service Service) error {
	var found []apperr.Field
	if t, ok := b.(Target); ok {
		found = t.CheckTarget(service.CheckWebhookURL)
	}
	found = append(found, b.Check()...)
	if a, ok := b.(Alternative); ok {
		found = append(found, a.CheckMissing(known)...)
	}
	if len(known) > 0 {
		found = slices.DeleteFunc(found, func(f apperr.Field) bool { return f.Pointer == "" })
	}
	if faults := AppendNew(known, found...); len(faults) > 0 {
		if t, ok := b.(Timed); ok {
			faults = AppendNew(faults, t.CheckTime(service.Now())...)
		}
		return apperr.Invalid(faults)
	}
	if r, ok := b.(Referrer); ok {
		return r.CheckReferences()
	}
	return nil
}

// AppendNew appends the faults whose pointer is not known yet.
func AppendNew(known []apperr.Field, found ...apperr.Field) []apperr.Field {
	before := known
	for _, f := range found {
		if !slices.ContainsFunc(before, func(k apperr.Field) bool { return k.Pointer == f.Pointer }) {
			known = append(known, f)
		}
	}
	return known
}

// Authorizer is a body that may require a further scope. Authorize returns INSUFFICIENT_SCOPE when the client does not
// have it.
type Authorizer interface {
	Authorize(p app.Principal) error
}
