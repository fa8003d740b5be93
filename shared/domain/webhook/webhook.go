// Package webhook defines the rules of event delivery: the endpoints of a workspace, the signature, the retry schedule
// and the meaning of responses (docs/contract.md, Webhooks).
package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

const (
	// DisableAfter is the number of consecutive exhausted deliveries that disables an endpoint.
	DisableAfter = 10
	// AllEvents subscribes to every event type, including future ones.
	AllEvents = "*"
	// SecretPrefix is the prefix of every signing secret.
	SecretPrefix = "whsec_"
	// MaxURL is the maximum length of a URL, in bytes.
	MaxURL = 2048
	// MaxDescription is the maximum length of a description, in characters.
	MaxDescription = 500
	// MaxInFlight is the maximum number of concurrent requests to one endpoint, so that a slow receiver delays only its
	// own deliveries. An endpoint whose last attempt failed gets one.
	MaxInFlight = 4
	// DefaultOverlap is the time for which the previous secret signs in addition to the new one after a rotation.
	DefaultOverlap = 24 * time.Hour

	secretBytes = 32
)

// Endpoint is a registered receiver.
type Endpoint struct {
	ID          ident.Webhook
	WorkspaceID ident.Workspace
	URL         string
	Description string
	Events      []string // event types, or AllEvents
	// ChannelIDs limits the events to those of these channels; empty: every event, also those without a channel.
	ChannelIDs          []ident.Channel
	IsActive            bool
	ConsecutiveFailures int
	DisabledAt          time.Time // zero while active
	DisabledReason      string
	CreatedAt           time.Time
	UpdatedAt           time.Time
	// PreviousSecretUntil is the time until which the previous secret signs in addition to the current one; zero if
	// none does.
	PreviousSecretUntil time.Time
}

// Change is a change of an endpoint; nil leaves a field unchanged.
type Change struct {
	URL         *string
	Description *string
	Events      []string
	ChannelIDs  *[]ident.Channel // empty: no limit
	IsActive    *bool            // true also sets the failure counter to 0
}

// Relieves reports whether the change ends the restriction of a failing endpoint to one place: it is enabled, or gets
// another URL.
func (c Change) Relieves() bool { return c.URL != nil || c.IsActive != nil && *c.IsActive }

// Reasons for which an endpoint is disabled.
const (
	ReasonFailures = "CONSECUTIVE_FAILURES"
	ReasonGone     = "GONE"
	ReasonManual   = "MANUAL"
)

// Changed returns the endpoint after the change. Enabling it, even again, resets the failure counter to 0. Disabling a
// disabled endpoint keeps its reason. The store sets the times.
func (e Endpoint) Changed(c Change) Endpoint {
	if c.URL != nil {
		e.URL = *c.URL
	}
	if c.Description != nil {
		e.Description = *c.Description
	}
	if c.Events != nil {
		e.Events = c.Events
	}
	if c.ChannelIDs != nil {
		e.ChannelIDs = *c.ChannelIDs
	}
	switch {
	case c.IsActive == nil:
	case *c.IsActive:
		e.IsActive, e.ConsecutiveFailures, e.DisabledAt, e.DisabledReason = true, 0, time.Time{}, ""
	case e.IsActive:
		e.IsActive, e.DisabledReason = false, ReasonManual
	}
	return e
}

// NewSecret returns a signing secret: whsec_ and base64 of 32 random bytes.
func NewSecret() string {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // never fails: crypto/rand aborts the process instead
	return SecretPrefix + base64.StdEncoding.EncodeToString(raw)
}
