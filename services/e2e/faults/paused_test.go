package faults_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/faults/lab"
	"socialpub.internal/services/e2e/faults/proxy"
	"socialpub.internal/shared/domain/channel"
)

func TestF33ThePausedWorkerDoesNotSend(t *testing.T) {
	pausedWorker(t, "publish.before_write", channel.Threads, true)
}

// TestNightF33ThePausedWorkerDoesNotSend waits for everything that a frozen worker holds on to while its connections stay.
func TestNightF33ThePausedWorkerDoesNotSend(t *testing.T) {
	for _, point := range []string{"publish.after_intent", "publish.before_write"} {
		for _, typ := range three() {
			t.Run(point+"/"+string(typ), func(t *testing.T) { pausedWorker(t, point, typ, false) })
		}
	}
}

// pausedWorker stops a worker right before the irrevocable call, until another one has taken over, and lets it go on: it must
// not send any more. When its connections to Temporal are cut meanwhile, nobody waits for its polls.
func pausedWorker(t *testing.T, point string, typ channel.Type, cut bool) {
	t.Helper()
	way := proxy.New(t, temporalAddress(t))
	l := lab.Begin(t, lab.Fault{
		ID: "F33", Title: "A worker is stopped in front of the irrevocable call, another one takes over, the first goes on",
		Expect: "I1 I4: the fence and the send window let one send; what comes late sends nothing",
	})
	l.Run(0)
	paused := l.Start("worker", "", "TEMPORAL_ADDRESS="+way.Address()).Ready()
	l.Arm(point + "=stop#1")
	p := l.AcceptOne(time.Now().Add(500*time.Millisecond), typ)
	l.WaitFired(point, reached)
	if cut {
		way.Break(proxy.Fault{Closed: true})
		way.Sever()
	}
	l.Start("worker", "").Ready()
	l.Settle(4 * time.Minute) // the frozen worker may still hold polls, and each task it takes must time out
	want := l.Sandbox.Count(p.Text)
	require.LessOrEqual(t, want, 1)
	way.Heal()
	paused.Signal(syscall.SIGCONT)
	l.Healed()
	// It proves that it goes on by what it says, and sends nothing.
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Contains(c, paused.WholeLog(), "SEND_WINDOW_CLOSED")
	}, reached, 100*time.Millisecond)
	l.AcceptOne(time.Now().Add(500*time.Millisecond), channel.Threads)
	l.Settle(recovery)
	require.Equal(t, want, l.Sandbox.Count(p.Text))
	require.Equal(t, 1, paused.Starts())
	l.Check(lab.AllPublished())
}
