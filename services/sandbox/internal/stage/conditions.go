package stage

import (
	"cmp"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
)

// Step is a kind of call to a network.
type Step string

// The steps. StepCommit is the call that publishes. Networks without a separate step for containers have only that one.
const (
	StepUpload Step = "upload"
	StepCreate Step = "create"
	StepCommit Step = "commit"
	StepStatus Step = "status" // reading: a container, a post, an account, a listing
	StepToken  Step = "token"
	StepReply  Step = "reply" // a message of an account to a person
	StepFile   Step = "file"  // the file of a message of a person
	StepAny    Step = "any"

	// StepInbound is a report of the network to an application, such as a webhook.
	StepInbound Step = "inbound"

	// StepOther is any other call. Only a fault for StepAny applies to it.
	StepOther Step = "other"
)

// FaultKind is the kind of a fault.
type FaultKind string

// The kinds.
const (
	FaultReject             FaultKind = "reject"               // rejected permanently
	FaultRateLimit          FaultKind = "rate_limit"           // rejected for DelayMs, at least one second
	FaultUnavailable        FaultKind = "unavailable"          // 503 without effect
	FaultTimeoutBefore      FaultKind = "timeout_before"       // held for DelayMs, without effect and without a response
	FaultTimeoutAfterAccept FaultKind = "timeout_after_accept" // performed, then held for DelayMs without a response
	FaultExpiredToken       FaultKind = "expired_token"        // the token is rejected until it is refreshed
	FaultSlow               FaultKind = "slow"                 // responds after DelayMs

	// The call is performed and on disk, but the response differs from the network's correct one.
	FaultErrorAfterAccept  FaultKind = "error_after_accept" // 503
	FaultEmptyResponse     FaultKind = "empty_answer"       // the correct status and an empty body
	FaultMalformedResponse FaultKind = "malformed_answer"   // JSON that ends in the middle
	FaultTruncatedResponse FaultKind = "truncated_answer"   // ends before the announced length
	FaultHTMLResponse      FaultKind = "html_answer"        // an HTML page as from a gateway
	FaultHugeResponse      FaultKind = "huge_answer"        // 50 MiB
	FaultWrongTypes        FaultKind = "wrong_types"        // the correct members with values of other types
	FaultHostileResponse   FaultKind = "hostile_answer"     // ids with line breaks, script URLs as addresses

	FaultRejectWith200 FaultKind = "reject_with_200" // rejected permanently, with a status of success
	// every list in the response is empty, as on a network whose reads lag behind its writes
	FaultEmptyList FaultKind = "empty_list"

	// Kinds of StepInbound.
	FaultDuplicate     FaultKind = "duplicate"      // the report is sent once more, concurrently
	FaultShuffle       FaultKind = "shuffle"        // another report that waits is sent first
	FaultLostPush      FaultKind = "lost_push"      // the report is not pushed; an application that asks for it gets it
	FaultUnsigned      FaultKind = "unsigned"       // a push without its signature or secret
	FaultForeignSecret FaultKind = "foreign_secret" // a push with the signature or secret of another application
	FaultChangedBody   FaultKind = "changed_body"   // a push whose body was cut after it was signed
	FaultBatch         FaultKind = "batch"          // all reports that wait are in one push, on networks that have that

	// Kinds of StepReply on WhatsApp, which reports the status of a message after it accepted it.
	FaultNoStatus     FaultKind = "no_status"              // nothing is reported
	FaultLateStatus   FaultKind = "late_status"            // reported DelayMs after the response
	FaultStatusFirst  FaultKind = "status_before_response" // reported before the response
	FaultWindowClosed FaultKind = "window_closed_early"    // accepted, and reported as failed: outside of the window

	// Kinds of StepFile.
	FaultGone           FaultKind = "gone"            // the network does not know the file
	FaultRedirectInside FaultKind = "redirect_inside" // the address leads to another one, of the machine that follows it
	FaultBomb           FaultKind = "bomb"            // a small picture that needs much memory
)

// Steps returns the steps that a fault may name.
func Steps() []Step {
	return []Step{StepUpload, StepCreate, StepCommit, StepStatus, StepToken, StepReply, StepFile, StepInbound, StepAny}
}

// FaultKinds returns all kinds.
func FaultKinds() []FaultKind {
	return slices.Concat([]FaultKind{
		FaultReject, FaultRateLimit, FaultUnavailable, FaultTimeoutBefore, FaultTimeoutAfterAccept, FaultExpiredToken,
		FaultSlow,
	}, Distortions(), InboundKinds(), StatusKinds(), FileKinds())
}

// FileKinds returns the kinds that only StepFile has.
func FileKinds() []FaultKind { return []FaultKind{FaultGone, FaultRedirectInside, FaultBomb} }

// StatusKinds returns the kinds of StepReply that only WhatsApp has.
func StatusKinds() []FaultKind {
	return []FaultKind{FaultNoStatus, FaultLateStatus, FaultStatusFirst, FaultWindowClosed}
}

// InboundKinds returns the kinds of StepInbound, which has no others.
func InboundKinds() []FaultKind {
	return []FaultKind{
		FaultDuplicate, FaultShuffle, FaultLostPush, FaultUnsigned, FaultForeignSecret, FaultChangedBody, FaultBatch,
	}
}

// Fits reports whether faults of the kind occur in the step; empty: any.
func (k FaultKind) Fits(step Step) bool {
	return step == "" || step == StepAny || (step == StepInbound) == slices.Contains(InboundKinds(), k) &&
		(step == StepReply || !slices.Contains(StatusKinds(), k)) && (step == StepFile || !slices.Contains(FileKinds(), k))
}

// Distortions returns the kinds that change only the response.
func Distortions() []FaultKind {
	return []FaultKind{
		FaultErrorAfterAccept, FaultEmptyResponse, FaultMalformedResponse, FaultTruncatedResponse, FaultHTMLResponse,
		FaultHugeResponse, FaultWrongTypes, FaultHostileResponse, FaultRejectWith200, FaultEmptyList,
	}
}

// Forever is the Times value of a fault that stays until it is deleted.
const Forever = -1

// Fault is one fault to inject.
type Fault struct {
	ID        string    `json:"id"`
	Platform  string    `json:"platform"` // empty: any
	Account   string    `json:"account"`  // empty: any
	Step      Step      `json:"step"`
	Kind      FaultKind `json:"kind"`
	Times     int       `json:"times"`
	Remaining int       `json:"remaining"`
	DelayMs   int64     `json:"delayMs"`
}

// Delay returns how long the fault holds a call.
func (f Fault) Delay() time.Duration {
	if f.DelayMs > 0 {
		return time.Duration(f.DelayMs) * time.Millisecond
	}
	presets := map[FaultKind]time.Duration{
		FaultTimeoutBefore: time.Minute, FaultTimeoutAfterAccept: time.Minute, FaultSlow: 2 * time.Second,
		FaultLateStatus: 5 * time.Second,
	}
	return presets[f.Kind]
}

// RetryAfter returns the wait of a rate limit in whole seconds, at least 1.
func (f Fault) RetryAfter() int {
	return int(max(1, (f.Delay()+time.Second-1)/time.Second))
}

// FaultSet holds the pending faults in a queue. It is safe for concurrent use.
type FaultSet struct {
	shared[Fault]

	last int
}

// Add appends a fault to the queue and returns it with its id. If Times is zero, the fault applies once.
func (s *FaultSet) Add(f Fault) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	f.ID = strconv.Itoa(s.last)
	f.Times = cmp.Or(f.Times, 1)
	f.Step = cmp.Or(f.Step, StepAny)
	f.Remaining = f.Times
	s.all = append(s.all, f)
	return f
}

// Take consumes one occurrence of the oldest fault that matches the call. It returns false if none matches.
func (s *FaultSet) Take(network channel.Network, account string, step Step) (Fault, bool) {
	return s.take(network, account, step, func(kind FaultKind) bool {
		return !slices.Contains(slices.Concat(InboundKinds(), StatusKinds(), FileKinds()), kind)
	})
}

// TakeOf consumes one occurrence of the oldest fault of the kinds that matches. It returns a zero fault if none matches.
func (s *FaultSet) TakeOf(network channel.Network, account string, step Step, kinds ...FaultKind) Fault {
	f, _ := s.take(network, account, step, func(kind FaultKind) bool { return slices.Contains(kinds, kind) })
	return f
}

func (s *FaultSet) take(network channel.Network, account string, step Step, is func(FaultKind) bool) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.all {
		if !is(f.Kind) || !f.fits(string(network), account, step) {
			continue
		}
		if f.Remaining > 0 {
			f.Remaining--
			s.all[i] = f
		}
		if f.Remaining == 0 {
			s.all = slices.Delete(s.all, i, i+1)
		}
		return f, true
	}
	return Fault{}, false
}

func (f Fault) fits(network, account string, step Step) bool {
	return (f.Platform == "" || f.Platform == network) && (f.Account == "" || f.Account == account) &&
		(f.Step == StepAny || f.Step == step)
}

// ReviewEnd is the end of a network's review of a post.
type ReviewEnd string

// The ends.
const (
	ReviewShown   ReviewEnd = "shown"
	ReviewRefused ReviewEnd = "refused" // also after the post was shown: its removal by moderation
	ReviewDraft   ReviewEnd = "draft"   // kept until a person publishes it
	ReviewNever   ReviewEnd = "never"
)

// ReviewEnds lists the ends of the reviews of most networks.
func ReviewEnds() []ReviewEnd {
	return []ReviewEnd{ReviewShown, ReviewRefused, ReviewNever}
}

// Review configures how a network reviews the posts of an account. It also applies to posts that were published before it was
// set.
type Review struct {
	Platform     channel.Network `json:"platform"`
	Account      string          `json:"account"` // empty: any
	End          ReviewEnd       `json:"end"`
	AfterSeconds int64           `json:"afterSeconds"` // from the acceptance to the end
}

// SetReview sets how a network reviews the posts of an account, instead of what was set for them before.
func (s *Stage) SetReview(r Review) {
	s.reviews.change(func(all []Review) []Review {
		return append(slices.DeleteFunc(all, func(o Review) bool {
			return o.Platform == r.Platform && o.Account == r.Account
		}), r)
	})
}

// Reviews lists the reviews that were set.
func (s *Stage) Reviews() []Review { return s.reviews.List() }

// ClearReviews restores the networks' usual reviews.
func (s *Stage) ClearReviews() { s.reviews.Clear() }

// Reviewed returns how the review of a post that the network accepted at this time ended: ReviewNever if it did not yet. It
// returns false if no review was set for the account, which then has the network's usual one.
func (s *Stage) Reviewed(network string, account string, accepted time.Time) (ReviewEnd, bool) {
	all := s.reviews.List()
	at := slices.IndexFunc(all, func(r Review) bool {
		return string(r.Platform) == network && (r.Account == "" || r.Account == account)
	})
	if at < 0 {
		return "", false
	}
	r := all[at]
	if s.Clock.Now().Before(accepted.Add(time.Duration(r.AfterSeconds) * time.Second)) {
		return ReviewNever, true
	}
	return r.End, true
}

// Clock is the networks' clock: that of the process plus an offset. A test moves it to reach the end of a token without
// waiting. It is safe for concurrent use.
type Clock struct {
	base   clock.Clock
	offset atomic.Int64
}

// NewClock returns a clock without an offset.
func NewClock(base clock.Clock) *Clock { return &Clock{base: base} }

// Now returns the networks' time in UTC.
func (c *Clock) Now() time.Time { return c.base.Now().Add(c.Offset()) }

// Offset returns the difference to the process's clock.
func (c *Clock) Offset() time.Duration { return time.Duration(c.offset.Load()) }

// Move sets the difference to the process's clock. It replaces the earlier one.
func (c *Clock) Move(offset time.Duration) { c.offset.Store(int64(offset)) }
