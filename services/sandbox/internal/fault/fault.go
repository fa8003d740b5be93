// Package fault holds what shall go wrong in the sandbox network (decisions, section 9).
package fault

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"socialpub.internal/shared/domain/channel"
)

// Step is a kind of call to a network.
type Step string

// The steps. Commit is the call that publishes; every network without a step of its own for containers has only that.
const (
	StepUpload Step = "upload"
	StepCreate Step = "create"
	StepCommit Step = "commit"
	StepStatus Step = "status" // reading: a container, a post, an account, a listing
	StepToken  Step = "token"
	StepAny    Step = "any"

	// StepOther is everything else; only a fault for any step meets it.
	StepOther Step = "other"
)

// Kind is what goes wrong.
type Kind string

// The kinds.
const (
	Reject             Kind = "reject"               // refused for good
	RateLimit          Kind = "rate_limit"           // refused for DelayMs, at least a second
	Unavailable        Kind = "unavailable"          // 503, nothing is done
	TimeoutBefore      Kind = "timeout_before"       // held for DelayMs, nothing is done, no answer
	TimeoutAfterAccept Kind = "timeout_after_accept" // done and on disk, then held for DelayMs, no answer
	ExpiredToken       Kind = "expired_token"        // the token is refused until it was refreshed
	Slow               Kind = "slow"                 // answered after DelayMs

	// The call is done and on disk, and the answer is not the one that the network should give.
	ErrorAfterAccept Kind = "error_after_accept" // 503
	EmptyAnswer      Kind = "empty_answer"       // the right status, and nothing
	MalformedAnswer  Kind = "malformed_answer"   // JSON that stops in its middle
	TruncatedAnswer  Kind = "truncated_answer"   // cut off before the length that was announced
	HTMLAnswer       Kind = "html_answer"        // a page of some gateway
	HugeAnswer       Kind = "huge_answer"        // 50 MiB
	WrongTypes       Kind = "wrong_types"        // the right members with values of other types
	HostileAnswer    Kind = "hostile_answer"     // ids that end lines, addresses that are scripts

	RejectWith200 Kind = "reject_with_200" // refused for good in a body whose status says success
	EmptyList     Kind = "empty_list"      // every list of the answer is empty, as on a network that is behind with what it shows
)

// Steps lists the steps that a fault may name.
func Steps() []Step {
	return []Step{StepUpload, StepCreate, StepCommit, StepStatus, StepToken, StepAny}
}

// Kinds lists the kinds.
func Kinds() []Kind {
	return append([]Kind{Reject, RateLimit, Unavailable, TimeoutBefore, TimeoutAfterAccept, ExpiredToken, Slow}, Distortions()...)
}

// Distortions lists the kinds that change an answer and nothing else.
func Distortions() []Kind {
	return []Kind{
		ErrorAfterAccept, EmptyAnswer, MalformedAnswer, TruncatedAnswer, HTMLAnswer, HugeAnswer, WrongTypes, HostileAnswer,
		RejectWith200, EmptyList,
	}
}

// Forever is the Times of a fault that stays until it is deleted.
const Forever = -1

// Fault is one thing that shall go wrong.
type Fault struct {
	ID        string `json:"id"`
	Platform  string `json:"platform"` // empty: any
	Account   string `json:"account"`  // empty: any
	Step      Step   `json:"step"`
	Kind      Kind   `json:"kind"`
	Times     int    `json:"times"`
	Remaining int    `json:"remaining"`
	DelayMs   int64  `json:"delayMs"`
}

// Delay is how long the fault holds a call.
func (f Fault) Delay() time.Duration {
	if f.DelayMs > 0 {
		return time.Duration(f.DelayMs) * time.Millisecond
	}
	presets := map[Kind]time.Duration{TimeoutBefore: time.Minute, TimeoutAfterAccept: time.Minute, Slow: 2 * time.Second}
	return presets[f.Kind]
}

// RetryAfter is the wait in whole seconds that a rate limit asks for.
func (f Fault) RetryAfter() int {
	return int(max(1, (f.Delay()+time.Second-1)/time.Second))
}

// Set is the faults that wait to happen. It is safe for concurrent use.
type Set struct {
	mu     sync.Mutex
	last   int
	faults []Fault
}

// Add puts a fault at the end of the queue and returns it with its id. Times of zero is once.
func (s *Set) Add(f Fault) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	f.ID = strconv.Itoa(s.last)
	if f.Times == 0 {
		f.Times = 1
	}
	if f.Step == "" {
		f.Step = StepAny
	}
	f.Remaining = f.Times
	s.faults = append(s.faults, f)
	return f
}

// Take uses up one occurrence of the oldest fault that fits the call; false when none does.
func (s *Set) Take(network channel.Network, account string, step Step) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if !f.fits(string(network), account, step) {
			continue
		}
		if f.Remaining > 0 {
			f.Remaining--
			s.faults[i] = f
		}
		if f.Remaining == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return f, true
	}
	return Fault{}, false
}

func (f Fault) fits(network, account string, step Step) bool {
	return (f.Platform == "" || f.Platform == network) && (f.Account == "" || f.Account == account) &&
		(f.Step == StepAny || f.Step == step)
}

// List returns the faults that still wait, oldest first.
func (s *Set) List() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Fault{}, s.faults...)
}

// Clear forgets all faults.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}
