package ratelimit

import (
	"sync"
	"time"

	"fencepost.internal/shared/kernel/clock"
)

const (
	// blockLife is the time in which a leased token can be used.
	blockLife = time.Second
	// fairShare is the divisor for the part of a bucket that one process may hold unused: a tenth.
	fairShare = 10
	// minHold is the minimum time for which an empty bucket is not requested again.
	minHold = time.Second
)

// bucket is a process's view of a subject's bucket, and its leased tokens.
type bucket struct {
	mu    sync.Mutex
	limit Limit
	hold  period // found empty: no request to the store

	lacking int64     // of the shared bucket, as last reported; in an outage, of this process's own
	at      time.Time // time of lacking

	block     period // period in which the leased tokens may be used
	granted   int    // size of the block
	remaining int    // unused tokens of the block
	unused    int    // tokens of earlier blocks, to be given back

	size    int           // size of the next block
	asking  chan struct{} // closed when the store has responded; nil if there is no call
	waiting int           // number of requests waiting for the response
	unmet   int           // number of waiting requests that the response cannot serve
}

// period is a period of time on a clock that may jump.
type period struct {
	from   time.Time
	length time.Duration
}

// remaining returns the remaining time of the period. It is also zero before the period, because only a clock that jumped
// back can be there.
func (p period) remaining(now time.Time) time.Duration {
	age := now.Sub(p.from)
	if age < 0 || age >= p.length {
		return 0
	}
	return p.length - age
}

// step is the next action of a request: return its decision, wait, or lease tokens from the store. After the last two,
// it calls step again.
type step struct {
	decision Decision
	wait     <-chan struct{}
	want     int
}

// step reads the clock under the lock, as all methods here do, so that the time is never behind that of earlier writes,
// unless the clock jumped.
func (b *bucket) step(limit Limit, clk clock.Clock, store *health) step {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := clk.Now()
	b.adopt(limit)
	b.settle(now)
	switch {
	case b.remaining > 0:
		b.remaining--
		return step{decision: b.allow(now)}
	case b.hold.remaining(now) > 0:
		return step{decision: b.refuse(b.hold.remaining(now))}
	case b.asking != nil && store.isUp():
		b.waiting++
		return step{wait: b.asking}
	case b.asking == nil && store.admits(clk):
		b.asking = make(chan struct{})
		return step{want: b.want(now)}
	default:
		return step{decision: b.takeAlone(now)}
	}
}

// adopt discards the leased tokens and the state of another limit, so that a plan change takes effect at once.
func (b *bucket) adopt(limit Limit) {
	if b.limit != limit {
		b.limit, b.hold, b.remaining, b.unused = limit, period{}, 0, 0
	}
}

// settle updates the bucket to the current time, and sets aside the tokens of an expired block.
func (b *bucket) settle(now time.Time) {
	elapsed := now.Sub(b.at)
	b.lacking = b.limit.Regain(b.lacking, elapsed)
	b.at = now.Add(-max(0, elapsed%time.Microsecond)) // the remainder counts next time
	if b.remaining > 0 && b.block.remaining(now) == 0 {
		b.size = max(1, b.granted-b.remaining)
		b.unused += b.remaining
		b.remaining = 0
	}
}

// want returns the size of the next block to lease.
func (b *bucket) want(now time.Time) int {
	switch age := now.Sub(b.block.from); {
	case age < 0 || age >= 2*blockLife:
		b.size = 1
	case age < blockLife/2:
		b.size *= 2
	}
	b.size = min(max(b.size, 1), max(1, b.limit.Burst/fairShare))
	want := min(max(b.size, b.unmet), b.limit.Burst)
	b.unmet = 0
	return want
}

// response applies the store's response and wakes the waiting requests. The block's lifetime counts from the call,
// because the store granted it after that. Without a response (nil), or with one for a limit that has changed in the
// meantime, the bucket stays unchanged.
func (b *bucket) response(requested time.Time, clk clock.Clock, limit Limit, want int, lease *Lease) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := clk.Now()
	close(b.asking)
	b.asking = nil
	requests := b.waiting + 1
	b.waiting = 0
	if lease == nil || limit != b.limit {
		return
	}
	b.block, b.granted, b.remaining = period{requested, blockLife}, lease.Granted, lease.Granted
	b.unmet = max(0, requests-lease.Granted)
	b.lacking, b.at = lease.Lacking, now
	if lease.Granted < want {
		b.hold = period{now, max(b.limit.UntilNext(lease.Lacking), min(minHold, b.limit.UntilFull(b.limit.parts())/2))}
	}
}

// takeAlone serves from this process's own bucket while the store does not respond.
func (b *bucket) takeAlone(now time.Time) Decision {
	if b.limit.Tokens(b.lacking) == 0 {
		return b.refuse(b.limit.UntilNext(b.lacking))
	}
	b.lacking += TokenParts
	return b.allow(now)
}

func (b *bucket) allow(now time.Time) Decision {
	hold := b.hold.remaining(now)
	d := Decision{Allowed: true, Limit: b.limit.Burst, Remaining: b.remaining}
	if hold == 0 {
		d.Remaining = min(b.remaining+b.limit.Tokens(b.lacking), b.limit.Burst)
	}
	if d.Remaining > 0 {
		d.Reset = b.limit.UntilFull(max(0, b.lacking-int64(b.remaining)*TokenParts))
	} else {
		d.Reset = max(hold, b.limit.UntilNext(b.lacking))
	}
	return d
}

func (b *bucket) refuse(wait time.Duration) Decision {
	return Decision{Limit: b.limit.Burst, Reset: wait, RetryAfter: wait}
}

// collect returns the number of tokens to give back: expired ones, or all of them. It also reports whether the bucket
// is in the same state as a new one.
func (b *bucket) collect(clk clock.Clock, all bool) (unused int, idle bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := clk.Now()
	b.settle(now)
	if all {
		b.unused += b.remaining
		b.remaining = 0
	}
	unused = b.unused
	b.unused = 0
	return unused, b.asking == nil && b.lacking == 0 && b.remaining == 0 && b.hold.remaining(now) == 0 && b.block.remaining(now) == 0
}
