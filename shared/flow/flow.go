// Package flow defines the typed contracts of the workflows: names, IDs, queues and payloads, the messages that ask for a
// workflow, and how the relay makes a start of one. Each contract encodes and decodes its own messages. That of posts is
// package postflow.
package flow

import (
	"encoding/json"
	"fmt"
	"slices"

	"fencepost.internal/shared/kernel/ident"
)

// Message asks for a workflow. The transaction that needs the workflow writes the message to the outbox.
type Message struct {
	Kind      string
	Workspace ident.Workspace // by which messages take turns; zero: the message takes turns by itself
	Subject   fmt.Stringer    // the id of the object that the workflow is about
	In        any             // the payload, encoded as JSON
}

// Start is the start of a workflow that receives no signals.
type Start struct {
	ID, Queue, Workflow string
	Workspace           ident.Workspace // by which Temporal takes turns
	Input               any
}

// Kind is a kind of messages.
type Kind struct {
	Name string
	// Start decodes a payload. It is nil for kinds whose messages are more than a start, which the relay knows.
	Start func(payload string) (Start, error)
}

// Starts returns a kind whose payload is the workflow's input.
func Starts[In any](name string, of func(in In) Start) Kind {
	return Kind{name, func(payload string) (Start, error) {
		var in In
		if err := json.Unmarshal([]byte(payload), &in); err != nil {
			return Start{}, err
		}
		start := of(in)
		start.Input = in
		return start, nil
	}}
}

// Kinds returns the kinds of messages of this package.
func Kinds() []Kind {
	return slices.Concat(deliveryKinds(), mediaKinds(), insightsKinds(), mailKinds(), replyKinds(), followupKinds())
}
