package flow

import (
	"encoding/json"
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/kernel/ident"
)

const (
	// WorkflowFollowup is the type name of the workflow that waits for the follow-up of a lead.
	WorkflowFollowup = "Followup"
	// SignalFollowup carries a newer plan to the workflow, as a FollowupInput.
	SignalFollowup = "planned"
	// QueueFollowups is the task queue of the workflow and its activity.
	QueueFollowups = "followups"
	// ActivityRemind reminds a member of a lead, if the follow-up is still planned for its time.
	ActivityRemind = "leads.Remind"
	// KindFollowup is the kind of messages about follow-ups.
	KindFollowup = "followup"

	followupPrefix = "followup/"
)

// FollowupID returns the ID of the workflow of a lead: one lead has at most one.
func FollowupID(id ident.Lead) string { return followupPrefix + id.String() }

// FollowupInput is the plan of a lead: it starts the workflow, and a newer one replaces it. It contains nothing of the lead.
type FollowupInput struct {
	LeadID      ident.Lead      `json:"leadId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	Revision    int64           `json:"revision"`
	At          time.Time       `json:"at,omitzero"` // zero: there is nothing to wait for
	// Beyond reports to the relay that the time is beyond the horizon: a running workflow is signaled, a missing one not started.
	Beyond bool `json:"beyond,omitempty"`
}

// ReadFollowup decodes the payload of a message.
func ReadFollowup(payload string) (in FollowupInput, err error) {
	err = json.Unmarshal([]byte(payload), &in)
	return in, err
}

func followupKinds() []Kind { return []Kind{{Name: KindFollowup}} }

// FollowupOutcome is the result of the activity.
type FollowupOutcome struct {
	At   time.Time `json:"at,omitzero"`    // the time for which the follow-up is planned now; zero: it is done, or given up
	Note string    `json:"note,omitempty"` // for the operator
}

// Remind runs the activity.
func Remind(ctx workflow.Context, in FollowupInput) (FollowupOutcome, error) {
	var out FollowupOutcome
	err := workflow.ExecuteActivity(ctx, ActivityRemind, in).Get(ctx, &out)
	return out, err
}
