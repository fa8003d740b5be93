package platform

import "time"

// DefaultCommitTimeout is the timeout of the irrevocable call for networks that do not need a longer one.
const DefaultCommitTimeout = 30 * time.Second

// TransferTime returns the time that a body of size bytes adds to the timeout of a call: one second per 256 KiB, at
// most half an hour.
func TransferTime(size int64) time.Duration {
	const (
		slowest = 256 << 10
		longest = 30 * time.Minute
	)
	seconds := min(float64(max(size, 0))/slowest, longest.Seconds())
	return time.Duration(seconds * float64(time.Second))
}
