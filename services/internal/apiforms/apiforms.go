// Package apiforms has the JSON forms of what the service takes and answers (specification, Resources and Endpoints), whoever asks:
// a client of the REST API or a program at the tool server. A form's tags are what is published and what is checked.
package apiforms

import (
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/kernel/apperr"
)

// Body is what a request says. Check has the rules that a schema cannot say; it is also asked about a body with other faults,
// whose members are then zero.
type Body interface {
	Check(a *app.App) []apperr.Field
}

// Authorizer is a body that decides on a further scope: INSUFFICIENT_SCOPE when the client does not have it.
type Authorizer interface {
	Authorize(p app.Principal) error
}
