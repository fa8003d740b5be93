package platform

import "time"

// Sent describes the irrevocable call that is being reconciled.
type Sent struct {
	Handle Handle // empty when none is known: the text alone then tells
	Text   string
	At     time.Time                    // when the intent was recorded, by our clock
	Until  time.Time                    // when the call was over at the latest; zero: soon after At
	Taken  func(externalID string) bool // reports posts of the network that belong to other posts of ours
}

const (
	clockSkew = 2 * time.Minute  // clocks may differ
	lingering = 30 * time.Minute // a request may linger on its way
)

// Earliest is the earliest time at which the post of the call can have been made, by the network's clock.
func (s Sent) Earliest() time.Time { return s.At.Add(-clockSkew) }

// Latest is the latest one.
func (s Sent) Latest() time.Time { return s.over().Add(lingering) }

// Within reports whether the post of the call can have been made at the time.
func (s Sent) Within(at time.Time) bool { return !at.Before(s.Earliest()) && !at.After(s.Latest()) }

// ListedBy is when the post stands in a list that shows it so long after it was made.
func (s Sent) ListedBy(delay time.Duration) time.Time { return s.over().Add(delay) }

func (s Sent) over() time.Time {
	if s.Until.After(s.At) {
		return s.Until
	}
	return s.At
}
