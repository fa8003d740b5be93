package relay_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/post"
)

// TestAPlanGoesOutUnderTheNameOfItsSignal: unless a program is connected that knows one name alone. The relay reads that every five
// seconds, and sends nothing while it cannot.
func TestAPlanGoesOutUnderTheNameOfItsSignal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		var id int64
		sends := func(signal postflow.Signal, wait time.Duration) []string {
			id++
			m := planned(id, post.Scheduled, time.Now().Add(time.Hour))
			m.Post.Plan.Signal = signal
			b.outbox.add(m)
			b.temporal.named = nil
			b.runFor(t, wait)
			return b.temporal.named
		}
		require.Equal(t, []string{"changed"}, sends("", time.Second))
		require.Equal(t, []string{"rescheduled"}, sends(postflow.SignalRescheduled, 3*time.Second))
		b.outbox.older = true
		require.Equal(t, []string{"rescheduled"}, sends(postflow.SignalRescheduled, time.Second), "read 4 s ago")
		require.Equal(t, []string{"changed"}, sends(postflow.SignalRescheduled, 5*time.Second), "read again after 5 s")
		b.outbox.older, b.outbox.failing, b.outbox.fails = false, "signals", errDown
		require.Empty(t, sends(postflow.SignalRescheduled, 100*time.Millisecond))
		b.outbox.failing = ""
		require.Equal(t, []string{"rescheduled", "rescheduled"}, sends(postflow.SignalRescheduled, time.Second), "read again after the failure")
	})
}
