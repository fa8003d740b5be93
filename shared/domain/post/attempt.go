package post

import "slices"

// AttemptState is the state of one attempt to publish a post.
type AttemptState string

// The states of an attempt. SENT, UNKNOWN and CONFIRMED form the fence: while an attempt is in one of them, no other
// attempt may send.
const (
	AttemptPrepared     AttemptState = "PREPARED"     // claimed; perhaps prepared, but nothing is visible
	AttemptSent         AttemptState = "SENT"         // about to make the irrevocable call, or making it
	AttemptUnknown      AttemptState = "UNKNOWN"      // the call was made, but its response was lost
	AttemptConfirmed    AttemptState = "CONFIRMED"    // the network has the post
	AttemptRejected     AttemptState = "REJECTED"     // the network does not have the post
	AttemptUndetermined AttemptState = "UNDETERMINED" // the outcome cannot be determined; a person must check
	AttemptAbandoned    AttemptState = "ABANDONED"    // outcome not determined; a person decided to retry
)

// CodeDailyQuota is the failure code of an attempt that ended because the calls that a network allows this service in a
// day are used up. All channels share them. The post waits for the next day, because no change to the post or to the
// channel would help, and the retry budget starts again then.
const CodeDailyQuota = "DAILY_QUOTA"

// NoAttempt is the state before an attempt is recorded.
const NoAttempt AttemptState = ""

// AttemptStates lists every state of a recorded attempt.
func AttemptStates() []AttemptState {
	return []AttemptState{
		AttemptPrepared, AttemptSent, AttemptUnknown, AttemptConfirmed, AttemptRejected, AttemptUndetermined,
		AttemptAbandoned,
	}
}

// Fenced reports whether the state forbids sending.
func (s AttemptState) Fenced() bool {
	return s == AttemptSent || s == AttemptUnknown || s == AttemptConfirmed
}

// AttemptEvent is an event that changes the state of an attempt.
type AttemptEvent string

// The events of an attempt.
const (
	AttemptPrepare  AttemptEvent = "prepare"  // the network returned a handle for prepared content
	AttemptSend     AttemptEvent = "send"     // the execution is about to make the irrevocable call
	AttemptWithdraw AttemptEvent = "withdraw" // the execution knows that it did not send
	AttemptConfirm  AttemptEvent = "confirm"  // the network has the post
	AttemptReject   AttemptEvent = "reject"   // the network does not have the post
	AttemptLose     AttemptEvent = "lose"     // the response was lost
	AttemptGiveUp   AttemptEvent = "give up"  // the network cannot report the outcome
	AttemptAbandon  AttemptEvent = "abandon"  // a person decided to retry
	AttemptRestore  AttemptEvent = "restore"  // the database was restored to an earlier moment
	AttemptRevoke   AttemptEvent = "revoke"   // the network refused the post after it had accepted it
	AttemptReplace  AttemptEvent = "replace"  // the content was edited, and the next attempt sends the new one
)

// AttemptEvents lists every event.
func AttemptEvents() []AttemptEvent {
	return []AttemptEvent{
		AttemptPrepare, AttemptSend, AttemptWithdraw, AttemptConfirm, AttemptReject, AttemptLose, AttemptGiveUp,
		AttemptAbandon, AttemptRestore, AttemptRevoke, AttemptReplace,
	}
}

// AttemptRight restricts a transition to some executions, or redirects it.
type AttemptRight int

const (
	// ByAnyone allows the transition to every execution.
	ByAnyone AttemptRight = iota
	// ByOwner allows the transition only to the execution that made the attempt, or to one that has read the network.
	// The response of another execution's call proves nothing about this attempt.
	ByOwner
	// ByFence applies to a post that was found after its attempt was recorded as absent. The transition goes to the
	// attempt in the fence, because only that attempt may be confirmed. The rejected attempt itself is confirmed if no
	// attempt is in the fence.
	ByFence
	// ByPost allows the transition only together with the change of the post that was decided with it, so that an
	// execution that lost a race for the post leaves the attempt unchanged.
	ByPost
)

// AttemptTransition is one row of the table of attempts.
type AttemptTransition struct {
	From  AttemptState
	Event AttemptEvent
	To    AttemptState
	Right AttemptRight
}

// AttemptTransitions returns the table of attempts. An event that is not in it leaves the attempt unchanged. The store
// passes rows of this table to the database, which compares the state and sets the new one in the same statement.
func AttemptTransitions() []AttemptTransition {
	return []AttemptTransition{
		{NoAttempt, AttemptPrepare, AttemptPrepared, ByAnyone},
		{AttemptPrepared, AttemptPrepare, AttemptPrepared, ByAnyone}, // prepared again, with another handle
		{NoAttempt, AttemptSend, AttemptSent, ByAnyone},
		{AttemptPrepared, AttemptSend, AttemptSent, ByAnyone}, // only with the handle that was prepared
		{AttemptSent, AttemptWithdraw, AttemptRejected, ByOwner},

		// A prepared attempt has sent nothing, so every execution knows as much about it as its owner.
		{AttemptPrepared, AttemptConfirm, AttemptConfirmed, ByAnyone},
		{AttemptPrepared, AttemptReject, AttemptRejected, ByAnyone},
		{AttemptPrepared, AttemptLose, AttemptUnknown, ByAnyone},
		{AttemptPrepared, AttemptGiveUp, AttemptUndetermined, ByAnyone},

		{AttemptSent, AttemptConfirm, AttemptConfirmed, ByOwner},
		{AttemptSent, AttemptReject, AttemptRejected, ByOwner},
		{AttemptSent, AttemptLose, AttemptUnknown, ByOwner},
		{AttemptSent, AttemptGiveUp, AttemptUndetermined, ByOwner},

		// A lost response proves nothing that is not known already, so it is no event of these two states.
		{AttemptUnknown, AttemptConfirm, AttemptConfirmed, ByOwner},
		{AttemptUnknown, AttemptReject, AttemptRejected, ByOwner},
		{AttemptUnknown, AttemptGiveUp, AttemptUndetermined, ByOwner},
		{AttemptUndetermined, AttemptConfirm, AttemptConfirmed, ByOwner},
		{AttemptUndetermined, AttemptReject, AttemptRejected, ByOwner},
		{AttemptUndetermined, AttemptGiveUp, AttemptUndetermined, ByOwner},

		{AttemptRejected, AttemptConfirm, AttemptConfirmed, ByFence},
		{AttemptConfirmed, AttemptConfirm, AttemptConfirmed, ByPost}, // the network named the post that it had accepted
		{AttemptConfirmed, AttemptRevoke, AttemptRejected, ByPost},

		// Only the execution that holds the current plan knows that no other one continues with the preparation.
		{AttemptPrepared, AttemptReplace, AttemptRejected, ByPost},
		{AttemptRejected, AttemptReplace, AttemptRejected, ByPost},

		{AttemptSent, AttemptAbandon, AttemptAbandoned, ByAnyone},
		{AttemptUnknown, AttemptAbandon, AttemptAbandoned, ByAnyone},
		{AttemptUndetermined, AttemptAbandon, AttemptAbandoned, ByAnyone},

		{AttemptSent, AttemptRestore, AttemptUnknown, ByAnyone},
		{AttemptUnknown, AttemptRestore, AttemptUnknown, ByAnyone},
	}
}

// AttemptsBefore returns the states of a recorded attempt from which the event is allowed with the given right.
func AttemptsBefore(event AttemptEvent, right AttemptRight) []AttemptState {
	var states []AttemptState
	for _, t := range AttemptTransitions() {
		if t.Event == event && t.Right == right && t.From != NoAttempt {
			states = append(states, t.From)
		}
	}
	return states
}

// AttemptAfter returns the state that the event leads to. Every row of the table with the event has the same one.
func AttemptAfter(event AttemptEvent) AttemptState {
	rows := AttemptTransitions()
	at := slices.IndexFunc(rows, func(t AttemptTransition) bool { return t.Event == event })
	if at < 0 {
		return NoAttempt
	}
	return rows[at].To
}

// AttemptConcluded returns the event of an outcome; false if the state is no outcome of a call.
func AttemptConcluded(outcome AttemptState) (AttemptEvent, bool) {
	for _, event := range []AttemptEvent{AttemptConfirm, AttemptReject, AttemptLose, AttemptGiveUp} {
		if AttemptAfter(event) == outcome {
			return event, true
		}
	}
	return "", false
}

// GivesUp reports whether the change ends or releases the claim without success. The store refuses it while another
// attempt is in the fence, because that attempt may have published the post.
func (c Change) GivesUp() bool {
	return c.Claimed && c.Post.PublishingSince.IsZero() && c.Post.Status != Published
}
