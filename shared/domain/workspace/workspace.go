// Package workspace defines tenants: every credential, channel, post and webhook belongs to exactly one.
package workspace

import (
	"slices"
	"time"

	"fencepost.internal/shared/domain/approval"
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

// Mode says whether a workspace reaches networks.
type Mode string

// Modes (docs/contract.md, Test mode).
const (
	Live Mode = "live"
	Test Mode = "test"
)

// ModeOf returns the mode of a workspace, a channel or a key.
func ModeOf(isTest bool) Mode {
	if isTest {
		return Test
	}
	return Live
}

// Workspace is the tenant.
type Workspace struct {
	ID ident.Workspace
	// LiveID is the workspace to which a test workspace belongs: it has that workspace's name, plan and members. Zero for a
	// live workspace.
	LiveID   ident.Workspace
	Name     string
	Plan     Plan
	Timezone string // IANA zone name
	// ReconnectHold is the longest time for which a due post waits for its channel to be connected again. Zero: it fails
	// at once.
	ReconnectHold time.Duration
	StoppedAt     time.Time // since when all publishing is stopped; zero if it is not
	StoppedBy     string    // who stopped it, for people
	CreatedAt     time.Time
	Holidays      []string // codes of the countries whose holidays the calendar shows
	AltTexts      AltTextRule
	Approval      approval.Policy
	Color         string    // on the pages that clients see, #rrggbb; empty: none
	DeleteAt      time.Time // when it is deleted; zero: it stays
	DeleteBy      string    // who asked for it, for people
}

// DeletionGrace is the time between the request to delete a workspace and its deletion. Until then an owner can keep it.
const DeletionGrace = 14 * 24 * time.Hour

// Contents counts what is deleted with a workspace. Bytes is the size of its files.
type Contents struct {
	Posts, Scheduled, Files, Bytes, Channels, LinkPages, Leads, Keys, Webhooks, Members int64
}

// AltTextRule says whether people may publish attachments without alternative texts. It does not apply to programs.
type AltTextRule string

// Rules about alternative texts.
const (
	AltTextsOff      AltTextRule = "OFF"
	AltTextsRemind   AltTextRule = "REMIND" // the composer points at missing ones
	AltTextsRequired AltTextRule = "REQUIRED"
)

// AltTextRules lists every rule.
func AltTextRules() []AltTextRule {
	return []AltTextRule{AltTextsOff, AltTextsRemind, AltTextsRequired}
}

// IsTest reports whether the workspace is a test workspace, whose channels reach no network.
func (w Workspace) IsTest() bool { return !w.LiveID.IsZero() }

// Mode returns the mode of the workspace.
func (w Workspace) Mode() Mode { return ModeOf(w.IsTest()) }

// Limits of Workspace.ReconnectHold (docs/contract.md, Lost connections).
const (
	DefaultReconnectHold = 24 * time.Hour
	LongestReconnectHold = 7 * 24 * time.Hour
)
