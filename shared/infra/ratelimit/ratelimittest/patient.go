package ratelimittest

import (
	"context"

	"fencepost.internal/shared/infra/ratelimit"
)

// Patient is a store whose leases have no time limit. On a busy machine a limiter would otherwise assume an outage, and
// limit without the store.
type Patient struct{ ratelimit.Store }

// Lease implements ratelimit.Store.
func (p Patient) Lease(ctx context.Context, subject string, limit ratelimit.Limit, want int) (ratelimit.Lease, error) {
	return p.Store.Lease(context.WithoutCancel(ctx), subject, limit, want)
}
