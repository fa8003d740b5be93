// Package webhook holds the rules of event delivery: the endpoints of a workspace, the signature, the retry schedule
// and what an answer means (specification, Events; decisions, section 7).
package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"slices"
	"time"

	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/kernel/ident"
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
	// MaxInFlight is how many requests one endpoint gets at a time (decisions, section 7): a slow receiver holds up nobody
	// but itself. An endpoint whose last attempt failed gets one.
	MaxInFlight = 4
	// DefaultOverlap is how long the secret from before a rotation signs beside the new one (decisions, section 7).
	DefaultOverlap = 24 * time.Hour
	// MaxOverlap is the longest such time.
	MaxOverlap  = 7 * 24 * time.Hour
	secretBytes = 32
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
	// PreviousSecretUntil is how long the secret from before the last rotation signs beside the present one; zero when none does.
	PreviousSecretUntil time.Time
}

// Change is what is asked of an endpoint; nil leaves a member as it is.
type Change struct {
	URL         *string
	Description *string
	Events      []string
	IsActive    *bool // true also sets the failure counter to 0
}

// Why an endpoint is disabled.
const (
	ReasonFailures = "CONSECUTIVE_FAILURES"
	ReasonGone     = "GONE"
	ReasonManual   = "MANUAL"
)

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
