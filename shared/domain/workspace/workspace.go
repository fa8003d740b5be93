// Package workspace defines tenants: every credential, channel, post and webhook belongs to exactly one.
package workspace

import (
	"slices"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Plan is the plan of a workspace; it determines quotas and limits.
type Plan string

// Plans (docs/contract.md, Plans).
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
	ID       ident.Workspace
	Name     string
	Plan     Plan
	Timezone string // IANA zone name
	// ReconnectHold is the longest time for which a due post waits for its channel to be connected again. Zero: it fails
	// at once.
	ReconnectHold time.Duration
	StoppedAt     time.Time // since when all publishing is stopped; zero if it is not
	StoppedBy     string    // who stopped it, for people
	CreatedAt     time.Time
}

// Limits of Workspace.ReconnectHold (docs/contract.md, Lost connections).
const (
	DefaultReconnectHold = 24 * time.Hour
	LongestReconnectHold = 7 * 24 * time.Hour
)
