package flow

import (
	"strconv"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/kernel/ident"
)

const (
	// WorkflowDelivery is the type name of the workflow that delivers one event to one endpoint.
	WorkflowDelivery = "Delivery"
	// WorkflowReplay is the type name of the workflow that adds a range of the event log to an endpoint's queue.
	WorkflowReplay = "Replay"
	// QueueDeliveries is the task queue of both workflows and their activities.
	QueueDeliveries = "deliveries"
	// ActivityAttempt makes one attempt and records it.
	ActivityAttempt = "deliveries.Attempt"
	// ActivityReplay queues the next page of a replay.
	ActivityReplay = "deliveries.Replay"
	// ErrorWaiting is the type of the error with which ActivityAttempt requests its next attempt.
	ErrorWaiting = "Waiting"
)

// DeliveryInput starts the automatic attempts of a delivery or, with a RedeliveryID, the one manually requested attempt.
type DeliveryInput struct {
	DeliveryID   ident.Delivery   `json:"deliveryId"`
	WorkspaceID  ident.Workspace  `json:"workspaceId"`
	WebhookID    ident.Webhook    `json:"webhookId"`
	Run          int              `json:"run,omitempty"` // how often the delivery left the endpoint's queue
	RedeliveryID ident.Redelivery `json:"redeliveryId,omitzero"`
}

// ID returns the workflow ID. A delivery that returned to the endpoint's queue leaves it under another workflow ID, so
// that the end of one workflow cannot conflict with the start of the next.
func (in DeliveryInput) ID() string {
	switch {
	case !in.RedeliveryID.IsZero():
		return "redelivery/" + in.RedeliveryID.String()
	case in.Run > 1:
		return "delivery/" + in.DeliveryID.String() + "/" + strconv.Itoa(in.Run)
	default:
		return "delivery/" + in.DeliveryID.String()
	}
}

// Kinds of messages.
const (
	KindDelivery   = "delivery" // of which the database writes the messages
	kindRedelivery = "redelivery"
	kindReplay     = "replay"
)

// deliveryKinds returns the kinds of messages that start deliveries and replays.
func deliveryKinds() []Kind {
	deliver := func(in DeliveryInput) Start {
		return Start{ID: in.ID(), Queue: QueueDeliveries, Workflow: WorkflowDelivery, Workspace: in.WorkspaceID}
	}
	return []Kind{
		Starts(KindDelivery, deliver), Starts(kindRedelivery, deliver),
		Starts(kindReplay, func(in ReplayInput) Start {
			return Start{ID: in.ID(), Queue: QueueDeliveries, Workflow: WorkflowReplay, Workspace: in.WorkspaceID}
		}),
	}
}

// Redeliver returns the message that starts a redelivery.
func Redeliver(in DeliveryInput) Message {
	return Message{Kind: kindRedelivery, Workspace: in.WorkspaceID, Subject: in.RedeliveryID, In: in}
}

// DeliveryOutcome is the result of one attempt.
type DeliveryOutcome struct {
	Done bool          `json:"done"`
	Wait time.Duration `json:"wait,omitempty"` // if not done: the wait before the next attempt
	Note string        `json:"note,omitempty"` // for the operator
}

// Retry returns the error with which the activity requests its next attempt from the Temporal server, after the wait. A
// retry of an activity adds no event to the history and runs no workflow task, so that it costs a fraction of a timer
// and another activity. The Temporal UI shows the note and the time of the next attempt.
func (o DeliveryOutcome) Retry() error {
	return temporal.NewApplicationErrorWithOptions(o.Note, ErrorWaiting, temporal.ApplicationErrorOptions{
		NextRetryDelay: o.Wait, Category: temporal.ApplicationErrorCategoryBenign,
	})
}

// AttemptDelivery runs the activity, with its retries.
func AttemptDelivery(ctx workflow.Context, in DeliveryInput) (DeliveryOutcome, error) {
	var out DeliveryOutcome
	err := workflow.ExecuteActivity(ctx, ActivityAttempt, in).Get(ctx, &out)
	return out, err
}

// ReplayInput starts a replay.
type ReplayInput struct {
	ReplayID    ident.Replay    `json:"replayId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	WebhookID   ident.Webhook   `json:"webhookId"`
}

// ID returns the workflow ID.
func (in ReplayInput) ID() string { return "replay/" + in.ReplayID.String() }

// Message returns the message that starts the replay.
func (in ReplayInput) Message() Message {
	return Message{Kind: kindReplay, Workspace: in.WorkspaceID, Subject: in.ReplayID, In: in}
}

// ReplayPage runs the activity.
func ReplayPage(ctx workflow.Context, in ReplayInput) (DeliveryOutcome, error) {
	var out DeliveryOutcome
	err := workflow.ExecuteActivity(ctx, ActivityReplay, in).Get(ctx, &out)
	return out, err
}
