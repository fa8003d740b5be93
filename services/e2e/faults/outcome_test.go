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

// texts returns the channel types that accept a post without attachments.
func texts() []channel.Type {
	return []channel.Type{
		channel.Twitter, channel.Threads, channel.TelegramChannel, channel.LinkedInPage, channel.FacebookPage,
		channel.GoogleBusiness,
	}
}

func TestF12LostResponseOfCommit(t *testing.T) {
	lostResponses(t, lab.Fault{
		ID: "F12", Title: "The network accepts the post and does not respond",
		Expect: "I1 I4: found and PUBLISHED; OUTCOME_UNKNOWN if the network cannot be read; never sent again",
	}, harness.Fault{Kind: "timeout_after_accept", DelayMs: 20_000})
}

func TestF13AcceptedPostGets5xx(t *testing.T) {
	lostResponses(t, lab.Fault{
		ID: "F13", Title: "The network accepts the post and returns 503",
		Expect: "I1 I4: an error after bytes were sent is ambiguous: as F12",
	}, harness.Fault{Kind: "error_after_accept"})
}

// lostResponses publishes two posts on each network. The fault affects the first one.
func lostResponses(t *testing.T, f lab.Fault, fault harness.Fault) {
	t.Helper()
	l := lab.Begin(t, f)
	l.Run(1)
	fault.Step = "commit"
	for _, typ := range texts() {
		fault.Platform = string(typ.Network())
		l.Sandbox.Inject(fault)
	}
	l.Injected("%s at the call that publishes, once on %d networks", fault.Kind, len(texts()))
	created := l.Accept(2*len(texts()), time.Now().Add(time.Second), 50*time.Millisecond, texts()...)
	l.Settle(recovery)
	require.Empty(t, l.Sandbox.Waiting(), "a fault met no call")
	l.Check(lab.AllPublished())
	unknown := 0
	for _, p := range created {
		require.Equal(t, 1, l.Sandbox.Count(p.Text), "%s on %s", p.Text, p.Type) // including those with unknown outcome
		if got := l.Get(p.ID); got.Status == fencepost.PostStatusFailed {
			unknown++
			require.Equal(t, channel.TelegramChannel, p.Type)
			require.Equal(t, "OUTCOME_UNKNOWN", got.Error.Code)
			require.False(t, got.Error.Retryable)
		}
	}
	require.Equal(t, 1, unknown, "the post on the network that cannot be queried")
}
