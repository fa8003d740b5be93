package postgres

import (
	"slices"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
)

// Kinds returns the kinds that this version knows. Messages of newer kinds are left to newer relays, so that versions
// running side by side do not misread each other's messages.
func Kinds() []flow.Kind {
	return slices.Concat(postflow.Kinds(), flow.Kinds())
}
