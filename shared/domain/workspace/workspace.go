// Package workspace defines tenants: every credential, channel, post and webhook belongs to exactly one.
package workspace

import (
	"slices"
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// Plan is the plan of a workspace; it determines quotas and limits.
type Plan string

// Plans (decisions, section 6).
const (
	Free    Plan = "FREE"
	Creator Plan = "CREATOR"
	Growth  Plan = "GROWTH"
	Agency  Plan = "AGENCY"
)

// Plans lists every plan, smallest first.
func Plans() []Plan { return []Plan{Free, Creator, Growth, Agency} }

// Known reports whether the plan exists.
func (p Plan) Known() bool { return slices.Contains(Plans(), p) }

// Workspace is the tenant.
type Workspace struct {
	ID        ident.Workspace
	Name      string
	Plan      Plan
	Timezone  string // IANA zone name
	CreatedAt time.Time
}
