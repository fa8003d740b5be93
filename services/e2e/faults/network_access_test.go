package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// TestF17TheTokenEndsWhileManyPublish expires access tokens while two workers publish many posts of one channel.
func TestF17TheTokenEndsWhileManyPublish(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F17", Title: "token expired and revoked while 10 posts of one channel are published by two workers",
		Expect: "I1 I2 I4: one exchange for all, then PUBLISHED; revoked: NEEDS_RECONNECT, FAILED, no storm of exchanges",
	})
	l.Run(2)
	l.Exec(`UPDATE workspace SET reconnect_hold_seconds = 0`) // F66 has the wait
	const posts = 10
	revoked, flaky := connect(l, channel.Twitter, "revoked"), connect(l, channel.LinkedInPage, "flaky")
	inject := func(platform, account, step, kind string, times int) {
		l.Sandbox.Inject(harness.Fault{Platform: platform, Account: account, Step: step, Kind: kind, Times: times})
	}
	inject("x", "acme", "commit", "expired_token", 1)
	inject("x", revoked.ExternalID, "commit", "expired_token", -1)
	inject("x", revoked.ExternalID, "token", "reject", -1)
	inject("linkedin", flaky.ExternalID, "commit", "expired_token", 1)
	inject("linkedin", flaky.ExternalID, "token", "unavailable", 2)
	due := time.Now().Add(3 * time.Second)
	var renewed, refused []lab.Accepted
	for range posts {
		renewed = append(renewed, l.AcceptOne(due, channel.Twitter))
		refused = append(refused, acceptOn(t, l, revoked, due))
	}
	renewed = append(renewed, acceptOn(t, l, flaky, due))
	l.Injected("tokens of three channels expired under %d posts, one of them revoked", 2*posts+1)
	l.Settle(40 * time.Second)

	for _, p := range renewed {
		require.Equal(t, fencepost.PostStatusPublished, l.Get(p.ID).Status, "%+v", l.Get(p.ID).Error)
	}
	for _, p := range refused {
		failed := l.Get(p.ID)
		require.Equal(t, fencepost.PostStatusFailed, failed.Status)
		require.Equal(t, "CHANNEL_NEEDS_RECONNECT", failed.Error.Code)
		require.True(t, failed.Error.Retryable)
		require.Zero(t, l.Sandbox.Count(p.Text))
	}
	require.Equal(t, 1, stepsOf(l, channel.NetworkX, "acme")["token"], "one exchange serves all")
	require.Equal(t, 3, stepsOf(l, channel.NetworkLinkedIn, flaky.ExternalID)["token"])
	storm := stepsOf(l, channel.NetworkX, revoked.ExternalID)
	require.Equal(t, 1, storm["token"], "a permanently rejected token is not exchanged again")
	require.LessOrEqual(t, storm["commit"], posts, "no call is repeated with an invalid token")
	require.Equal(t, []string{"NEEDS_RECONNECT"},
		l.Query(t, `SELECT token_status FROM channel WHERE external_id = 'revoked'`))
	l.Sandbox.Heal()
	l.Check()
}

// stepsOf counts a network's received calls for an account, by step.
func stepsOf(l *lab.Lab, network channel.Network, account string) map[string]int {
	heard := make(map[string]int)
	for _, call := range l.Sandbox.Heard(network, account) {
		heard[call.Step]++
	}
	return heard
}
