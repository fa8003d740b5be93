package webhook

import (
	"time"

	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/kernel/ident"
)

// State is where a delivery stands.
type State string

// The states of a delivery.
const (
	Pending   State = "PENDING"
	Succeeded State = "SUCCEEDED"
	Exhausted State = "FAILED"    // all attempts used
	Cancelled State = "CANCELLED" // the endpoint was disabled or deleted before it got through
	Skipped   State = "SKIPPED"   // the event happened while the endpoint was disabled
)

// States lists every state.
func States() []State { return []State{Pending, Succeeded, Exhausted, Cancelled, Skipped} }

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	ID            ident.Delivery
	WorkspaceID   ident.Workspace
	WebhookID     ident.Webhook
	EventID       ident.Event
	EventType     event.Type
	State         State
	Attempts      int       // all of them
	Tries         int       // the automatic ones since it was started last
	NextAttemptAt time.Time // zero once it is over, and while it waits in line
	CreatedAt     time.Time
	CompletedAt   time.Time // zero while it is pending
}

// Trigger is what made an attempt happen.
type Trigger string

// The triggers.
const (
	Automatic Trigger = "AUTOMATIC" // the event, or the schedule of retries
	Manual    Trigger = "MANUAL"    // somebody asked for a redelivery
	Test      Trigger = "TEST"      // webhook.test
)

// Attempt is one try of a delivery, as it is kept for the receiver's operator.
type Attempt struct {
	N          int
	Trigger    Trigger
	StartedAt  time.Time
	Duration   time.Duration
	StatusCode int    // 0 when there was no answer
	Response   string // the first 2 KiB of the answer
	ErrorClass string // empty on success
}

// ReplayState is where a replay stands.
type ReplayState string

// The states of a replay.
const (
	ReplayRunning   ReplayState = "RUNNING"
	ReplayCompleted ReplayState = "COMPLETED" // everything that it found stands in the endpoint's line
	ReplayCancelled ReplayState = "CANCELLED" // the endpoint was disabled or deleted meanwhile
)

// Replay is a range of the event log that is delivered to an endpoint again, with the events' first ids (decisions,
// section 7).
type Replay struct {
	ID          ident.Replay
	WorkspaceID ident.Workspace
	WebhookID   ident.Webhook
	Since       time.Time // inclusive
	Until       time.Time // exclusive
	OnlyFailed  bool      // leave alone what was delivered
	State       ReplayState
	Queued      int // deliveries that it found and put in line so far
	CreatedAt   time.Time
	CompletedAt time.Time // zero while it is running
}
