package frame

import (
	"time"

	"fencepost.internal/shared/kernel/clock"
)

// ViewIn returns the view of a page in a time zone.
func ViewIn(zone *time.Location, clk clock.Clock) View {
	return View{zone: zone, visit: &Visit{frame: &Frame{cfg: Config{Clock: clk}}}}
}

// Unavailable returns the text of the page after a dependency did not respond to a request.
func Unavailable(method string) string { return unavailable(method) }
