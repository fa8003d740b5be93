package insights

import (
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/flow/insightsflow"
)

// Line is the pace of the steps, for tests.
type Line struct{ *pace }

// NewLine makes one.
func NewLine(every time.Duration, most int) Line { return Line{newPace(every, most)} }

// Enter takes a place.
func (l Line) Enter(n channel.Network, now time.Time, step *insightsflow.Step) (release func(), wait time.Duration, free bool) {
	return l.enter(n, now, step)
}
