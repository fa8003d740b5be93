package post_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
)

// effect is the expected effect of one event in one state: the next state and the executions that may cause it.
type effect struct {
	to    post.AttemptState
	right post.AttemptRight
}

// none is the effect of an event that leaves the attempt unchanged.
var none = effect{to: "-"}

// TestAttemptTransitions spells out the whole table: one row per state, one column per event.
func TestAttemptTransitions(t *testing.T) {
	t.Parallel()
	anyone := func(to post.AttemptState) effect { return effect{to: to, right: post.ByAnyone} }
	own := func(to post.AttemptState) effect { return effect{to: to, right: post.ByOwner} }
	const (
		prepared, sent, unknown = post.AttemptPrepared, post.AttemptSent, post.AttemptUnknown
		confirmed, rejected     = post.AttemptConfirmed, post.AttemptRejected
		undetermined, abandoned = post.AttemptUndetermined, post.AttemptAbandoned
	)
	// The columns are prepare, send, withdraw, confirm, reject, lose, give up, abandon, restore, revoke, replace.
	table := map[post.AttemptState][]effect{
		post.NoAttempt: {anyone(prepared), anyone(sent), none, none, none, none, none, none, none, none, none},
		prepared: {
			anyone(prepared), anyone(sent), none,
			anyone(confirmed), anyone(rejected), anyone(unknown), anyone(undetermined), none, none, none,
			{to: rejected, right: post.ByPost},
		},
		sent: {
			none, none, own(rejected),
			own(confirmed), own(rejected), own(unknown), own(undetermined), anyone(abandoned), anyone(unknown), none, none,
		},
		unknown: {
			none, none, none, own(confirmed), own(rejected), none, own(undetermined), anyone(abandoned), anyone(unknown), none, none,
		},
		undetermined: {
			none, none, none, own(confirmed), own(rejected), none, own(undetermined), anyone(abandoned), none, none, none,
		},
		confirmed: {
			none, none, none,
			{to: confirmed, right: post.ByPost},
			none, none, none, none, none,
			{to: rejected, right: post.ByPost},
			none,
		},
		rejected: {
			none, none, none,
			{to: confirmed, right: post.ByFence},
			none, none, none, none, none, none,
			{to: rejected, right: post.ByPost},
		},
		abandoned: {none, none, none, none, none, none, none, none, none, none, none},
	}
	require.Len(t, table, len(post.AttemptStates())+1)
	for from, row := range table {
		require.Len(t, row, len(post.AttemptEvents()), from)
		for i, event := range post.AttemptEvents() {
			got := none
			for _, transition := range post.AttemptTransitions() {
				if transition.From == from && transition.Event == event {
					require.Equal(t, none, got, "%s %s: two rows", from, event)
					got = effect{to: transition.To, right: transition.Right}
				}
			}
			require.Equal(t, row[i], got, "%q %s", from, event)
		}
	}
}

func TestAttemptStatesBeforeAndAfterEvent(t *testing.T) {
	t.Parallel()
	for _, transition := range post.AttemptTransitions() {
		require.Equal(t, transition.To, post.AttemptAfter(transition.Event), transition.Event)
		before := post.AttemptsBefore(transition.Event, transition.Right)
		require.Equal(t, transition.From != post.NoAttempt, slices.Contains(before, transition.From), transition.Event)
		require.NotContains(t, before, post.NoAttempt)
	}
	require.Equal(t, []post.AttemptState{post.AttemptSent, post.AttemptUnknown, post.AttemptUndetermined},
		post.AttemptsBefore(post.AttemptConfirm, post.ByOwner))
	require.Equal(t, []post.AttemptState{post.AttemptPrepared, post.AttemptRejected},
		post.AttemptsBefore(post.AttemptReplace, post.ByPost))
	require.Empty(t, post.AttemptsBefore(post.AttemptLose, post.ByFence))
	require.Equal(t, post.NoAttempt, post.AttemptAfter("other"))
}

func TestEventOfOutcome(t *testing.T) {
	t.Parallel()
	want := map[post.AttemptState]post.AttemptEvent{
		post.AttemptConfirmed: post.AttemptConfirm, post.AttemptRejected: post.AttemptReject,
		post.AttemptUnknown: post.AttemptLose, post.AttemptUndetermined: post.AttemptGiveUp,
	}
	for _, state := range append(post.AttemptStates(), post.NoAttempt) {
		event, ok := post.AttemptConcluded(state)
		require.Equal(t, want[state], event, state)
		require.Equal(t, want[state] != "", ok, state)
	}
}

// TestFence checks that an attempt that may have published the post stays in the fence until its outcome is known or
// a person decides.
func TestFence(t *testing.T) {
	t.Parallel()
	var fence []post.AttemptState
	for _, state := range post.AttemptStates() {
		if state.Fenced() {
			fence = append(fence, state)
		}
	}
	require.Equal(t, []post.AttemptState{post.AttemptSent, post.AttemptUnknown, post.AttemptConfirmed}, fence)
	for _, transition := range post.AttemptTransitions() {
		if transition.From.Fenced() && !transition.To.Fenced() {
			proof := []post.AttemptEvent{
				post.AttemptWithdraw, post.AttemptReject, post.AttemptGiveUp, post.AttemptAbandon,
				post.AttemptRevoke,
			}
			require.Contains(t, proof, transition.Event)
		}
	}
}

func TestGivingUp(t *testing.T) {
	t.Parallel()
	claimed := in(post.Scheduled)
	claimed.PublishingSince = now
	failed, err := claimed.Fail(post.Error{Code: "X"}, now)
	require.NoError(t, err)
	completed, err := claimed.Complete("https://x.test/1", true, now)
	require.NoError(t, err)
	moved, err := in(post.Scheduled).Schedule(now.Add(time.Hour), now, post.ActorAPI)
	require.NoError(t, err)
	wait := post.Waiting{Reason: post.WaitRetrying, Until: now.Add(time.Minute)}
	require.True(t, failed.GivesUp())
	require.True(t, claimed.Postpone(wait, true, now, "").GivesUp())
	require.False(t, claimed.Postpone(wait, false, now, "").GivesUp(), "the claim is kept")
	require.False(t, completed.GivesUp(), "the post is published")
	require.False(t, moved.GivesUp(), "a user's change holds no claim")
}
