// Package ratelimit limits the requests of a subject with one token bucket shared by all processes, without a write per
// request (docs/contract.md, Rate limits).
//
// A bucket holds up to Burst tokens and regains PerMinute of them per minute; a request takes one. The bucket is in a
// store that all processes share. A process leases a block of tokens from it and serves from memory. The block size
// starts at one token and doubles each time a block is used up within half a second, up to a tenth of the bucket (more
// only for requests that already wait). So a busy subject costs about two calls to the store per second and process,
// and an idle one a call per request. The rest of a block is not used after a second; the next sweep gives it back. A
// bucket found empty is not requested until its next token, and for at least a second (half the time that it needs to
// fill, if that is less), however often the subject tries.
//
// Accuracy, for all processes together, by the clock of the store:
//
//   - At most Burst + rate·t requests pass within t from the first one on. In any later period of t, the tokens that
//     the processes hold at its start are added: for each process that serves the subject at most a fifth of Burst (a
//     block, and one being given back, each of at least one token), and nothing if the subject was idle for two
//     seconds.
//   - Fewer pass if tokens are in the wrong process: each process may hold a tenth of the bucket for up to two seconds,
//     and may refuse for up to a second while tokens come back. Over a longer time, a subject that keeps trying gets
//     the full rate.
//   - A clock that jumps back, the store's or a process's, creates no tokens. If the store's clock jumps back, a bucket
//     loses the tokens regained in the repeated time, at most all that it holds; if a process's does, it costs a call.
//     A clock that jumps forward only fills buckets.
//
// If the store does not respond within 200 ms, each process continues with its own bucket, of the same size and with
// the last known state of the shared one, and calls the store again once per second. Such an outage is logged once when
// it starts and once when it ends. During it, n processes together may allow n times the limit, which is not charged to
// the shared bucket afterwards. No process refuses a request because of the outage.
package ratelimit

import (
	"context"
	"time"
)

// Decision is the result for a request, and the values of the RateLimit-* response headers
// (docs/contract.md, Rate limits). Headers have whole seconds: round up.
type Decision struct {
	Allowed   bool
	Limit     int // RateLimit-Limit: the bucket's size, from which Remaining counts down
	Remaining int // RateLimit-Remaining: requests that may follow at once, as far as this process knows
	// RateLimit-Reset: time until the bucket is full again; if nothing remains, until the next request is allowed.
	Reset time.Duration
	// Retry-After: time until the next request is allowed. Zero if this one is allowed.
	RetryAfter time.Duration
}

// Lease is the result of a lease.
type Lease struct {
	Granted int   // tokens, from zero up to the requested number
	Lacking int64 // parts of tokens that the bucket lacks now
}

// Unused is the unused rest of a leased block.
type Unused struct {
	Subject string
	Tokens  int
}

// Store holds the buckets that processes share. Its clock decides how much they regain. It is safe for concurrent use,
// and its methods end with their context. Package ratelimittest contains the suite that an implementation must pass.
type Store interface {
	// Lease takes want tokens (1 to Burst) from the subject's bucket, or as many as it holds; zero is not an error. An
	// unknown bucket is full. After an error, the tokens may be lost; they are never granted twice.
	Lease(ctx context.Context, subject string, limit Limit, want int) (Lease, error)
	// GiveBack returns tokens, at most until the bucket is full. Tokens of an unknown bucket are ignored. No subject
	// occurs twice.
	GiveBack(ctx context.Context, unused []Unused) error
}
