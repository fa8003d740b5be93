package platform

import "time"

// Sent describes the irrevocable call that is being reconciled.
type Sent struct {
	Handle Handle // empty if unknown: only the text then identifies the post
	Text   string
	At     time.Time                    // when the intent was recorded, by the service's clock
	Until  time.Time                    // latest end of the call; zero: soon after At
	Taken  func(externalID string) bool // reports posts of the network that belong to other posts of this service
}

const (
	clockSkew = 2 * time.Minute  // maximum difference between the clocks
	lingering = 30 * time.Minute // maximum delay of a request in transit
)

// Earliest returns the earliest time at which the call can have created the post, by the network's clock.
func (s Sent) Earliest() time.Time { return s.At.Add(-clockSkew) }

// Latest returns the latest time at which the call can have created the post, by the network's clock.
func (s Sent) Latest() time.Time { return s.over().Add(lingering) }

// Within reports whether the call can have created a post at the given time.
func (s Sent) Within(at time.Time) bool { return !at.Before(s.Earliest()) && !at.After(s.Latest()) }

// ListedBy returns the time by which a list shows the post, if the list shows posts after the given delay.
func (s Sent) ListedBy(delay time.Duration) time.Time { return s.over().Add(delay) }

func (s Sent) over() time.Time {
	if s.Until.After(s.At) {
		return s.Until
	}
	return s.At
}
