// Package clock provides the current time as a dependency, so that tests can control it, and gives work in flight time to
// finish on shutdown. It is small and depends on nothing, because nearly every package needs it.
package clock

import "time"

// Clock returns the current time. Implementations are safe for concurrent use.
type Clock interface {
	// Now returns the current instant in UTC.
	Now() time.Time
}

// System returns the system clock. Its instants keep Go's monotonic reading, so that the difference between two of them
// is correct even if the wall clock changes.
func System() Clock { return system{} }

type system struct{}

func (system) Now() time.Time { return time.Now().UTC() }
