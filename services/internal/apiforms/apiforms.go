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
	Check(a *app.App) []apperr.Field
}

// Authorizer is a body that may require a further scope. Authorize returns INSUFFICIENT_SCOPE when the client does not
// have it.
type Authorizer interface {
	Authorize(p app.Principal) error
}
