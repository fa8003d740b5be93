// Package apiforms defines the JSON forms of requests and responses (specification, Resources and Endpoints), for the
// REST API and the tool server. The tags of a form are both its published schema and its validation rules.
package apiforms

import (
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/kernel/apperr"
)

// Body is a request body. Check applies the rules that a schema cannot express. It also runs on a body with other
// faults, whose faulty fields are zero.
type Body interface {
	Check() []apperr.Field
}

// Target is a body with the address of a webhook. The configuration of the service decides which addresses it may send
// to, so CheckTarget takes that rule as a function. It returns why the address is not allowed, or "".
type Target interface {
	CheckTarget(refused func(address string) string) []apperr.Field
}

// Check returns all faults of a body: those that its Check reports, and those of the address of a Target.
func Check(b Body, refused func(address string) string) []apperr.Field {
	var faults []apperr.Field
	if t, ok := b.(Target); ok {
		faults = t.CheckTarget(refused)
	}
	return append(faults, b.Check()...)
}

// Authorizer is a body that may require a further scope. Authorize returns INSUFFICIENT_SCOPE when the client does not
// have it.
type Authorizer interface {
	Authorize(p app.Principal) error
}
