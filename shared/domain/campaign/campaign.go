// Package campaign defines campaigns: posts that belong together, with a color, a period, and parameters for their links.
package campaign

import (
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

const (
	// LongestName is the maximum number of characters of a name.
	LongestName = 80
	// MaxPerWorkspace is the maximum number of campaigns of a workspace.
	MaxPerWorkspace = 500
)

// Campaign groups posts. A post belongs to at most one.
type Campaign struct {
	ID          ident.Campaign
	WorkspaceID ident.Workspace
	Name        string
	Color       string    // of those of labels
	From, Until time.Time // its first and its last day, as midnight in UTC; zero: open
	Links       Links
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Links are the templates of the parameters of links in the campaign's posts. With a source, they replace the rule of the
// workspace.
type Links struct {
	Source   string `json:"source,omitempty"`
	Medium   string `json:"medium,omitempty"`
	Campaign string `json:"campaign,omitempty"`
	Content  string `json:"content,omitempty"`
}

// Key returns what is compared of a name: names that differ in case only are the same.
func Key(name string) string { return strings.ToLower(name) }

// Read returns a campaign as it is stored, and what is wrong with its name and its period.
func (c Campaign) Read() (Campaign, []apperr.Field) {
	var faults []apperr.Field
	name, fault := plaintext.Line(c.Name, LongestName)
	if fault == "" && name == "" {
		fault = "is empty; enter a name"
	}
	if c.Name = name; fault != "" {
		faults = append(faults, apperr.Field{Pointer: "/name", Message: fault})
	}
	if !c.From.IsZero() && !c.Until.IsZero() && c.Until.Before(c.From) {
		faults = append(faults, apperr.Field{Pointer: "/until", Message: "is before the first day; choose a later one"})
	}
	return c, faults
}

// State is where a day lies in the period of a campaign.
type State int

// States of a campaign.
const (
	Running State = iota
	Coming
	Over
)

// On returns the state of the campaign on a day, given as midnight in UTC.
func (c Campaign) On(day time.Time) State {
	switch {
	case !c.From.IsZero() && day.Before(c.From):
		return Coming
	case !c.Until.IsZero() && day.After(c.Until):
		return Over
	default:
		return Running
	}
}
