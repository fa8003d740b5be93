// Package deliveryflow is the typed contract of the webhook delivery workflow: names, ids, queue, payloads.
package deliveryflow

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/ident"
)

const (
	// Workflow is the workflow's type name.
	Workflow = "Delivery"
	// Queue is the task queue of the delivery workflow and of its activity.
	Queue    = "deliveries"
	idPrefix = "delivery/"
	// ActivityAttempt makes one attempt and records it.
	ActivityAttempt = "deliveries.Attempt"
)

// ID is the workflow id of a delivery.
func ID(id ident.Delivery) string { return idPrefix + id.String() }

// Input starts the workflow.
type Input struct {
	DeliveryID  ident.Delivery  `json:"deliveryId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	WebhookID   ident.Webhook   `json:"webhookId"`
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
