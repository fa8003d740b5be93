package network

import "time"

// Version is the version of a network's API that a variable selects.
type Version struct {
	Variable, Value string
	// Ends is the day on which the network ends the version; zero if it is not announced.
	Ends time.Time
}
