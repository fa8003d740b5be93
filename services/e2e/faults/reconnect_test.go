package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/connectors"
)

// TestF66AChannelLosesItsTokenUnderDuePosts revokes the tokens of a channel with three posts due, kills the workers at
// every step, and connects the channel again.
func TestF66AChannelLosesItsTokenUnderDuePosts(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F66", Title: "A channel loses its token with three posts due; the worker dies while it holds and publishes them",
		Expect: "I1 I2 I4: the posts wait (`channel_reconnect`); after the reconnect, each is published once",
	})
	l.Run(2)
	lost := connect(l, channel.Twitter, "evicted")
	l.Sandbox.Inject(harness.Fault{Platform: "x", Account: lost.ExternalID, Step: "commit", Kind: "expired_token", Times: -1})
	l.Sandbox.Inject(harness.Fault{Platform: "x", Account: lost.ExternalID, Step: "token", Kind: "reject", Times: -1})
	l.Arm(append(lab.Kills("publish.after_hold", 1), lab.Kills("publish.after_claim", 1)...)...)
	const posts = 3
	due := time.Now().Add(2 * time.Second)
	var waiting []lab.Accepted
	for range posts {
		waiting = append(waiting, acceptOn(t, l, lost, due))
	}
	l.WaitFired("publish.after_claim", reached)
	l.WaitFired("publish.after_hold", reached)
	l.Injected("the token of a channel revoked under %d due posts", posts)
	held := 0
	for _, p := range waiting {
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			got := l.Get(p.ID)
			require.Equal(c, fencepost.PostStatusScheduled, got.Status, "%+v", got.Error)
			waits := got.Waiting
			require.NotNil(c, waits)
			if waits.Reason == fencepost.WaitingReasonReconciling { // a kill cut its request: the account is asked after the reconnect
				return
			}
			require.Equal(c, fencepost.WaitingReasonChannelReconnect, waits.Reason)
			require.WithinDuration(c, p.At.Add(24*time.Hour), *waits.Until, time.Second)
			held++
		}, recovery, 200*time.Millisecond)
		require.Zero(t, l.Sandbox.Count(p.Text))
	}
	require.Positive(t, held)
	l.Sandbox.Heal()
	l.Arm(append(lab.Kills("publish.after_intent", 1), lab.Kills("publish.after_response", 1)...)...)
	account := connectors.Of(channel.NetworkX).SandboxAccount(channel.Twitter, "evicted")
	l.Reconnect(lost, account.Credentials)
	l.WaitFired("publish.after_intent", reached)
	l.WaitFired("publish.after_response", reached)
	l.Injected("the channel connected again")
	l.Settle(recovery)
	for _, p := range waiting {
		require.Equal(t, fencepost.PostStatusPublished, l.Get(p.ID).Status, "%+v", l.Get(p.ID).Error)
		require.Equal(t, 1, l.Sandbox.Count(p.Text))
	}
	require.Equal(t, []string{"HEALTHY"}, l.Query(t, `SELECT token_status FROM channel WHERE external_id = 'evicted'`))
	l.Check(lab.AllPublished())
}
