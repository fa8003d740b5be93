package delivering

import (
	"context"
	"net/http"

	"fencepost.internal/shared/infra/postgres"
)

// Outage exposes outage to tests.
type Outage = outage

// NewOutage exposes newOutage to tests.
var NewOutage = newOutage

// Note exposes outage.note to tests.
var Note = (*outage).note

// Report exposes Express.report to tests.
func (e *Express) Report(ctx context.Context, step string, err error) { e.report(ctx, step, err) }

// Reserve exposes Express.reserve to tests.
func (e *Express) Reserve(ctx context.Context) error { return e.reserve(ctx) }

// Gather delivers a number of attempts and returns the size of the batch that begins with the first.
func (e *Express) Gather(delivered int) int {
	for range delivered - 1 {
		e.delivered <- postgres.Delivered{}
	}
	return len(e.gather(postgres.Delivered{}))
}

// HeaderLines is headerLines.
func HeaderLines(header http.Header) string { return headerLines(header) }
