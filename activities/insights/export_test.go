package insights

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
)

// Line exposes pace to tests.
type Line struct{ *pace }

// NewLine exposes newPace to tests.
func NewLine(every time.Duration, most int) Line { return Line{newPace(every, most)} }

// Enter reserves a slot.
func (l Line) Enter(
	n channel.Network, now time.Time, step *flow.InsightsStep,
) (release func(), wait time.Duration, free bool) {
	return l.enter(n, now, step)
}
