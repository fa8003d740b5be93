package mediastore

import "time"

// Progress has the words of a network for the processing of a complete file.
type Progress struct {
	Waiting, Processing, Failed, Done string
	Time                              time.Duration
}

// State returns the state of a file that is complete since a time; zero: not yet.
func (p Progress) State(complete, now time.Time, failed bool) string {
	switch {
	case complete.IsZero():
		return p.Waiting
	case now.Before(complete.Add(p.Time)):
		return p.Processing
	case failed:
		return p.Failed
	default:
		return p.Done
	}
}
