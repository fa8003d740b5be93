package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/channel"
)

// TestNightF16TheNetworksOwnLimits publishes more posts at once than X and Telegram accept from one channel, with the
// limits and windows of the real networks: 100 posts in 15 minutes, and 20 messages in a minute.
func TestNightF16TheNetworksOwnLimits(t *testing.T) {
	const posts, messages = 104, 24
	l := lab.Begin(t, lab.Fault{
		ID: "F16", Title: "more posts than X (100 in 15 min) and Telegram (20 in 1 min) allow",
		Expect: "I1 I2 I12: the others wait for the next window; none lost or doubled",
	}, "RETRY_SCALE=1")
	l.Run(2)
	l.Sandbox.Strict(true)
	began := time.Now()
	all := l.Accept(posts, began.Add(time.Second), 50*time.Millisecond, channel.Twitter)
	all = append(all, l.Accept(messages, began.Add(time.Second), 100*time.Millisecond, channel.TelegramChannel)...)
	l.Injected("the networks' own limits: %d posts on X, %d messages on Telegram", posts, messages)
	l.Settle(25 * time.Minute)

	for _, p := range all {
		require.Equal(t, fencepost.PostStatusPublished, l.Get(p.ID).Status, "%s: %+v", p.Text, l.Get(p.ID).Error)
	}
	require.Greater(t, time.Since(began), 14*time.Minute, "the last posts waited for X's next window")
	for _, account := range []struct {
		network channel.Network
		name    string
		posts   int
	}{{channel.NetworkX, "acme", posts}, {channel.NetworkTelegram, "-1001", messages}} {
		accepted, refused := 0, 0
		for _, call := range l.Sandbox.Heard(account.network, account.name) {
			switch {
			case call.Step != "commit":
			case call.Fault == "rate_limit":
				refused++
			default:
				accepted++
			}
		}
		t.Logf("%s: %d calls accepted, %d refused", account.network, accepted, refused)
		require.Equal(t, account.posts, accepted)
		require.Positive(t, refused, "the limit was met")
		require.LessOrEqual(t, refused, 2*account.posts, "a limited channel is not called again and again")
	}
	l.Sandbox.Strict(false)
	l.Healed()
	l.Check()
}
