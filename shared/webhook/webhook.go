// Package webhook holds the rules of event delivery: the endpoints of a workspace, the signature, the retry schedule
// and what an answer means (specification, Events; decisions, section 7).
package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"slices"
	"time"

	"socialpub.internal/shared/event"
	"socialpub.internal/shared/ident"
)

const (
	// DisableAfter is how many exhausted deliveries in a row disable an endpoint.
	DisableAfter = 10
	// AllEvents subscribes to every event type, also those to come.
	AllEvents = "*"
	// SecretPrefix starts every signing secret.
	SecretPrefix = "whsec_"
	// MaxURL is the longest address, in bytes.
	MaxURL = 2048
	// MaxDescription is the longest description, in characters.
	MaxDescription = 500
	secretBytes    = 32
)

// Endpoint is a registered receiver.
type Endpoint struct {
	ID                  ident.Webhook
	WorkspaceID         ident.Workspace
	URL                 string
	Description         string
	Events              []string // event types, or AllEvents
	IsActive            bool
	ConsecutiveFailures int
	DisabledAt          time.Time // zero while active
	DisabledReason      string
	CreatedAt           time.Time
	UpdatedAt           time.Time
}

// Subscribes reports whether the endpoint wants events of the type. A test is sent to whom it is addressed only.
func (e Endpoint) Subscribes(typ event.Type) bool {
	return slices.Contains(e.Events, AllEvents) || slices.Contains(e.Events, string(typ))
}

// NewSecret makes a signing secret: whsec_ and base64 of 32 random bytes.
func NewSecret() string {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // never fails: crypto/rand aborts the process instead
	return SecretPrefix + base64.StdEncoding.EncodeToString(raw)
}

// State is where a delivery stands.
type State string

// The states of a delivery.
const (
	Pending   State = "PENDING"
	Succeeded State = "SUCCEEDED"
	Exhausted State = "FAILED"    // all attempts used
	Cancelled State = "CANCELLED" // the endpoint was disabled or deleted before it got through
)

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	ID            ident.Delivery
	WorkspaceID   ident.Workspace
	WebhookID     ident.Webhook
	EventID       ident.Event
	State         State
	Attempts      int
	NextAttemptAt time.Time // zero once it is over
	CreatedAt     time.Time
}

// Attempt is one try of a delivery, as it is kept for the receiver's operator.
type Attempt struct {
	N          int
	StartedAt  time.Time
	Duration   time.Duration
	StatusCode int    // 0 when there was no answer
	Response   string // the first 2 KiB of the answer
	ErrorClass string // empty on success
}

// DisabledReason values.
const (
	ReasonFailures = "CONSECUTIVE_FAILURES"
	ReasonGone     = "GONE"
)
