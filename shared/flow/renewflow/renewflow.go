// Package renewflow defines the typed contract of the renewal of credentials that no call renews in time: names, IDs,
// queue and payloads.
package renewflow

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// WorkflowSweep is the type name of the workflow that looks for channels whose renewal is due.
	WorkflowSweep = "RenewalSweep"
	// Workflow is the type name of the workflow that renews the credentials of one channel.
	Workflow = "Renewal"
	// Queue is the task queue of both workflows and their activities.
	Queue = "renewals"
	// ActivitySweep assesses channels and returns those whose renewal is due.
	ActivitySweep = "renewals.Sweep"
	// ActivityRenew renews the credentials of one channel.
	ActivityRenew = "renewals.Renew"
	// ScheduleID is the ID of the schedule that starts the sweep.
	ScheduleID = "renewals"
	// Every is the interval of the sweep.
	Every = time.Hour

	prefix = "renew/"
)

// ID returns the ID of the workflow that renews a channel's credentials. One runs at a time.
func ID(id ident.Channel) string { return prefix + id.String() }

// Page is the position of a sweep in the list of due channels. The zero Page is its start.
type Page struct {
	After ident.Channel `json:"after,omitzero"`
}

// Found is the result of one step of a sweep.
type Found struct {
	Due  []Input `json:"due"`
	More bool    `json:"more,omitempty"` // continue after the last channel
	Note string  `json:"note,omitempty"` // for the operator
}

// Input starts a renewal, and is the input of each of its tries.
type Input struct {
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Network     channel.Network `json:"network"`
	Delay       time.Duration   `json:"delay,omitempty"` // before the first try, so that renewals are spread
	Tries       int             `json:"tries,omitempty"` // that failed
	Begun       time.Time       `json:"begun,omitzero"`  // the first try
}

// Outcome is the result of a try.
type Outcome struct {
	Done    bool          `json:"done"`
	Refused bool          `json:"refused,omitempty"` // for good: a person must connect the channel again
	Wait    time.Duration `json:"wait,omitempty"`    // if not done: the wait before the next try
	Begun   time.Time     `json:"begun,omitzero"`    // the first try
	Note    string        `json:"note,omitempty"`    // for the operator
}

// Sweep runs the activity.
func Sweep(ctx workflow.Context, page Page) (Found, error) {
	var out Found
	err := workflow.ExecuteActivity(ctx, ActivitySweep, page).Get(ctx, &out)
	return out, err
}

// Renew runs the activity.
func Renew(ctx workflow.Context, in Input) (Outcome, error) {
	var out Outcome
	err := workflow.ExecuteActivity(ctx, ActivityRenew, in).Get(ctx, &out)
	return out, err
}
