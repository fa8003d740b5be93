// Package ratelimit limits how many requests a subject makes, with one token bucket for all processes together and without a
// write for every request (decisions, section 3).
//
// A bucket holds up to Burst tokens and regains PerMinute of them a minute; a request takes one. The bucket is in a store, which
// all processes share. A process leases a block of tokens from it and serves from memory: one token at first, twice as many each
// time a block is used up within half a second, a tenth of the bucket at most (more only for requests that already wait). So a
// busy subject costs the store about two calls a second and process, and an idle one a call for each request. What is left of a
// block after a second is not used any more; the next sweep gives it back. A bucket found empty is left alone until its next
// token, and for a second at least (half the time that it needs to fill, when that is less), however often the subject tries.
//
// How exact it is, for all processes together, by the clock of the store:
//
//   - Never more than Burst + rate·t requests pass within t from the first one on. In any later stretch of t, what the processes
//     hold at its beginning comes on top: for each process that serves the subject a fifth of Burst at the very most (a block, and
//     one on its way back, of a token at least), and nothing when the subject has rested for two seconds.
//   - Fewer pass when a token is where it is not wanted: each process may hold a tenth of the bucket for up to two seconds, and
//     may refuse for up to a second while tokens come back. Over a longer time who keeps trying gets the full rate.
//   - A clock that jumps back, the store's or a process's, makes no tokens. The store's costs a bucket what it regained in the
//     time that now comes again, all it holds at most; a process's costs a call. One that jumps forward fills buckets, no more.
//
// When the store does not answer within 200 ms, each process goes on with a bucket of its own, of the same size and as full as
// it last knew the shared one to be, and asks again once a second. Such an outage is logged once when it begins and once when it
// ends. While it lasts, n processes together may let through n times the limit, which the shared bucket is not charged for
// afterwards; none refuses for the store's sake.
package ratelimit

import (
	"context"
	"time"
)

// Decision is what a request gets, and what its answer says in the RateLimit-* headers (decisions, section 3). Headers have whole
// seconds: round up.
type Decision struct {
	Allowed   bool
	Limit     int // RateLimit-Limit: the bucket's size, from which Remaining counts down
	Remaining int // RateLimit-Remaining: how many requests may follow at once, as far as this process knows
	// RateLimit-Reset: how long until the bucket is full again; when nothing remains, until the next request may come.
	Reset time.Duration
	// Retry-After: how long until the next request may come. Zero when this one is allowed.
	RetryAfter time.Duration
}

// Lease is what a store grants.
type Lease struct {
	Granted int   // tokens, from none up to what was wanted
	Lacking int64 // what the bucket lacks now, in parts of tokens
}

// Unused is what is left of a block that a process leased.
type Unused struct {
	Subject string
	Tokens  int
}

// Store keeps the buckets that processes share. Its clock decides how much they regain. It is safe for concurrent use, and its
// methods end with their context. ratelimittest has the suite that an implementation must pass.
type Store interface {
	// Lease takes want tokens (1 to Burst) out of the subject's bucket, or as many as it holds; none is no error. A bucket that is
	// not known is full. After an error the tokens may be gone; they are never granted twice.
	Lease(ctx context.Context, subject string, limit Limit, want int) (Lease, error)
	// GiveBack puts tokens back, at most until the bucket is full. A bucket that is not known needs none. No subject occurs twice.
	GiveBack(ctx context.Context, unused []Unused) error
}
