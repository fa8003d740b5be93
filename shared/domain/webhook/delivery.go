package webhook

import (
	"time"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/ident"
)

// State is the state of a delivery.
type State string

// States of a delivery.
const (
	Pending   State = "PENDING"
	Succeeded State = "SUCCEEDED"
	Exhausted State = "FAILED"    // all attempts used
	Cancelled State = "CANCELLED" // the endpoint was disabled or deleted first
	Skipped   State = "SKIPPED"   // the event happened while the endpoint was disabled
)

// States lists every state.
func States() []State { return []State{Pending, Succeeded, Exhausted, Cancelled, Skipped} }

// Delivery is the delivery of one event to one endpoint.
type Delivery struct {
	ID            ident.Delivery
	WorkspaceID   ident.Workspace
	WebhookID     ident.Webhook
	EventID       ident.Event
	EventType     event.Type
	State         State
	Attempts      int       // all attempts
	Tries         int       // automatic attempts since the last start
	NextAttemptAt time.Time // zero once completed, and while queued
	CreatedAt     time.Time
	CompletedAt   time.Time // zero while pending
}

// Trigger is the cause of an attempt.
type Trigger string

// Triggers of an attempt.
const (
	Automatic Trigger = "AUTOMATIC" // the event, or the retry schedule
	Manual    Trigger = "MANUAL"    // a requested redelivery
	Test      Trigger = "TEST"      // webhook.test
)

// Attempt is one attempt of a delivery, as recorded for the receiver's operator.
type Attempt struct {
	N          int
	Trigger    Trigger
	StartedAt  time.Time
	Duration   time.Duration
	StatusCode int    // 0 if there was no response
	Response   string // the first 2 KiB of the response
	ErrorClass string // empty on success
	// RequestHeaders and ResponseHeaders have one header a line, sorted; empty for attempts before they were stored, and for
	// a missing response.
	RequestHeaders, ResponseHeaders string
}

// ReplayState is the state of a replay.
type ReplayState string

// States of a replay.
const (
	ReplayRunning   ReplayState = "RUNNING"
	ReplayCompleted ReplayState = "COMPLETED" // all matching deliveries were queued
	ReplayCancelled ReplayState = "CANCELLED" // the endpoint was disabled or deleted meanwhile
)

// Replay is a range of the event log that is delivered to an endpoint again, with the original event IDs
// (docs/contract.md, Webhooks).
type Replay struct {
	ID          ident.Replay
	WorkspaceID ident.Workspace
	WebhookID   ident.Webhook
	Since       time.Time // inclusive
	Until       time.Time // exclusive
	OnlyFailed  bool      // exclude deliveries that succeeded
	State       ReplayState
	Queued      int // deliveries queued so far
	CreatedAt   time.Time
	CompletedAt time.Time // zero while running
}
