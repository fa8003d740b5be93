package channel

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Limits of an attempt of a person to connect accounts.
const (
	// StateLife is the time within which the person must come back from the network.
	StateLife = 10 * time.Minute
	// PickLife is the time for choosing accounts after that.
	PickLife = 30 * time.Minute
)

// AttemptOutcome is the state of an attempt.
type AttemptOutcome string

// Outcomes. OPEN and PICKING are not final.
const (
	AttemptOpen      AttemptOutcome = "OPEN"    // the person is at the network
	AttemptPicking   AttemptOutcome = "PICKING" // the person chooses from the accounts
	AttemptConnected AttemptOutcome = "CONNECTED"
	AttemptDenied    AttemptOutcome = "DENIED" // the person refused at the network
	AttemptFailed    AttemptOutcome = "FAILED"
)

// Final reports whether the attempt is over.
func (o AttemptOutcome) Final() bool { return o != AttemptOpen && o != AttemptPicking }

// Attempt is one attempt to connect accounts of a channel type, or to reconnect one.
type Attempt struct {
	ID          ident.Connect
	WorkspaceID ident.Workspace
	Type        Type
	Variant     Variant
	Server      string        // of the account, on a network of independent servers
	ChannelID   ident.Channel // the channel to reconnect; zero: none
	Redirect    string        // the address that receives the code
	Actor       string        // who connects, for timelines
	Outcome     AttemptOutcome
	Steps       []AttemptStep
	CreatedAt   time.Time
	ExpiresAt   time.Time
	FinishedAt  time.Time // zero until the outcome is final
}

// AttemptStep describes a step of an attempt, for the person who connects.
type AttemptStep struct {
	At time.Time `json:"at"`
	// What happened, in a sentence.
	What string `json:"what"`
	OK   bool   `json:"ok"`
	// Code is the stable code of a failure, and Response the network's own response without secrets.
	Code     string `json:"code,omitempty"`
	Response string `json:"response,omitempty"`
}

// Candidate is an account that a consent, or tokens that a person entered, give access to.
type Candidate struct {
	Type        Type        `json:"type"`
	ExternalID  string      `json:"externalId"` // as Channel.ExternalID
	Name        string      `json:"name"`
	Username    string      `json:"username,omitempty"`
	AvatarURL   string      `json:"avatarUrl,omitempty"`
	Owner       string      `json:"owner,omitempty"`   // through which the person has it, such as a business; empty: directly
	Problem     string      `json:"problem,omitempty"` // why it cannot be connected; empty if it can
	Needs       bool        `json:"needs,omitempty"`   // the person enters a value with which it is registered first
	Credentials Credentials `json:"credentials"`
	Facts       Facts       `json:"facts,omitzero"`
}

// AttemptSecret is the part of an attempt that is stored encrypted.
type AttemptSecret struct {
	Verifier string      `json:"verifier,omitempty"` // of the code challenge
	Kept     string      `json:"kept,omitempty"`     // of the connector
	Accounts []Candidate `json:"accounts,omitempty"`
}

// String hides the secret from fmt and from logs.
func (AttemptSecret) String() string { return "[redacted]" }

// GoString hides the secret from %#v.
func (AttemptSecret) GoString() string { return "[redacted]" }
