package relay_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
)

// rescheduled returns the message of a post whose publish time moved.
func rescheduled(t *testing.T, id int64) postgres.Message {
	t.Helper()
	m := planned(t, id, post.Scheduled, time.Now().Add(time.Hour))
	setPlan(t, &m, func(p *postflow.Plan) { p.Signal = postflow.SignalRescheduled })
	return m
}

// names returns the names of the signals that were sent to the workflow of the message.
func (b *bundle) names(t *testing.T, m postgres.Message) (names []postflow.Signal) {
	t.Helper()
	for _, s := range b.temporal.signals[postflow.ID(postOf(t, m).PostID)] {
		names = append(names, s.name)
	}
	return names
}

// TestSignalIsNamedAfterChange covers plans that start a workflow and plans that end one.
func TestSignalIsNamedAfterChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status post.Status
		plan   postflow.Signal
		want   postflow.Signal
	}{
		"starts a workflow":   {post.Scheduled, postflow.SignalScheduled, postflow.SignalScheduled},
		"waits for approval":  {post.PendingApproval, postflow.SignalApprovalRequested, postflow.SignalApprovalRequested},
		"ends a workflow":     {post.Draft, postflow.SignalUnscheduled, postflow.SignalUnscheduled},
		"deletes the post":    {post.Archived, postflow.SignalDeleted, postflow.SignalDeleted},
		"plan without a name": {post.Scheduled, "", postflow.SignalChanged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := planned(t, 1, c.status, time.Now().Add(time.Hour))
				setPlan(t, &m, func(p *postflow.Plan) { p.Signal = c.plan })
				b := setup(t, m)
				b.temporal.running[postflow.ID(postOf(t, m).PostID)] = started{}
				b.runFor(t, time.Second)
				require.Empty(t, b.outbox.ready)
				require.Equal(t, []signaled{{name: c.want, plan: postOf(t, m).Plan}}, b.temporal.signals[postflow.ID(postOf(t, m).PostID)])
			})
		})
	}
}

// TestOlderProgramGetsKnownSignal checks that every plan is sent as SignalChanged while an older program is
// connected, and at most five seconds longer.
func TestOlderProgramGetsKnownSignal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		before, after := rescheduled(t, 1), rescheduled(t, 2)
		b := setup(t, before)
		b.outbox.older = true
		b.runFor(t, time.Second)
		require.Equal(t, []postflow.Signal{postflow.SignalChanged}, b.names(t, before))
		require.Equal(t, postflow.SignalRescheduled, b.temporal.signals[postflow.ID(postOf(t, before).PostID)][0].plan.Signal)

		b.outbox.older = false
		time.Sleep(4 * time.Second) //nolint:forbidigo // advances the clock of the bubble
		b.outbox.add(after)
		b.runFor(t, time.Second)
		require.Equal(t, []postflow.Signal{postflow.SignalRescheduled}, b.names(t, after))
	})
}

// TestConnectedProgramsAreReadEveryFiveSeconds checks that the list is read every five seconds, however often the
// outbox is read.
func TestConnectedProgramsAreReadEveryFiveSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.runFor(t, time.Minute)
		require.Greater(t, len(b.outbox.rounds()), 50)
		require.Greater(t, len(b.outbox.checks), 9)
		for i, at := range b.outbox.checks[1:] {
			since := at.Sub(b.outbox.checks[i])
			require.GreaterOrEqual(t, since, 5*time.Second)
			require.Less(t, since, 7*time.Second)
		}
	})
}

// TestUnreadableProgramListHoldsPlans checks that no plan is sent under a name that a worker may not know. The
// list is read again with each try.
func TestUnreadableProgramListHoldsPlans(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := rescheduled(t, 1)
		b := setup(t, m)
		b.outbox.failing, b.outbox.fails = "signals", errDown
		b.runFor(t, 2*time.Second)
		require.Len(t, b.outbox.ready, 1)
		require.Greater(t, len(b.outbox.checks), 2)
		require.InDelta(t, len(b.outbox.checks), b.metric(t, "relay_failures_total"), 0)

		b.outbox.failing = ""
		b.runFor(t, time.Second)
		require.Equal(t, []postflow.Signal{postflow.SignalRescheduled}, b.names(t, m))
	})
}
