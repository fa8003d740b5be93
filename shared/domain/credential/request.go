package credential

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Request is an entry in the log of the requests of a credential. It has neither bodies nor credentials.
type Request struct {
	ID          ident.Request
	WorkspaceID ident.Workspace
	Credential  ident.Credential // an API key, or the grant of a program
	At          time.Time        // of its arrival
	Method      string
	Operation   string // ID of the operation, or the tool
	Path        string // without parts that may be personal
	Query       string // without values that may be personal
	Status      int
	Code        string // of the problem; empty: none
	Duration    time.Duration
	RequestID   string
	Client      string // the network of the client's address
	Agent       string // User-Agent
}
