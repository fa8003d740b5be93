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
)

// storm is a period in which a network limits one channel.
type storm struct {
	posts      int
	retryAfter time.Duration
	lasts      time.Duration
	within     time.Duration // limit for everything to settle afterwards
}

// TestF16AStormOfLimits makes X limit one channel on which many posts are due.
func TestF16AStormOfLimits(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F16", Title: "429 storm on one channel, Retry-After 2 s; and one of an hour on another",
		Expect: "I1 I2 I12: delayed, none lost or doubled; one request per Retry-After and channel; other channels on time",
	})
	l.Run(2)
	weathers(t, l, storm{posts: 30, retryAfter: 2 * time.Second, lasts: 8 * time.Second, within: 25 * time.Second})
}

// TestNightF16AStormOfLimits does the same with 500 posts for minutes, and with the waits of production: with the
// shortened waits, posts would be retried ten times as often.
func TestNightF16AStormOfLimits(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F16", Title: "429 storm on one channel with 500 posts, Retry-After 5 s, for 3 minutes",
		Expect: "I1 I2 I12: delayed, none lost or doubled; one request per Retry-After and channel; other channels on time",
	}, "RETRY_SCALE=1")
	l.Run(2)
	weathers(t, l, storm{posts: 500, retryAfter: 5 * time.Second, lasts: 3 * time.Minute, within: 15 * time.Minute})
}

func weathers(t *testing.T, l *lab.Lab, s storm) {
	t.Helper()
	const account, other = "acme", "elsewhere"
	l.Sandbox.Inject(harness.Fault{
		Platform: "x", Account: account, Kind: "rate_limit", Step: "commit", Times: -1,
		DelayMs: int(s.retryAfter.Milliseconds()),
	})
	l.Sandbox.Inject(harness.Fault{
		Platform: "linkedin", Account: "acmeco", Kind: "rate_limit", Step: "commit", Times: -1, DelayMs: 3_600_000,
	})
	began := time.Now()
	limited := l.Accept(s.posts, began.Add(time.Second), 50*time.Millisecond, channel.Twitter)
	hopeless := l.AcceptOne(began.Add(time.Second), channel.LinkedInPage)
	now := time.Now()
	spared := []lab.Accepted{acceptOn(t, l, connect(l, channel.Twitter, other), now.Add(2*time.Second))}
	spared = append(spared, l.Accept(6, now.Add(2*time.Second), 500*time.Millisecond, channel.Threads,
		channel.TelegramChannel)...)

	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, p := range spared {
			require.Equal(c, fencepost.PostStatusPublished, l.Get(p.ID).Status, "%s waits for another channel's limit", p.Text)
		}
	}, 20*time.Second, 100*time.Millisecond)
	refused := l.Get(hopeless.ID)
	require.Equal(t, fencepost.PostStatusFailed, refused.Status)
	require.Equal(t, "PLATFORM_RATE_LIMITED", refused.Error.Code)
	require.True(t, refused.Error.Retryable)

	<-time.After(time.Until(began.Add(s.lasts))) // the limit is in effect until then
	l.Sandbox.Heal()
	calls := l.Sandbox.Heard(channel.NetworkX, account)
	l.Injected("Retry-After %s for %s: %d posts, %d requests rejected", s.retryAfter, s.lasts, s.posts, len(calls))
	l.Healed()
	require.NotEmpty(t, calls)
	requirePaced(t, calls, s.retryAfter)
	l.Settle(s.within)
	for _, p := range limited {
		require.Equal(t, fencepost.PostStatusPublished, l.Get(p.ID).Status, p.Text)
	}
	l.Check()
}

// requirePaced checks that a channel is not called before its network's Retry-After has passed: at most one request per
// Retry-After. It ignores requests that were already sent when the first refusal arrived.
func requirePaced(t *testing.T, calls []harness.Heard, retryAfter time.Duration) {
	t.Helper()
	const onTheirWay = 300 * time.Millisecond
	last, burst := calls[0].At, 1
	var early []time.Duration
	for _, call := range calls[1:] {
		if call.At.Sub(calls[0].At) < onTheirWay {
			burst++
			continue
		}
		if wait := call.At.Sub(last); wait < retryAfter-onTheirWay {
			early = append(early, wait)
		}
		last = call.At
	}
	t.Logf("%d requests while the channel was limited, %d of them at once, %d too early", len(calls), burst, len(early))
	require.Empty(t, early, "the channel was called before its network's limit ended")
}
