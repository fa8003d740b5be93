package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/channel"
)

// commits returns the text that identifies each network's request to publish.
func commits() map[channel.Type]string {
	return map[channel.Type]string{
		channel.Twitter: "POST /x/2/tweets HTTP", channel.Threads: "/threads_publish HTTP",
		channel.TelegramChannel: "/sendMessage HTTP",
	}
}

// TestF15ConnectionsToNetworksAreReset resets the connection of the publishing call before any byte is sent, and after
// the whole request.
func TestF15ConnectionsToNetworksAreReset(t *testing.T) {
	behavior := infra.NewProxy(t, "")
	l := lab.Begin(t, lab.Fault{
		ID: "F15", Title: "connections to networks are reset: before any byte; after the whole request",
		Expect: "I1 I4: the former is retried; the latter is found, or OUTCOME_UNKNOWN",
	})
	runWith(l, 1, "NETWORKS_SANDBOX_URL="+through(t, behavior, l.Sandbox.URL()))

	// the first connection for these is the one that publishes
	for _, typ := range []channel.Type{channel.Twitter, channel.TelegramChannel} {
		behavior.Break(infra.Fault{Closed: true})
		p := l.Create(typ, l.Text(), "now")
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.Contains(c, l.Query(c, `SELECT state FROM publish_attempt WHERE post_id = $1`, p.ID), "REJECTED")
		}, 20*time.Second, 50*time.Millisecond)
		behavior.Heal()
		l.Settle(20 * time.Second)
		l.Injected("%s: refused before any byte", typ)
		require.Equal(t, fencepost.PostStatusPublished, l.Get(p.ID).Status)
		ended := attempts(t, l, p.ID)
		require.Equal(t, "CONFIRMED", ended[len(ended)-1])
		require.NotContains(t, ended[:len(ended)-1], "UNKNOWN")
	}
	// The sender cannot distinguish an unread request from a read one. Only the network knows.
	behavior.Break(infra.Fault{Refuse: true, Times: 1})
	unread := l.Create(channel.Twitter, l.Text(), "now")
	l.Settle(20 * time.Second)
	require.Equal(t, 1, behavior.Befallen())
	l.Injected("X: reset with the request unread")
	require.Equal(t, []string{"REJECTED", "CONFIRMED"}, attempts(t, l, unread.ID), "the network did not have the post")
	for typ, request := range commits() {
		behavior.Break(infra.Fault{LoseReplyTo: request, Times: 1})
		p := l.Create(typ, l.Text(), "now")
		l.Settle(20 * time.Second)
		require.Equal(t, 1, behavior.Befallen())
		l.Injected("%s: reset after the whole request", typ)
		got := l.Get(p.ID)
		if typ == channel.TelegramChannel {
			require.Equal(t, "OUTCOME_UNKNOWN", got.Error.Code)
			require.Equal(t, []string{"UNDETERMINED"}, attempts(t, l, p.ID))
			continue
		}
		require.Equal(t, fencepost.PostStatusPublished, got.Status, "%+v", got.Error)
		require.Equal(t, []string{"CONFIRMED"}, attempts(t, l, p.ID), "it was not sent again")
	}
	l.Healed()
	l.Settle(20 * time.Second)
	l.Check()
}

// attempts returns the final states of a post's attempts, in order.
func attempts(t *testing.T, l *lab.Lab, post string) []string {
	t.Helper()
	return l.Query(t, `SELECT state FROM publish_attempt WHERE post_id = $1 ORDER BY n`, post)
}
