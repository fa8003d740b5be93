package frame

import (
	"time"

	"socialpub.internal/shared/kernel/clock"
)

// ViewIn returns the view of a page in a time zone.
func ViewIn(zone *time.Location, clk clock.Clock) View {
	return View{zone: zone, visit: &Visit{frame: &Frame{cfg: Config{Clock: clk}}}}
}
