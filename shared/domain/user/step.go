package user

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// StepLife is the time for which a step of a sign-in waits for the browser.
const StepLife = 10 * time.Minute

// StepKind is a kind of step.
type StepKind string

// Steps of a sign-in that wait for the browser.
const (
	StepSecondFactor StepKind = "SECOND_FACTOR" // the password was right
	StepPasskey      StepKind = "PASSKEY"       // the device has a challenge to sign
	StepProvider     StepKind = "PROVIDER"      // the person is at the sign-in provider
	StepLink         StepKind = "LINK"          // the provider's identity waits for the person's first sign-in, or to join
)

// Step is a step of a sign-in that waits for the browser.
type Step struct {
	Kind      StepKind
	UserID    ident.User // zero while the person is unknown
	Data      string
	ExpiresAt time.Time
}
