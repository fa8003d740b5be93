package stage

import (
	"sync/atomic"
	"time"

	"fencepost.internal/shared/kernel/clock"
)

// Clock is the networks' clock: that of the process plus an offset. A test moves it to reach the end of a token without
// waiting. It is safe for concurrent use.
type Clock struct {
	base   clock.Clock
	offset atomic.Int64
}

// NewClock returns a clock without an offset.
func NewClock(base clock.Clock) *Clock { return &Clock{base: base} }

// Now returns the networks' time in UTC.
func (c *Clock) Now() time.Time { return c.base.Now().Add(c.Offset()) }

// Offset returns the difference to the process's clock.
func (c *Clock) Offset() time.Duration { return time.Duration(c.offset.Load()) }

// Move sets the difference to the process's clock. It replaces the earlier one.
func (c *Clock) Move(offset time.Duration) { c.offset.Store(int64(offset)) }
