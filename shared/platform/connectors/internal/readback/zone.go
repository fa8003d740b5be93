package readback

import (
	"time"
	_ "time/tzdata" // the days of networks start at the same instants on every machine
)

// Pacific returns the time zone of California, in which Meta's and YouTube's days end.
func Pacific() *time.Location {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil { // unreachable: the zones are embedded in the program
		const winter = -8 * 60 * 60
		return time.FixedZone("PST", winter)
	}
	return zone
}
