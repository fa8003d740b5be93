// Package mailflow defines the typed contract of the workflow that sends a mail: names, ID, queue and payloads. The
// payloads contain neither addresses nor text of a mail.
package mailflow

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// Workflow is the type name of the workflow that sends one mail.
	Workflow = "Mail"
	// Queue is the task queue of the workflow and its activity.
	Queue = "mails"
	// ActivitySend makes one try to send a mail.
	ActivitySend = "mails.Send"

	prefix = "mail/"
)

// ID returns the ID of the workflow of a mail.
func ID(id ident.Mail) string { return prefix + id.String() }

// Input starts the workflow, and is the input of each try.
type Input struct {
	MailID      ident.Mail      `json:"mailId"`
	WorkspaceID ident.Workspace `json:"workspaceId,omitzero"`
	Kind        mail.Kind       `json:"kind"`
	Tries       int             `json:"tries,omitempty"` // that failed
}

// Outcome is the result of a try.
type Outcome struct {
	Done    bool          `json:"done"`
	Refused bool          `json:"refused,omitempty"` // for good: the mail was not sent
	Wait    time.Duration `json:"wait,omitempty"`    // if not done: the wait before the next try
	Note    string        `json:"note,omitempty"`    // for the operator
}

// Send runs the activity.
func Send(ctx workflow.Context, in Input) (Outcome, error) {
	var out Outcome
	err := workflow.ExecuteActivity(ctx, ActivitySend, in).Get(ctx, &out)
	return out, err
}
