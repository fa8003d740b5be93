// Package deliveryflow is the typed contract of the webhook workflows: names, ids, queue, payloads.
package deliveryflow

import (
	"strconv"
	"time"

	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/kernel/ident"
)

const (
	// Workflow is the type name of the workflow that brings one event to one endpoint.
	Workflow = "Delivery"
	// WorkflowReplay is the type name of the workflow that puts a range of the event log into an endpoint's line.
	WorkflowReplay = "Replay"
	// Queue is the task queue of both workflows and of their activities.
	Queue = "deliveries"
	// ActivityAttempt makes one attempt and records it.
	ActivityAttempt = "deliveries.Attempt"
	// ActivityReplay puts the next page of a replay in line.
	ActivityReplay = "deliveries.Replay"
)

// Input starts a delivery: its automatic attempts, or, with a redelivery, the one that somebody asked for.
type Input struct {
	DeliveryID   ident.Delivery   `json:"deliveryId"`
	WorkspaceID  ident.Workspace  `json:"workspaceId"`
	WebhookID    ident.Webhook    `json:"webhookId"`
	Run          int              `json:"run,omitempty"` // how often the delivery left the line
	RedeliveryID ident.Redelivery `json:"redeliveryId,omitzero"`
}

// ID is the workflow's id. A delivery that went back into the line leaves it as another workflow, so that the end of the one
// never meets the start of the next.
func (in Input) ID() string {
	switch {
	case !in.RedeliveryID.IsZero():
		return "redelivery/" + in.RedeliveryID.String()
	case in.Run > 1:
		return "delivery/" + in.DeliveryID.String() + "/" + strconv.Itoa(in.Run)
	default:
		return "delivery/" + in.DeliveryID.String()
	}
}

// Outcome is what one attempt came to.
type Outcome struct {
	Done bool          `json:"done"`
	Wait time.Duration `json:"wait,omitempty"` // not done: how long until the next attempt
	Note string        `json:"note,omitempty"` // for the operator
}

// Attempt runs the activity.
func Attempt(ctx workflow.Context, in Input) (Outcome, error) {
	var out Outcome
	err := workflow.ExecuteActivity(ctx, ActivityAttempt, in).Get(ctx, &out)
	return out, err
}

// ReplayInput starts a replay.
type ReplayInput struct {
	ReplayID    ident.Replay    `json:"replayId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	WebhookID   ident.Webhook   `json:"webhookId"`
}

// ID is the workflow's id.
func (in ReplayInput) ID() string { return "replay/" + in.ReplayID.String() }

// Replay runs the activity.
func Replay(ctx workflow.Context, in ReplayInput) (Outcome, error) {
	var out Outcome
	err := workflow.ExecuteActivity(ctx, ActivityReplay, in).Get(ctx, &out)
	return out, err
}
