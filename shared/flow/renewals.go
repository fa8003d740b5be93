package flow

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// WorkflowRenewalSweep is the type name of the workflow that looks for channels whose renewal is due.
	WorkflowRenewalSweep = "RenewalSweep"
	// WorkflowRenewal is the type name of the workflow that renews the credentials of one channel.
	WorkflowRenewal = "Renewal"
	// QueueRenewals is the task queue of both workflows and their activities.
	QueueRenewals = "renewals"
	// ActivitySweepRenewals assesses channels and returns those whose renewal is due.
	ActivitySweepRenewals = "renewals.Sweep"
	// ActivityRenew renews the credentials of one channel.
	ActivityRenew = "renewals.Renew"
	// RenewalsScheduleID is the ID of the schedule that starts the sweep.
	RenewalsScheduleID = "renewals"
	// RenewalsInterval is the interval of the sweep.
	RenewalsInterval = time.Hour

	renewalPrefix = "renew/"
)

// RenewalID returns the ID of the workflow that renews a channel's credentials. One runs at a time.
func RenewalID(id ident.Channel) string { return renewalPrefix + id.String() }

// RenewalsPage is the position of a sweep in the list of due channels. The zero RenewalsPage is its start.
type RenewalsPage struct {
	After ident.Channel `json:"after,omitzero"`
}

// RenewalsFound is the result of one step of a sweep.
type RenewalsFound struct {
	Due  []RenewalInput `json:"due"`
	More bool           `json:"more,omitempty"` // continue after the last channel
	Note string         `json:"note,omitempty"` // for the operator
}

// RenewalInput starts a renewal, and is the input of each of its tries.
type RenewalInput struct {
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Network     channel.Network `json:"network"`
	Delay       time.Duration   `json:"delay,omitempty"` // before the first try, so that renewals are spread
	Tries       int             `json:"tries,omitempty"` // that failed
	Begun       time.Time       `json:"begun,omitzero"`  // the first try
}

// RenewalOutcome is the result of a try.
type RenewalOutcome struct {
	Done    bool          `json:"done"`
	Refused bool          `json:"refused,omitempty"` // for good: a person must connect the channel again
	Wait    time.Duration `json:"wait,omitempty"`    // if not done: the wait before the next try
	Begun   time.Time     `json:"begun,omitzero"`    // the first try
	Note    string        `json:"note,omitempty"`    // for the operator
}

// SweepRenewals runs the activity.
func SweepRenewals(ctx workflow.Context, page RenewalsPage) (RenewalsFound, error) {
	var out RenewalsFound
	err := workflow.ExecuteActivity(ctx, ActivitySweepRenewals, page).Get(ctx, &out)
	return out, err
}

// Renew runs the activity.
func Renew(ctx workflow.Context, in RenewalInput) (RenewalOutcome, error) {
	var out RenewalOutcome
	err := workflow.ExecuteActivity(ctx, ActivityRenew, in).Get(ctx, &out)
	return out, err
}
