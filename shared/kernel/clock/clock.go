// Package clock gives code the current time as a dependency, so that tests decide what time it is.
package clock

import "time"

// Clock tells the current time. Implementations are safe for concurrent use and answer in UTC.
type Clock interface {
	// Now returns the current instant in UTC.
	Now() time.Time
}

// System returns the clock of the machine. Its instants keep Go's monotonic reading, so differences
// between two of them survive a change of the wall clock.
func System() Clock { return system{} }

type system struct{}

func (system) Now() time.Time { return time.Now().UTC() }
