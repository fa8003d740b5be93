package ratelimit

import "time"

// Limit is the size and refill rate of a subject's bucket. Both numbers are clamped to the range from 1 to 1,000,000.
type Limit struct {
	PerMinute int // tokens that the bucket regains per minute
	Burst     int // tokens of a full bucket: the maximum number of simultaneous requests
}

const (
	maxLimit = 1_000_000
	// TokenParts is the number of parts of a token. A bucket then regains PerMinute parts per microsecond, and all
	// arithmetic on buckets is in integers. The state of a bucket is the number of parts that it lacks.
	TokenParts = int64(time.Minute / time.Microsecond)
)

// Bounded returns the limit with both numbers clamped. All other methods require a bounded limit.
func (l Limit) Bounded() Limit {
	return Limit{PerMinute: min(max(l.PerMinute, 1), maxLimit), Burst: min(max(l.Burst, 1), maxLimit)}
}

// Regain returns the parts that a bucket lacks after the elapsed time: zero if it is full, and never more than a whole
// bucket. A negative time, from a clock that jumped back, adds nothing.
func (l Limit) Regain(lacking int64, elapsed time.Duration) int64 {
	lacking = min(lacking, l.parts())
	micros := min(max(elapsed, 0), l.UntilFull(lacking)).Microseconds()
	return max(0, lacking-micros*int64(l.PerMinute))
}

// Tokens returns the number of whole tokens that a bucket holds.
func (l Limit) Tokens(lacking int64) int { return int(max(0, l.parts()-lacking) / TokenParts) }

// UntilFull returns the time until a bucket is full, in whole microseconds.
func (l Limit) UntilFull(lacking int64) time.Duration { return l.timeFor(lacking) }

// UntilNext returns the time until a bucket holds one more whole token, in whole microseconds; zero if it is full.
func (l Limit) UntilNext(lacking int64) time.Duration {
	then := l.parts() - int64(l.Tokens(lacking)+1)*TokenParts
	if then < 0 {
		return 0
	}
	return l.timeFor(lacking - then)
}

func (l Limit) parts() int64 { return int64(l.Burst) * TokenParts }

func (l Limit) timeFor(parts int64) time.Duration {
	rate := int64(l.PerMinute)
	return time.Duration((parts+rate-1)/rate) * time.Microsecond
}
