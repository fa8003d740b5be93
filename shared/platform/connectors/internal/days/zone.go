package days

import (
	"time"
	_ "time/tzdata" // the days of networks begin at the same instants on every machine
)

// Pacific is the zone of California, in which Meta and YouTube end their days.
func Pacific() *time.Location {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil { // cannot be: the zones are part of the program
		const winter = -8 * 60 * 60
		return time.FixedZone("PST", winter)
	}
	return zone
}
