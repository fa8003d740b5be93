package ratelimit

import "time"

// Limit is the size of a subject's bucket. Both numbers are taken as 1 when they are less, and as 1,000,000 when they are more.
type Limit struct {
	PerMinute int // tokens that the bucket regains in a minute
	Burst     int // tokens that it holds when it is full: so many requests may come at once
}

const (
	maxLimit = 1_000_000
	// TokenParts is how many parts a token has: a bucket then regains PerMinute parts in a microsecond, and all arithmetic on
	// buckets is in whole numbers. What a bucket is known by is how many parts it lacks.
	TokenParts = int64(time.Minute / time.Microsecond)
)

// Bounded is the limit with both numbers within their bounds. All other methods are for bounded limits.
func (l Limit) Bounded() Limit {
	return Limit{PerMinute: min(max(l.PerMinute, 1), maxLimit), Burst: min(max(l.Burst, 1), maxLimit)}
}

// Regain is what a bucket lacks that lacked so much some time ago: none when that is enough to fill it, and never more than all. A
// negative time, by a clock that jumped back, brings nothing.
func (l Limit) Regain(lacking int64, elapsed time.Duration) int64 {
	lacking = min(lacking, l.parts())
	micros := min(max(elapsed, 0), l.UntilFull(lacking)).Microseconds()
	return max(0, lacking-micros*int64(l.PerMinute))
}

// Tokens is how many whole tokens a bucket holds.
func (l Limit) Tokens(lacking int64) int { return int(max(0, l.parts()-lacking) / TokenParts) }

// UntilFull is how long a bucket takes to be full, in whole microseconds.
func (l Limit) UntilFull(lacking int64) time.Duration { return l.timeFor(lacking) }

// UntilNext is how long a bucket takes to hold one whole token more, in whole microseconds; zero when it is full.
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
