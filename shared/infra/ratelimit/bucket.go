package ratelimit

import (
	"sync"
	"time"

	"socialpub.internal/shared/kernel/clock"
)

const (
	// blockLife is how long a leased token may be used.
	blockLife = time.Second
	// fairShare is the part of a bucket that one process may hold unused: a tenth.
	fairShare = 10
	// minHold is how long a bucket that was found empty is left alone at least.
	minHold = time.Second
)

// bucket is what one process knows of a subject's bucket, and its leased tokens.
type bucket struct {
	mu    sync.Mutex
	limit Limit
	hold  period // found empty: not worth asking

	lacking int64     // of the shared bucket, as last heard; in an outage, of this process's own
	at      time.Time // when it lacked that

	block   period // in which the leased tokens may be used
	granted int    // the block's size
	left    int    // of the block, not used yet
	unused  int    // of earlier blocks, to be given back

	size    int           // of the next block
	asking  chan struct{} // closed when the store has answered; nil when nobody asks
	waiting int           // requests that wait for the answer
	unmet   int           // of those that waited, how many the answer cannot serve
}

// period is a stretch of time on a clock that may jump.
type period struct {
	from   time.Time
	length time.Duration
}

// left is how much of the period is to come: zero before it, too, because only a clock that jumped back is there.
func (p period) left(now time.Time) time.Duration {
	age := now.Sub(p.from)
	if age < 0 || age >= p.length {
		return 0
	}
	return p.length - age
}

// step is what a request does next: it has its decision, or waits, or asks the store for tokens; then it looks again.
type step struct {
	decision Decision
	wait     <-chan struct{}
	want     int
}

// step reads the clock when it has the lock, as everything here does: what it reads is never behind what others wrote, unless the
// clock jumped.
func (b *bucket) step(limit Limit, clk clock.Clock, store *health) step {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := clk.Now()
	b.adopt(limit)
	b.settle(now)
	switch {
	case b.left > 0:
		b.left--
		return step{decision: b.allow(now)}
	case b.hold.left(now) > 0:
		return step{decision: b.refuse(b.hold.left(now))}
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

// adopt forgets what was leased and learnt under another limit: a plan that changes counts at once.
func (b *bucket) adopt(limit Limit) {
	if b.limit != limit {
		b.limit, b.hold, b.left, b.unused = limit, period{}, 0, 0
	}
}

// settle brings what the bucket knows to the present, and sets the tokens of a block aside that is too old to be used.
func (b *bucket) settle(now time.Time) {
	elapsed := now.Sub(b.at)
	b.lacking = b.limit.Regain(b.lacking, elapsed)
	b.at = now.Add(-max(0, elapsed%time.Microsecond)) // what has not counted yet will
	if b.left > 0 && b.block.left(now) == 0 {
		b.size = max(1, b.granted-b.left)
		b.unused += b.left
		b.left = 0
	}
}

// want is the size of the block to ask for.
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

// answer takes in what the store granted, and lets go on who waits for it. The block's life counts from the question: the store
// has granted it since. Without an answer (nil), or with one for a limit that has changed meanwhile, the bucket stays as it was.
func (b *bucket) answer(asked time.Time, clk clock.Clock, limit Limit, want int, lease *Lease) {
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
	b.block, b.granted, b.left = period{asked, blockLife}, lease.Granted, lease.Granted
	b.unmet = max(0, requests-lease.Granted)
	b.lacking, b.at = lease.Lacking, now
	if lease.Granted < want {
		b.hold = period{now, max(b.limit.UntilNext(lease.Lacking), min(minHold, b.limit.UntilFull(b.limit.parts())/2))}
	}
}

// takeAlone serves from the bucket of this process, while the store does not answer.
func (b *bucket) takeAlone(now time.Time) Decision {
	if b.limit.Tokens(b.lacking) == 0 {
		return b.refuse(b.limit.UntilNext(b.lacking))
	}
	b.lacking += TokenParts
	return b.allow(now)
}

func (b *bucket) allow(now time.Time) Decision {
	hold := b.hold.left(now)
	d := Decision{Allowed: true, Limit: b.limit.Burst, Remaining: b.left}
	if hold == 0 {
		d.Remaining = min(b.left+b.limit.Tokens(b.lacking), b.limit.Burst)
	}
	if d.Remaining > 0 {
		d.Reset = b.limit.UntilFull(max(0, b.lacking-int64(b.left)*TokenParts))
	} else {
		d.Reset = max(hold, b.limit.UntilNext(b.lacking))
	}
	return d
}

func (b *bucket) refuse(wait time.Duration) Decision {
	return Decision{Limit: b.limit.Burst, Reset: wait, RetryAfter: wait}
}

// collect hands over what must be given back: tokens too old to be used, or all of them. It also says whether the bucket knows
// nothing that a new one would not.
func (b *bucket) collect(clk clock.Clock, all bool) (unused int, idle bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := clk.Now()
	b.settle(now)
	if all {
		b.unused += b.left
		b.left = 0
	}
	unused = b.unused
	b.unused = 0
	return unused, b.asking == nil && b.lacking == 0 && b.left == 0 && b.hold.left(now) == 0 && b.block.left(now) == 0
}
